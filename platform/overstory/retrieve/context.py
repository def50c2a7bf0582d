"""The inputs of retrievers, and their queries to the current corpus."""

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
    """The names of all installed retrievers, sorted."""
    return plugins.names(GROUP)


def make_retriever(name: str, context: RetrievalContext) -> Retriever:
    """The retriever of this name; `name:option` passes the option on (an ablation, say)."""
    check_retriever(name)
    base, _, option = name.partition(":")
    arguments = (context, option) if option else (context,)
    made = plugins.make(GROUP, base, *arguments, error=SettingsError, requires=["name", "retrieve"])
    return cast("Retriever", made)


def check_retriever(name: str) -> None:
    """Checks name and options without making the retriever: that needs no corpus, no server and no model."""
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
"""Questions that are embedded at a time, by an endpoint; the processors share those that are embedded here."""

NAMES_OUTDATED = (
    "documents or names were changed since names were last found: until the corpus is indexed again "
    "(`overstory index`, or Index under Keep on the page), names may be missing, or found that are gone"
)

# By connection and name. Threads that a question starts in a copy of its context share it.
_read: ContextVar[dict[tuple[GraphClient, str], Corpus] | None] = ContextVar("corpora of the question", default=None)


@contextmanager
def one_question() -> Generator[None]:
    """Within it `asked_corpus` reads each corpus once. Inside another question it is a part of that."""
    if _read.get() is not None:
        yield
        return
    token = _read.set({})
    try:
        yield
    finally:
        _read.reset(token)


def forget_asked_corpora() -> None:
    """Makes the question read its corpora again, after something that took seconds."""
    _read.set(None if _read.get() is None else {})


def asked_corpus(graph: GraphClient, name: str, tx: Transaction | None = None, *, again: bool = False) -> Corpus:
    """The corpus as the question has read it; read now where it has not, or where there is no question.

    Args:
        tx: to read it in, where there is one.
        again: read it now, and let the question go on with that.
    """
    known = _read.get()
    if known is None:
        return read_corpus(tx or graph, name)
    if again or (graph, name) not in known:
        known[graph, name] = read_corpus(tx or graph, name)
    return known[graph, name]


def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_QUESTIONS_EMBEDDED_AT_ONCE, thread_name_prefix="question")  # starts threads when used


def no_chat() -> Chat | None:
    """For a retriever that is to work without a language model."""
    return None


@dataclass(frozen=True, slots=True)
class RetrievalContext:
    """The inputs of a retriever.

    Attributes:
        corpus_name: looked up once a question (1 ms), since another process may index meanwhile.
        chat: opens the language model, for retrievers that are better with one; None where there is none.
        extraction: which pipeline reads questions, for retrievers that parse them.
        filters: answers those of questions.
    """

    graph: GraphClient
    corpus_name: str
    embedder: Embedder
    chat: Callable[[], Chat | None] = no_chat
    extraction: ExtractionSettings = field(default_factory=ExtractionSettings)
    filters: MatchingDocuments = field(default_factory=MatchingDocuments)
    _threads: ThreadPoolExecutor = field(default_factory=_threads, init=False, repr=False, compare=False)

    def embedding(self, text: str) -> Future[Vectors]:
        """float32[d]: the vector of a question, made while the caller asks the graph for what needs none. What goes
        wrong with it is raised by `result`."""
        return self._threads.submit(lambda: question_vectors(self.embedder, [text])[0])

    def corpus(self, tx: Transaction | None = None, *, again: bool = False) -> Corpus:
        """Return the corpus of the question; the arguments are those of `asked_corpus`."""
        return asked_corpus(self.graph, self.corpus_name, tx, again=again)

    def corpus_with_vectors(self, tx: Transaction | None = None, *, again: bool = False) -> Corpus:
        """Return the corpus of the question, if it can be asked by meaning."""
        corpus = self.corpus(tx, again=again)
        if not corpus.embedder:
            raise IndexMissing(
                f"Corpus {corpus.name!r} has no vectors yet.",
                remedy=f"Run: {index_command(corpus.name)}, or Knowledge.index() in Python.",
            )
        corpus.check_embedder(self.embedder)
        return corpus


ReadCorpus = Callable[[Transaction], Corpus]
"""Reads the corpus of a question."""


def query_current_corpus(
    context: RetrievalContext,
    doing: str,
    query: Callable[[Transaction, Corpus], T],
    *,
    generation: Callable[[Corpus], int] | None = None,
    read: ReadCorpus | None = None,
) -> T:
    """Run `query` in one transaction on the corpus as the question has read it; again if a vector index was replaced
    meanwhile.

    Args:
        doing: what the server's log calls the transaction ("retrieve/…").
        generation: of the derived nodes that `query` reads, where there are some: also again if another was published
            meanwhile, for these nodes and their indexes are deleted then.
        read: `RetrievalContext.corpus_with_vectors` if left out.
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

    while True:  # ends: a build takes longer than a question
        try:
            found, whole = context.graph.reading(doing, work)
        except StatementFailed:
            if used is None or used == in_use(context.corpus(again=True)):
                raise
            continue
        if whole:
            return found
