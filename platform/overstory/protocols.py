"""What can be exchanged: structural types that built-in and third-party parts fulfil alike.

Third parties register classes under the entry-point groups `overstory.loaders`, `overstory.extractors`,
`overstory.embedders`, `overstory.retrievers`, `overstory.rerankers` and `overstory.llms`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from overstory.errors import BrokenSource
from overstory.filters.expression import Expression
from overstory.model import ChunkText, Completion, Evidence, Extraction, JsonSchema, Loaded, Message
from overstory.settings import Settings

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Vectors: TypeAlias = "npt.NDArray[np.float32]"  # quoted: what needs no vectors does not import numpy
OnBroken = Callable[[BrokenSource], None]
OnSkipped = Callable[[str], None]
"""Called for a file that is not read: with its path if no loader recognises it, otherwise also with the reason."""


@runtime_checkable
class Loader(Protocol):
    """Turns one source into documents. Made without arguments."""

    name: str

    def recognises(self, source: str) -> bool:
        """Whether this loader is meant for the source; looks at its name and, if it must, at its first bytes."""
        ...

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Loaded]:
        """The documents of a source with their annotations and links, lazily. A broken record goes to `on_broken`,
        which may raise; the rest goes on.

        Raises:
            BrokenSource: the source as a whole cannot be read.
        """
        ...


@runtime_checkable
class ContentLoader(Loader, Protocol):
    """A loader that also knows its files by their content, which is asked where no loader knows a name."""

    def recognises_content(self, source: str) -> bool:
        """Whether the content of a file is of this format; looks at its first bytes."""
        ...


@runtime_checkable
class ExplainingLoader(Loader, Protocol):
    """A loader that knows files by their names which it does not read."""

    def why_not(self, source: str) -> BrokenSource | None:
        """Why it does not read a file whose name speaks for its format, and what to do; None for other files."""
        ...


@runtime_checkable
class TellingLoader(Loader, Protocol):
    """A loader of sources that hold files, such as archives, which need not read all of them."""

    def load_telling(self, source: str, *, on_broken: OnBroken, on_skipped: OnSkipped) -> Iterator[Loaded]:
        """As `load`; also tells of the files that are not read."""
        ...


@runtime_checkable
class IsolatedLoader(Loader, Protocol):
    """A loader that reads each file in a worker process with limits on memory and processor time, because a small file
    can make its reader crash, or take any amount of either. Its class can be imported by name.

    Attributes:
        isolated: True.
    """

    isolated: bool


@runtime_checkable
class DatabaseLoader(Loader, Protocol):
    """A loader that also reads databases, whose sources are no paths."""

    def with_settings(self, settings: Settings) -> Loader:
        """The loader with the settings that say which database to read."""
        ...

    def is_database(self, source: str) -> bool:
        """Whether a source is one of a database."""
        ...

    def namespaces(self, source: str) -> Sequence[str]:
        """`Document.source` of everything that such a source may hold.

        Raises:
            BrokenSource: it cannot be understood.
        """
        ...


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors of unit length.

    Attributes:
        fingerprint: changes whenever the same text may get another vector (weights, tokenizer, pooling, limit,
            template).
        dimension: length of a vector.
        token_limit: the longest text, in tokens with special ones, that is embedded whole.
    """

    fingerprint: str
    token_limit: int

    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """float32 of shape (len(texts), dimension); a row does not depend on the other texts."""
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, special ones included, as `token_limit` counts them."""
        ...


@runtime_checkable
class QuestionEmbedder(Protocol):
    """An embedder whose model reads questions in another way than passages."""

    def embed_questions(self, questions: Sequence[str]) -> Vectors:
        """As `Embedder.embed`, for questions that are compared with vectors of passages."""
        ...


@runtime_checkable
class SpreadEmbedder(Protocol):
    """An embedder whose cosines lie closer together, or further apart, than those of the default one.

    Attributes:
        cosine_spread: how far apart a question's cosines to passages that answer and to others are, as a multiple of
            the default's. Retrievers weigh words beside cosines by it.
    """

    cosine_spread: float


def cosine_spread(embedder: Embedder) -> float:
    """As `SpreadEmbedder.cosine_spread`; 1 where an embedder does not say."""
    return embedder.cosine_spread if isinstance(embedder, SpreadEmbedder) else 1.0


def question_vectors(embedder: Embedder, questions: Sequence[str]) -> Vectors:
    """float32 of shape (len(questions), dimension): questions as this embedder compares them with passages."""
    return embedder.embed_questions(questions) if isinstance(embedder, QuestionEmbedder) else embedder.embed(questions)


def cosines_with(embedder: Embedder, question: str, texts: Sequence[str]) -> Vectors:
    """float32[n]: the cosine of a question with each of n texts; one request, if questions are embedded as texts
    are."""
    if isinstance(embedder, QuestionEmbedder):
        asked, vectors = embedder.embed_questions([question])[0], embedder.embed(texts)
    else:
        asked, *_ = together = embedder.embed([question, *texts])
        vectors = together[1:]
    cosines: Vectors = vectors @ asked
    return cosines


@runtime_checkable
class Extractor(Protocol):
    """Finds sentences, named entities and facts in chunks.

    Attributes:
        fingerprint: changes whenever the same text may give another extraction.
        by: the mark of its mentions and facts in the graph ("ner", "llm", …).
    """

    fingerprint: str
    by: str

    def extract(self, chunks: Iterable[ChunkText]) -> Iterator[Extraction]:
        """One extraction a chunk, in order, lazily."""
        ...


@runtime_checkable
class Retriever(Protocol):
    """Finds evidence for a question.

    What it finds beside passages goes into `Evidence.parts`, and passages that only these stand on into
    `Evidence.sources`; `Evidence.shares` says which parts a language model reads.
    """

    name: str

    def retrieve(self, question: str, k: int) -> Evidence:
        """At most `k` hits, best first.

        Raises:
            QuestionError: the question has nothing to ask for.
        """
        ...


@runtime_checkable
class FilteringRetriever(Protocol):
    """A retriever that can be asked among the documents that a filter lets through."""

    name: str

    def retrieve_among(self, question: str, k: int, where: Expression) -> Evidence:
        """As `Retriever.retrieve`. All of the evidence stands on documents that fulfil the filter.

        Raises:
            QuestionError: the question has nothing to ask for.
            MetadataNotFound: no document has a key that the filter asks for.
        """
        ...


@runtime_checkable
class Reranker(Protocol):
    """Judges how relevant passages are to a question. Safe to use from several threads.

    Attributes:
        name: of the model, as reasons and notes show it.
    """

    name: str

    def rerank(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """The relevance of each passage, in their order: finite numbers of any scale, higher ones for more relevant
        passages.

        Args:
            passages: their texts, each with its title and headings; any number of them.

        Raises:
            ModelError: the model cannot be used, or gave no usable scores; passing failures were tried again.
        """
        ...


@runtime_checkable
class ChatModel(Protocol):
    """A language model: messages in, a text out. Safe to use from several threads.

    Attributes:
        fingerprint: changes whenever the same messages may get another answer (model, address, temperature).
        max_tokens: the longest answer where a call names no other.

    A model that knows how many tokens a request and its answer may have together says so in an attribute `context`; one
    that can give its answer piece by piece is a `StreamingChatModel`, one that counts tokens itself `CountsTokens`.
    """

    fingerprint: str
    max_tokens: int

    def complete(
        self, messages: Sequence[Message], schema: JsonSchema | None = None, *, max_tokens: int | None = None
    ) -> Completion:
        """The model's answer, which may have been cut at `max_tokens` (`Completion.truncated`).

        Args:
            schema: a JSON schema that the text should fit. Whether it does is for the caller to check.

        Raises:
            LlmError: there is no answer; passing failures were tried again.
        """
        ...

    def cancel(self) -> None:
        """Ends the requests that other threads wait for: they raise `LlmCancelled`. Later ones are answered."""
        ...

    def close(self) -> None:
        """Lets go of connections and threads."""
        ...


@runtime_checkable
class StreamingChatModel(ChatModel, Protocol):
    """A language model that gives its answer while it makes it."""

    def stream(self, messages: Sequence[Message], *, max_tokens: int | None = None) -> Generator[str, None, Completion]:
        """The pieces of the answer as they come; what the generator returns is the whole. Closing it ends the request.

        Raises:
            LlmError: there is no answer, or it broke off; only what failed before the first piece was tried again.
        """
        ...


@runtime_checkable
class CountsTokens(Protocol):
    """A language model whose tokenizer can be asked."""

    fingerprint: str

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text as a part of a request, without any that the model adds to it.

        Raises:
            LlmError: the tokenizer cannot be reached.
        """
        ...


@runtime_checkable
class Progress(Protocol):
    """Hears how far a long piece of work has come: one task after another. Called from one thread."""

    def start(self, task: str, total: int | None, unit: str) -> None:
        """A task begins; `total` is None where it is not known."""
        ...

    def advance(self, amount: int) -> None:
        """So many more units are done."""
        ...

    def finish(self, detail: str) -> None:
        """The task ended; `detail` is a few words on its result."""
        ...


class Silence:
    """A `Progress` that says nothing."""

    def start(self, task: str, total: int | None, unit: str) -> None: ...

    def advance(self, amount: int) -> None: ...

    def finish(self, detail: str) -> None: ...
