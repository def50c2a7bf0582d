"""Protocols for the replaceable parts: loaders, extractors, embedders, retrievers, rerankers and chat models.

Other packages register their classes under the entry-point groups `overstory.loaders`, `overstory.extractors`,
`overstory.embedders`, `overstory.retrievers`, `overstory.rerankers` and `overstory.llms`. A class must have all members
of its protocol. Optional members are listed in the docstring of the protocol and looked up with `getattr`.
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

Vectors: TypeAlias = "npt.NDArray[np.float32]"  # quoted, so that numpy is imported only where vectors are used
OnBroken = Callable[[BrokenSource], None]
OnSkipped = Callable[[str], None]
"""Called for each skipped file: with its path if no loader recognises the file, otherwise with path and reason."""


@runtime_checkable
class Loader(Protocol):
    """Converts one source into documents. The class is instantiated without arguments.

    Optional:
        isolated: bool: True reads each file in a worker process with limits on memory and CPU time, for readers that a
            small file can crash or overload. The class must be importable by name.
        recognises_content(source) -> bool: True if the first bytes of the file have this format; called if no loader
            recognises the file name.
        why_not(source) -> BrokenSource | None: the reason, with a remedy, why a file is not read although its name
            suggests the format.
        load_container(source, *, on_broken: OnBroken, on_skipped: OnSkipped) -> Iterator[Loaded]: like `load`, for
            sources that contain files, such as archives; also reports the files that are skipped.
    """

    name: str

    def recognises(self, source: str) -> bool:
        """Return True if this loader can read the source, judging by its name and, if needed, its first bytes."""
        ...

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Loaded]:
        """Yield the documents of a source lazily, with their annotations and links.

        A broken record goes to `on_broken`, which may raise; otherwise loading continues.

        Raises:
            BrokenSource: the source as a whole cannot be read.
        """
        ...


@runtime_checkable
class DatabaseLoader(Loader, Protocol):
    """A loader that can also read databases, whose sources are not paths."""

    def with_settings(self, settings: Settings) -> Loader:
        """Return this loader for the database of the settings."""
        ...

    def is_database(self, source: str) -> bool: ...

    def namespaces(self, source: str) -> Sequence[str]:
        """Return every `Document.source` that the documents of the source may have.

        Raises:
            BrokenSource: the source cannot be parsed.
        """
        ...


@runtime_checkable
class Embedder(Protocol):
    """Computes vectors of unit length from texts.

    Attributes:
        fingerprint: identifier that changes whenever the same text may get another vector (weights, tokenizer, pooling,
            limit, template).
        dimension: length of a vector.
        token_limit: maximum tokens of a text that is embedded without truncation, including special tokens.

    Optional:
        embed_questions(questions) -> Vectors: like `embed`, for models that encode questions differently from passages.
        cosine_spread: float: spread between a question's cosines to relevant and to other passages, as a multiple of
            the default embedder's spread. Retrievers use it to weigh words against cosines.
    """

    fingerprint: str
    token_limit: int

    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors as float32 of shape (len(texts), dimension); a row does not depend on the other texts."""
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, including special tokens."""
        ...


def cosine_spread(embedder: Embedder) -> float:
    """Return the embedder's optional `cosine_spread`; 1.0 by default."""
    spread: float = getattr(embedder, "cosine_spread", 1.0)
    return spread


def question_vectors(embedder: Embedder, questions: Sequence[str]) -> Vectors:
    """Embed questions for comparison with passages; float32 of shape (len(questions), dimension)."""
    embed: Callable[[Sequence[str]], Vectors] = getattr(embedder, "embed_questions", embedder.embed)
    return embed(questions)


def cosines_with(embedder: Embedder, question: str, texts: Sequence[str]) -> Vectors:
    """Return the cosine of a question with each of n texts; float32 of shape (n,)."""
    if hasattr(embedder, "embed_questions"):
        asked, vectors = question_vectors(embedder, [question])[0], embedder.embed(texts)
    else:  # embed question and texts in one request
        asked, *_ = together = embedder.embed([question, *texts])
        vectors = together[1:]
    cosines: Vectors = vectors @ asked
    return cosines


