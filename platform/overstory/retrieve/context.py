"""The objects that retrievers need, and queries to the current state of a corpus."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeVar, cast

from overstory import plugins
from overstory.display import index_command
from overstory.errors import IndexMissing, SettingsError, StatementFailed
from overstory.graph import Corpus, GraphClient, Transaction, read_corpus
from overstory.llm import Chat
from overstory.protocols import Embedder, Retriever, Vectors, question_vectors
from overstory.retrieve.matching_documents import MatchingDocuments
from overstory.settings import ExtractionSettings

GROUP = "overstory.retrievers"


def retriever_names() -> list[str]:
    return plugins.names(GROUP)


def make_retriever(name: str, context: RetrievalContext) -> Retriever:
    """Create a retriever by name.

    Args:
        name: the name, or "NAME:OPTION" to pass an option to the retriever, for example to switch off a step.
    """
    check_retriever(name)
    base, _, option = name.partition(":")
    arguments = (context, option) if option else (context,)
    made = plugins.make(GROUP, base, *arguments, error=SettingsError, requires=["name", "retrieve"])
    return cast("Retriever", made)


def check_retriever(name: str) -> None:
    """Raise `SettingsError` if the name or option of a retriever is unknown. This needs no corpus, server or model."""
    base, _, option = name.partition(":")
    factory = cast("Callable[..., object]", plugins.load(GROUP, base, error=SettingsError))
    if not option:
        return
    try:
        inspect.signature(factory).bind(None, option)
    except TypeError as error:
        raise SettingsError(
            f"The retriever {base!r} has no option {option!r}.", remedy=f"Use {base!r} alone."
        ) from error


T = TypeVar("T")

_QUESTIONS_EMBEDDED_AT_ONCE = 32
"""Maximum number of questions that are embedded concurrently."""

NAMES_OUTDATED = (
    "documents or entities have changed since the last index run: results may miss entities, or contain outdated ones, "
    "until the corpus is indexed again (`overstory index`, or Index on the page)"
)

# Corpora that the current question has read. Threads that run in a copy of its context share this dictionary.
_read: ContextVar[dict[tuple[GraphClient, str], Corpus] | None] = ContextVar("corpora of the question", default=None)


@contextmanager
def one_question() -> Generator[None]:
    """Return a context manager in which `asked_corpus` reads each corpus only once.

    If these context managers are nested, the inner ones have no effect.
    """
    if _read.get() is not None:
        yield
        return
    token = _read.set({})
    try:
        yield
    finally:
        _read.reset(token)


def forget_asked_corpora() -> None:
    """Make the current question read its corpora again.

    Call this after a slow step, such as a call of the language model, because the corpora may have changed.
    """
    _read.set(None if _read.get() is None else {})


def asked_corpus(graph: GraphClient, name: str, tx: Transaction | None = None, *, again: bool = False) -> Corpus:
    """Return the state of a corpus that the current question has already read, or read it now.

    Args:
        tx: transaction in which the corpus is read; None to read it in a transaction of its own.
        again: read the corpus again, and use the new state for the rest of the question.
    """
    known = _read.get()
    if known is None:
        return read_corpus(tx or graph, name)
    if again or (graph, name) not in known:
        known[graph, name] = read_corpus(tx or graph, name)
    return known[graph, name]


def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_QUESTIONS_EMBEDDED_AT_ONCE, thread_name_prefix="question")  # threads start at first use


def no_chat() -> Chat | None:
    return None


@dataclass(frozen=True, slots=True)
class RetrievalContext:
    """The objects that a retriever needs.

    Attributes:
        corpus_name: name of the corpus. The corpus is read for each question (1 ms), because another process may index
            it at any time.
        extraction: settings of the pipeline that parses questions.
    """

    graph: GraphClient
    corpus_name: str
    embedder: Embedder
    chat: Callable[[], Chat | None] = no_chat
    extraction: ExtractionSettings = field(default_factory=ExtractionSettings)
    filters: MatchingDocuments = field(default_factory=MatchingDocuments)
    _threads: ThreadPoolExecutor = field(default_factory=_threads, init=False, repr=False, compare=False)

    def embedding(self, text: str) -> Future[Vectors]:
        """Embed a text in another thread, so that the caller can query the graph in the meantime.

        The future's result is a float32 vector of shape (d,). If embedding fails, `Future.result` raises the error.
        """
        return self._threads.submit(lambda: question_vectors(self.embedder, [text])[0])

    def corpus(self, tx: Transaction | None = None, *, again: bool = False) -> Corpus:
        """Return the corpus, as `asked_corpus` does."""
        return asked_corpus(self.graph, self.corpus_name, tx, again=again)

    def corpus_with_vectors(self, tx: Transaction | None = None, *, again: bool = False) -> Corpus:
        """Return the corpus, as `asked_corpus` does, if its vectors are usable.

        Raises:
            IndexMissing: the corpus has no vectors yet.
            EmbedderMismatch: the vectors are from a different embedder.
        """
        corpus = self.corpus(tx, again=again)
        if not corpus.embedder:
            raise IndexMissing(
                f"Corpus {corpus.name!r} has no vectors yet.",
                remedy=f"Run `{index_command(corpus.name)}`, or call Knowledge.index() in Python.",
            )
        corpus.check_embedder(self.embedder)
        return corpus


ReadCorpus = Callable[[Transaction], Corpus]
"""A function that reads the corpus in a transaction."""


def query_current_corpus(
    context: RetrievalContext,
    doing: str,
    query: Callable[[Transaction, Corpus], T],
    *,
    generation: Callable[[Corpus], int] | None = None,
    read: ReadCorpus | None = None,
) -> T:
    """Run `query` on the current state of the corpus, in one transaction.

    If a vector index is replaced while `query` runs, `query` is run again.

    Args:
        doing: name of the transaction in the server's log ("retrieve/…").
        generation: returns the generation of the derived nodes that `query` reads. If a new generation is published
            while `query` runs, `query` is run again, because the old nodes and their indexes are deleted.
        read: reads the corpus; by default `RetrievalContext.corpus_with_vectors`.
    """
    used: tuple[str, str, int] | None = None

    def in_use(corpus: Corpus) -> tuple[str, str, int]:
        return corpus.vector_index, corpus.embedding_property, generation(corpus) if generation else 0

    def work(tx: Transaction) -> tuple[T, bool]:
        nonlocal used
        corpus = (read or context.corpus_with_vectors)(tx)
        used = in_use(corpus)
        found = query(tx, corpus)
        return found, generation is None or in_use(context.corpus(tx, again=True))[2] == used[2]

    while True:  # the loop ends, because building an index takes longer than a question
        try:
            found, whole = context.graph.reading(doing, work)
        except StatementFailed:
            if used is None or used == in_use(context.corpus(again=True)):
                raise
            continue
        if whole:
            return found
