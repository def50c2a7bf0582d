"""Structural types of the exchangeable parts, built-in or of other packages.

Third parties register classes under the entry-point groups `overstory.loaders`, `overstory.extractors`,
`overstory.embedders`, `overstory.retrievers`, `overstory.rerankers` and `overstory.llms`. A class needs the members of
its protocol. Optional members are listed in the protocol's docstring, and are looked up with `getattr`: a protocol
cannot have them, because a class without them would not fulfil it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from overstory.errors import BrokenSource
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
    """Turns one source into documents. Made without arguments.

    Optional:
        isolated: bool: True reads each file in a worker process with limits on memory and processor time, because a
            small file can crash the reader or take any amount of either. The class must be importable by name.
        recognises_content(source) -> bool: whether the content of a file, by its first bytes, has this format; asked if
            no loader recognises the file's name.
        why_not(source) -> BrokenSource | None: why a file whose name suggests the format is not read, and the remedy.
        load_container(source, *, on_broken: OnBroken, on_skipped: OnSkipped) -> Iterator[Loaded]: as `load`, for
            sources that hold files, such as archives; also reports the files that are not read.
    """

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
class DatabaseLoader(Loader, Protocol):
    """A loader that also reads databases, whose sources are not paths."""

    def with_settings(self, settings: Settings) -> Loader:
        """The loader for the database in the settings."""
        ...

    def is_database(self, source: str) -> bool: ...

    def namespaces(self, source: str) -> Sequence[str]:
        """`Document.source` of everything that the source may hold.

        Raises:
            BrokenSource: the source cannot be understood.
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

    Optional:
        embed_questions(questions) -> Vectors: as `embed`, for models that read questions in another way than passages.
        cosine_spread: float: how far apart a question's cosines to relevant and to other passages are, as a multiple of
            the default embedder's. Retrievers weigh words against cosines by it.
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


def cosine_spread(embedder: Embedder) -> float:
    """The optional attribute of `Embedder`; 1.0 by default."""
    spread: float = getattr(embedder, "cosine_spread", 1.0)
    return spread


def question_vectors(embedder: Embedder, questions: Sequence[str]) -> Vectors:
    """float32 of shape (len(questions), dimension): questions as this embedder compares them with passages."""
    embed: Callable[[Sequence[str]], Vectors] = getattr(embedder, "embed_questions", embedder.embed)
    return embed(questions)


def cosines_with(embedder: Embedder, question: str, texts: Sequence[str]) -> Vectors:
    """float32[n]: the cosine of a question with each of n texts."""
    if hasattr(embedder, "embed_questions"):
        asked, vectors = question_vectors(embedder, [question])[0], embedder.embed(texts)
    else:  # in one request
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

    What it finds besides passages goes into `Evidence.parts`, and passages that only support these into
    `Evidence.sources`; `Evidence.shares` says which parts a language model reads.

    Optional:
        retrieve_among(question, k, where: Expression) -> Evidence: as `retrieve`, from documents alone that fulfil the
            filter. Raises MetadataNotFound if no document has a key of the filter.
    """

    name: str

    def retrieve(self, question: str, k: int) -> Evidence:
        """At most `k` hits, best first.

        Raises:
            QuestionError: the question has nothing to ask for.
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

    Optional:
        context: int: the most tokens of a request and its answer together.
        stream: see `StreamingChatModel`.
        count_tokens(texts) -> list[int]: tokens of each text as a part of a request, without those that the model adds.
            Raises LlmError if the tokenizer cannot be reached.
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
    """A language model that can return its answer in pieces."""

    def stream(self, messages: Sequence[Message], *, max_tokens: int | None = None) -> Generator[str, None, Completion]:
        """Yields the pieces of the answer as they come, and returns the whole. Closing the generator ends the request.

        Raises:
            LlmError: there is no answer, or it broke off; only failures before the first piece are retried.
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