@runtime_checkable
class Extractor(Protocol):
    """Finds sentences, named entities and facts in chunks.

    Attributes:
        fingerprint: identifier that changes whenever the same text may give another extraction.
        by: label of this extractor's mentions and facts in the graph ("ner", "llm", …).
    """

    fingerprint: str
    by: str

    def extract(self, chunks: Iterable[ChunkText]) -> Iterator[Extraction]:
        """Yield one extraction per chunk, lazily and in order."""
        ...


@runtime_checkable
class Retriever(Protocol):
    """Finds evidence for a question.

    A retriever puts results other than passages into `Evidence.parts`, and passages that only support such parts into
    `Evidence.sources`. `Evidence.shares` determines which parts a language model reads.

    Optional:
        retrieve_among(question, k, where: Expression) -> Evidence: like `retrieve`, limited to documents that match the
            filter. Raises MetadataNotFound if no document has a key of the filter.
    """

    name: str

    def retrieve(self, question: str, k: int) -> Evidence:
        """Return at most `k` hits, best first.

        Raises:
            QuestionError: the question contains nothing to search for.
        """
        ...


@runtime_checkable
class Reranker(Protocol):
    """Scores the relevance of passages to a question. Must be safe to use from several threads.

    Attributes:
        name: model name shown in reasons and notes.
    """

    name: str

    def rerank(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """Return a relevance score for each passage, in the order of the passages.

        Scores are finite numbers on any scale; a higher score means a more relevant passage.

        Args:
            passages: any number of passage texts, each with its title and headings.

        Raises:
            ModelError: the model cannot be used or returned no usable scores; transient failures were retried.
        """
        ...


@runtime_checkable
class ChatModel(Protocol):
    """A language model that completes a list of messages. Must be safe to use from several threads.

    Attributes:
        fingerprint: identifier that changes whenever the same messages may get another response (model, address,
            temperature).
        max_tokens: default maximum length of a response.

    Optional:
        context: int: maximum tokens of a request and its response together.
        stream: see `StreamingChatModel`.
        count_tokens(texts) -> list[int]: number of tokens of each text within a request, without tokens that the model
            adds. Raises LlmError if the tokenizer cannot be reached.
    """

    fingerprint: str
    max_tokens: int

    def complete(
        self, messages: Sequence[Message], schema: JsonSchema | None = None, *, max_tokens: int | None = None
    ) -> Completion:
        """Return the model's response, which may be cut at `max_tokens` (`Completion.truncated`).

        Args:
            schema: JSON schema for the response text. The caller must validate the text.

        Raises:
            LlmError: there is no response; transient failures were retried.
        """
        ...

    def cancel(self) -> None:
        """Cancel the requests of other threads, which then raise `LlmCancelled`. Later requests are not affected."""
        ...

    def close(self) -> None: ...


@runtime_checkable
class StreamingChatModel(ChatModel, Protocol):
    """A language model that can return its response in pieces."""

    def stream(self, messages: Sequence[Message], *, max_tokens: int | None = None) -> Generator[str, None, Completion]:
        """Yield pieces of the response as they arrive, and return the whole. Closing the generator cancels the request.

        Raises:
            LlmError: there is no response, or it broke off; only failures before the first piece are retried.
        """
        ...


@runtime_checkable
class Progress(Protocol):
    """Receives the progress of long work, one task after another. Called from one thread."""

    def start(self, task: str, total: int | None, unit: str) -> None:
        """Start a task; `total` is None if the number of units is unknown."""
        ...

    def advance(self, amount: int) -> None:
        """Add `amount` finished units."""
        ...

    def finish(self, detail: str) -> None:
        """End the task; `detail` summarises the result in a few words."""
        ...


class Silence:
    """A `Progress` that ignores all calls."""

    def start(self, task: str, total: int | None, unit: str) -> None: ...

    def advance(self, amount: int) -> None: ...

    def finish(self, detail: str) -> None: ...
