"""Protocols of the replaceable parts: loaders, extractors, embedders, retrievers, rerankers and chat models.

Other packages register their classes in the entry-point groups `overstory.loaders`, `overstory.extractors`,
`overstory.embedders`, `overstory.retrievers`, `overstory.rerankers` and `overstory.llms`. A class must have all members
of its protocol. It may also have the optional members that the docstring of the protocol lists under "Optional".
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
"""A function that is called for each skipped file. Its argument is the path, followed by the reason if there is one.

There is no reason if no loader recognises the file.
"""


@runtime_checkable
class Loader(Protocol):
    """Converts a source into documents. The class must be callable without arguments.

    Optional:
        isolated: bool: True to read each file in a worker process with limited memory and CPU time. Use it if a small
            file can crash or overload the reader. The class must then be importable by its name.
        recognises_content(source) -> bool: Return True if the first bytes of the file show this format. The method is
            called if no loader recognises the name of the file.
        why_not(source) -> BrokenSource | None: Return the reason, with a remedy, if the file is not read although its
            name suggests this format.
        load_container(source, *, on_broken: OnBroken, on_skipped: OnSkipped) -> Iterator[Loaded]: Do the same as
            `load` for a source that contains files, such as an archive, and report the files that are skipped.
    """

    name: str

    def recognises(self, source: str) -> bool:
        """Return True if this loader can read the source. Check its name and, if necessary, its first bytes."""
        ...

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Loaded]:
        """Yield the documents of a source, with their annotations and links, lazily.

        Args:
            source: path or address.
            on_broken: function to call with the error if a record is broken. If the function raises no exception,
                loading must continue with the next record.

        Raises:
            BrokenSource: nothing in the source can be read.
        """
        ...


@runtime_checkable
class DatabaseLoader(Loader, Protocol):
    """A loader that can also read databases. The source is then not a path."""

    def with_settings(self, settings: Settings) -> Loader:
        """Return a loader for the database that the settings specify."""
        ...

    def is_database(self, source: str) -> bool: ...

    def namespaces(self, source: str) -> Sequence[str]:
        """Return all values that `Document.source` may have for documents from this source.

        Raises:
            BrokenSource: the source is invalid.
        """
        ...


@runtime_checkable
class Embedder(Protocol):
    """Computes vectors of unit length for texts.

    Attributes:
        fingerprint: identifier that must change whenever the same text may get another vector, for example because of
            other weights, another tokenizer or another token limit.
        token_limit: maximum number of tokens, including special tokens, in a text that is embedded completely.

    Optional:
        embed_questions(questions) -> Vectors: Do the same as `embed` for questions, if the model encodes questions
            differently from passages.
        cosine_spread: float: how far a question's cosines with relevant passages lie above its cosines with other
            passages, divided by this distance for the default embedder. Retrievers use it to balance the weight of
            matching words against the weight of cosines.
    """

    fingerprint: str
    token_limit: int

    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector for each text, as float32 with shape (len(texts), dimension).

        The vector of a text must not depend on the other texts.
        """
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens in each text, including special tokens."""
        ...


def cosine_spread(embedder: Embedder) -> float:
    """Return the optional attribute `cosine_spread` of an embedder; 1.0 if the embedder lacks this attribute."""
    spread: float = getattr(embedder, "cosine_spread", 1.0)
    return spread


def question_vectors(embedder: Embedder, questions: Sequence[str]) -> Vectors:
    """Return one vector for each question, for comparison with passages.

    The result is float32 with shape (len(questions), dimension).
    """
    embed: Callable[[Sequence[str]], Vectors] = getattr(embedder, "embed_questions", embedder.embed)
    return embed(questions)


def cosines_with(embedder: Embedder, question: str, texts: Sequence[str]) -> Vectors:
    """Return the cosine of a question with each text, as float32 with shape (len(texts),)."""
    if hasattr(embedder, "embed_questions"):
        asked, vectors = question_vectors(embedder, [question])[0], embedder.embed(texts)
    else:
        asked, *_ = together = embedder.embed([question, *texts])
        vectors = together[1:]
    cosines: Vectors = vectors @ asked
    return cosines


@runtime_checkable
class Extractor(Protocol):
    """Finds sentences, named entities and facts in chunks.

    Attributes:
        fingerprint: identifier that must change whenever the extractor may find something else in the same text.
        by: value of the property `by` of this extractor's mentions and facts in the graph, such as "ner" or "llm".
    """

    fingerprint: str
    by: str

    def extract(self, chunks: Iterable[ChunkText]) -> Iterator[Extraction]:
        """Yield one extraction for each chunk, lazily and in the order of the chunks."""
        ...


@runtime_checkable
class Retriever(Protocol):
    """Finds evidence for a question.

    A retriever returns ranked passages in `Evidence.hits` and other results in `Evidence.parts`. Passages that support
    other results but are not hits belong in `Evidence.sources`. `Evidence.shares` determines which kinds of results a
    language model reads.

    Optional:
        retrieve_among(question, k, where: Expression) -> Evidence: Do the same as `retrieve`, but only with documents
            that match the filter. Raise MetadataNotFound if the filter contains a key that no document has.
    """

    name: str

    def retrieve(self, question: str, k: int) -> Evidence:
        """Return evidence with at most `k` hits, best first.

        Raises:
            QuestionError: the question contains nothing to search for.
        """
        ...


@runtime_checkable
class Reranker(Protocol):
    """Scores the relevance of passages to a question. Several threads may use a reranker at the same time.

    Attributes:
        name: name of the model, which is shown in reasons and notes.
    """

    name: str

    def rerank(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """Return a relevance score for each passage, in the order of the passages.

        Scores are finite numbers on any scale. A higher score means a more relevant passage.

        Args:
            passages: texts of any number of passages, each with its title and headings.

        Raises:
            ModelError: the model cannot be used or returned no usable scores. After transient failures, retries have
                failed, too.
        """
        ...


@runtime_checkable
class ChatModel(Protocol):
    """A language model that responds to a list of messages. Several threads may use it at the same time.

    Attributes:
        fingerprint: identifier that must change whenever the same messages may get another response, for example
            because of another model, address or temperature.
        max_tokens: maximum number of tokens in a response, unless a call specifies another maximum.

    Optional:
        context: int: maximum number of tokens in a request and its response together.
        stream: see `StreamingChatModel`.
        count_tokens(texts) -> list[int]: Return the number of tokens in each text, without tokens that the model adds
            to a request. Raise LlmError if the tokenizer cannot be reached.
    """

    fingerprint: str
    max_tokens: int

    def complete(
        self, messages: Sequence[Message], schema: JsonSchema | None = None, *, max_tokens: int | None = None
    ) -> Completion:
        """Return the response of the model. If the response is cut off at `max_tokens`, `Completion.truncated` is True.

        Args:
            schema: JSON schema that the text of the response should match. The caller must validate the text.
            max_tokens: maximum number of tokens in the response; None for the attribute `max_tokens`.

        Raises:
            LlmError: there is no response. After transient failures, retries have failed, too.
        """
        ...

    def cancel(self) -> None:
        """Cancel the requests of other threads. In these threads, `LlmCancelled` is raised.

        Later requests are not affected.
        """
        ...

    def close(self) -> None: ...


@runtime_checkable
class StreamingChatModel(ChatModel, Protocol):
    """A language model that can return its response in pieces."""

    def stream(self, messages: Sequence[Message], *, max_tokens: int | None = None) -> Generator[str, None, Completion]:
        """Yield the pieces of the response as they arrive, and return the complete response.

        Closing the generator cancels the request.

        Raises:
            LlmError: there is no response, or the response broke off. Only failures before the first piece are retried.
        """
        ...


@runtime_checkable
class Progress(Protocol):
    """Receives the progress of long work, one task after another. All calls come from one thread."""

    def start(self, task: str, total: int | None, unit: str) -> None:
        """Start a task.

        Args:
            total: number of units in the whole task; None if unknown.
            unit: name of the units, such as "documents".
        """
        ...

    def advance(self, amount: int) -> None:
        """Report that `amount` more units are finished."""
        ...

    def finish(self, detail: str) -> None:
        """End the task.

        Args:
            detail: summary of the result in a few words.
        """
        ...


class Silence:
    """A `Progress` that ignores all calls."""

    def start(self, task: str, total: int | None, unit: str) -> None: ...

    def advance(self, amount: int) -> None: ...

    def finish(self, detail: str) -> None: ...
