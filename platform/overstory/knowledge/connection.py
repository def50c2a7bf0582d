"""The database connection and models of one corpus, and the base classes of the API parts.

`Knowledge` and `RestrictedKnowledge` forward their methods to parts that share one connection.
"""

from __future__ import annotations

import functools
import logging
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Concatenate, ParamSpec, Self, TypeVar

from overstory.answer import AnswerReader
from overstory.conversation import KeptConversation
from overstory.display import counted
from overstory.embed import make_embedder
from overstory.errors import CorpusNotFound, DocumentsDisabled, FilterError, SettingsError
from overstory.filters import Expression, Where, read_filter
from overstory.filters.expression import Restricted, asks_passages, without_disabled
from overstory.graph import Corpus, GraphClient, Transaction, Writer, create_corpus, read_corpus, writing
from overstory.graph.ids import corpus_label, document_id
from overstory.index import IndexTime
from overstory.index.ledger import estimate_index_time
from overstory.index.removal import RememberedAnswers, remove_unfinished
from overstory.index.sections import FINGERPRINT as SECTIONS
from overstory.knowledge.asynchronous import WorkThreads
from overstory.llm import Chat, ChosenModel, Spent, answer_cache
from overstory.protocols import Embedder, Extractor, Progress, Reranker, Retriever
from overstory.rerank import make_reranker
from overstory.retrieve import RetrievalContext
from overstory.retrieve.among import Among
from overstory.retrieve.context import asked_corpus
from overstory.retrieve.matching_documents import Matching, MatchingDocuments
from overstory.settings import ExtractionSettings, Settings
from overstory.systems import Remembers, check_retriever, make_retriever
from overstory.systems.settings import SettingsClass
from overstory.text import make_extractor

A = TypeVar("A")
P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class Composed:
    """Base class of API objects, such as `Knowledge`, that forward their methods to parts."""

    def __init__(self, connection: CorpusConnection, fixed: Expression | None = None) -> None:
        self._connection = connection
        self._fixed = fixed

    @property
    def threads(self) -> WorkThreads:
        return self._connection.threads


@dataclass(frozen=True)
class CorpusPart:
    """A part of the API of one corpus, such as its searches or its entities.

    Attributes:
        fixed: filter that restricts everything this part reads; None if it may read the whole corpus.
    """

    connection: CorpusConnection
    fixed: Expression | None = None

    @classmethod
    def of(cls, api: Composed) -> Self:
        """Create this part for an API object, with the object's connection and restriction.

        This is not a method of `Composed`, because users of a restricted view could then reach the whole corpus.
        """
        return cls(api._connection, api._fixed)  # pyright: ignore[reportPrivateUsage] # the docstring states why

    @property
    def graph(self) -> GraphClient:
        return self.connection.graph

    @property
    def corpus_name(self) -> str:
        return self.connection.corpus_name

    @property
    def settings(self) -> Settings:
        return self.connection.settings

    @property
    def progress(self) -> Progress:
        return self.connection.progress

    def read(self) -> Corpus:
        return read_corpus(self.graph, self.corpus_name)

    def within(self, where: Where | None) -> Expression | None:
        """Combine the filter with this part's own restriction (`fixed`)."""
        asked = None if where is None else read_filter(where)
        return asked if self.fixed is None else Restricted(self.fixed, asked)

    def matching(self, where: Where | None) -> frozenset[str] | None:
        """Return the ids of the documents that match the filter and the restriction; None if there is neither."""
        asked = self.within(where)
        return None if asked is None else self.filtered(asked).documents

    def filtered(self, asked: Expression) -> Matching:
        if isinstance(asked, Restricted) and self.read().disabled:
            asked = without_disabled(asked)  # only unrestricted users see disabled documents: they can enable them
        among = self._among(asked)

        def read(tx: Transaction) -> Matching:
            return among(tx, read_corpus(tx, self.corpus_name)).matching

        return self.graph.reading("retrieve/filter", read)

    def among_enabled(self, where: Where | None) -> Callable[[Transaction, Corpus], Among] | None:
        """Return a function that finds, within a transaction, the matching documents that are complete and enabled.

        Returns None if all documents of the corpus qualify.
        """
        asked = self.within(where)
        if asked_corpus(self.graph, self.corpus_name).hides_documents:
            return self._among(without_disabled(asked))
        return None if asked is None else self._among(asked)

    def _among(self, asked: Expression) -> Callable[[Transaction, Corpus], Among]:
        if asks_passages(asked):
            raise FilterError(
                "A filter on documents cannot use the keys page and section, which belong to passages.",
                remedy="Remove these keys. A search accepts them.",
            )
        return lambda tx, corpus: Among(tx, corpus, self.connection.filters.of(tx, corpus, asked))


class WholePart(CorpusPart):
    """A part of the API that needs access to the whole corpus, so it cannot be restricted by a filter."""

    def __post_init__(self) -> None:
        if self.fixed is not None:
            raise TypeError(f"{type(self).__name__} needs the whole corpus")

    def refuse_disabled(self, what: str) -> None:
        """Raise `DocumentsDisabled` if any document is disabled.

        Args:
            what: the operation that cannot leave out disabled documents; it appears in the message.
        """
        disabled = self.read().disabled
        if disabled:
            raise DocumentsDisabled(
                f"{counted(disabled, 'document is', 'documents are')} disabled, and {what} cannot skip them.",
                remedy="Enable them first: `overstory documents --disabled` lists them, `overstory documents --enable "
                "NAME` enables them, in Python Knowledge.enable_documents.",
            )


def forwarded(part: Callable[[A], T], method: Callable[Concatenate[T, P], R]) -> Callable[Concatenate[A, P], R]:
    """Return a method that calls `method` on a part of the API; it has the same signature and docstring."""

    @functools.wraps(method)
    def called(self: A, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return method(part(self), *args, **kwargs)

    return called


_log = logging.getLogger(__name__)


class CorpusConnection:
    """The settings, database connection and models of a corpus. The parts of the API share them.

    The connection and each model are created on first use.

    Attributes:
        client: class that opens the database connection.
        learners: systems that remember answers which are not stored yet.
    """

    def __init__(self, corpus: str | None, settings: Settings, progress: Progress) -> None:
        self.settings = settings
        self.corpus_name = settings.corpus if corpus is None else corpus
        self.progress = progress
        self.threads = WorkThreads()
        self.client: type[GraphClient] = GraphClient
        self.model = ChosenModel(settings)
        self.filters = MatchingDocuments()
        self.learners: list[Remembers] = []
        self.embedder_name = ""
        """Name from which the embedder was created; "" if it was set with `use`, or has not been created yet."""
        self.embedder_is_given = False
        self._graph: GraphClient | None = None
        self._embedder: Embedder | None = None
        self._extractor: Extractor | None = None
        self._reranker: Reranker | None = None
        self._reader: AnswerReader | None = None
        self._retrievers: dict[str | SettingsClass, Retriever] = {}
        self._making = threading.RLock()  # held while a model is created, so that it is created only once
        self._connecting = threading.RLock()  # a separate lock, so that models can load while the database connects

    @property
    def graph(self) -> GraphClient:
        """The database connection. First use starts the embedded server if no other server is configured.

        Raises:
            ServerError, DatabaseError: no server is available; the error's remedy states what to do.
        """
        with self._connecting:
            if self._graph is None:
                self._graph = self.client.open(self.settings, progress=self.progress)
            return self._graph

    @property
    def embedder(self) -> Embedder:
        """The embedder, created on first use.

        Raises:
            ModelError: the embedder's files are missing or damaged.
        """
        with self._making:
            if self._embedder is None:
                return self.set_embedder(self.settings.embedding.embedder)
            return self._embedder

    @property
    def extractor(self) -> Extractor:
        """The extractor, created on first use.

        Raises:
            ModelError: the spaCy pipeline is not installed.
        """
        with self._making:
            if self._extractor is None:
                self._extractor = make_extractor(self.settings.extraction)
            return self._extractor

    @property
    def reranker(self) -> Reranker:
        """The reranker, created on first use.

        Raises:
            ModelError: no reranker is configured, or its settings are invalid.
        """
        with self._making:
            if self._reranker is None:
                self._reranker = make_reranker(self.settings.rerank)
            return self._reranker

    def chat(self) -> Chat | None:
        """Return the language model chosen with `use_model` or in the settings; None if no model is configured.

        The model is opened once and then reused.

        Raises:
            LlmError, ExtraMissing, ModelError: the language model cannot be opened.
        """
        return self.model.chat()

    def model_usage(self) -> dict[str, Spent]:
        """Return the language model usage of this object, by stage. It is empty before the first request."""
        chat = self.model.opened()
        return {} if chat is None else chat.usage.by_stage

    def use_model(self, name: str | None = None, *, budget_tokens: int | None = None) -> None:
        """Choose the language model for answers and retrievers. The model is opened on first use.

        Args:
            name: "local", or the name of a model at the configured endpoint. "none" means that no model is used; None
                means the model in the settings.
            budget_tokens: token budget for all requests together, including those of `index`. A request that could
                exceed the budget is not sent.

        Raises:
            SettingsError: the budget is negative.
        """
        if budget_tokens is not None and budget_tokens < 0:
            raise SettingsError(
                f"budget_tokens must not be negative, got {budget_tokens}.",
                remedy="Use 0 or more, or None for no limit.",
            )
        self.model.choose(name, budget_tokens=budget_tokens)

    def use(
        self,
        *,
        embedder: Embedder | None = None,
        extractor: Extractor | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        """Replace the configured embedder, extractor or reranker, for example with one that several corpora share."""
        with self._making:
            self._reranker = reranker or self._reranker
            self._embedder = embedder or self._embedder
            self.embedder_is_given = self.embedder_is_given or embedder is not None
            self._extractor = extractor or self._extractor
            self._retrievers.clear()  # cached retrievers use the old embedder

    def share_embedder(self, other: CorpusConnection) -> None:
        if self.settings.embedding != other.settings.embedding:
            return
        made = other.embedder
        with self._making:
            if self._embedder is None and not other.embedder_is_given:
                self._embedder, self.embedder_name = made, other.embedder_name

    @property
    def kept_conversation(self) -> KeptConversation:
        """The last turns of `overstory ask` on this corpus."""
        return KeptConversation(self.settings, corpus_label(self.corpus_name))

    def remembered_answers(self) -> RememberedAnswers:
        """Return the caches of answers that quote passages. When a passage is deleted, such answers must be, too."""
        return RememberedAnswers(answer_cache(self.settings), self.kept_conversation.forget_passages)

    def document_id(self, source: str, source_key: str = "") -> str:
        """Return the id of the document with this source and key, whether or not the corpus contains the document."""
        return document_id(read_corpus(self.graph, self.corpus_name).label, source, source_key)

    def close(self) -> None:
        self.threads.close()
        with self._making:
            for learner in self.learners if self._graph is not None else ():
                for note in learner.settle(self.graph):
                    _log.warning("%s", note)
            self.learners.clear()
            if self._graph is not None:
                self._graph.close()
            self._graph = None
            self.model.close()
            self._retrievers.clear()

    def check_models(self, *, extracts: bool = False) -> None:
        """Create the models before an embedded server is started, so that invalid settings fail early.

        If the user runs a server, nothing is created, because connecting to it is faster than loading some models.
        """
        if self._graph is None and self.settings.database.uri is None:
            _ = self.embedder
            if extracts:
                _ = self.extractor

    def use_embedder_of(self, corpus: Corpus) -> None:
        """If the corpus was switched to another embedder than the configured one, use that embedder from now on.

        An embedder set with `use` is kept.

        Raises:
            ModelError: the embedder cannot be used on this machine.
        """
        with self._making:
            name = corpus.embedder_name or self.settings.embedding.embedder
            if not self.embedder_is_given and name != self.embedder_name:
                self.set_embedder(name)

    def set_embedder(self, name: str) -> Embedder:
        """Create the embedder with this name, and use it from now on."""
        with self._making:
            self._embedder = made = make_embedder(replace(self.settings.embedding, embedder=name))
            self.embedder_name, self.embedder_is_given = name, False
            self._retrievers.clear()  # cached retrievers use the old embedder
            return made

    def made_reader(self) -> AnswerReader:
        """Return the reader that answers questions without a language model. One reader is created per embedder."""
        with self._making:
            if self._reader is None or self._reader.embedder is not self.embedder:
                self._reader = AnswerReader(self.embedder, self.settings.extraction.pipeline)
            return self._reader

    def made_retriever(self, name: str | SettingsClass) -> tuple[RetrievalContext, Retriever]:
        """Return a retriever and the context it was created with. The retriever is created once and then reused."""
        with self._making:
            if name not in self._retrievers:
                check_retriever(name)  # raises an error for an invalid name before a server is started
            context = self.retrieval_context()  # this clears the cache if the embedder of the corpus changed
            if name not in self._retrievers:
                self._retrievers[name] = make_retriever(name, context)
            return context, self._retrievers[name]

    def retrieval_context(self) -> RetrievalContext:
        self.check_models()
        return RetrievalContext(
            self.graph,
            self.corpus_name,
            self.own_embedder(),
            self.model.chat,
            self.settings.extraction,
            self.filters,
        )

    def own_embedder(self) -> Embedder:
        """Return the embedder of the corpus; if the corpus does not exist, the embedder that is used at present."""
        with suppress(CorpusNotFound):
            self.use_embedder_of(asked_corpus(self.graph, self.corpus_name))
        return self.embedder

    @contextmanager
    def writing(self, doing: str) -> Generator[Writer]:
        """Hold the writer lease of the corpus during a `with` block. A missing corpus is created first."""
        self.check_models()
        corpus = create_corpus(self.graph, self.corpus_name, sectioned_by=SECTIONS)
        with self.changing(corpus, doing) as writer:
            self.use_embedder_of(writer.corpus)
            writer.corpus.check_embedder(self.embedder)
            yield writer

    @contextmanager
    def changing(self, corpus: Corpus, doing: str) -> Generator[Writer]:
        """Hold the writer lease of a corpus during a `with` block.

        If an interrupted run left an unfinished document, that document is removed first.
        """
        with writing(self.graph, corpus, doing) as writer:
            remove_unfinished(writer)
            yield writer

    def index_time(self, embed: int, extract: int, *, embedder: str = "") -> IndexTime | None:
        """Estimate the time needed to embed `embed` chunks and to extract facts from `extract` chunks.

        Args:
            embedder: fingerprint of the embedder; if "", the embedder is created to get its fingerprint.
        """
        if not (embed or extract):
            return None
        return estimate_index_time(
            self.graph,
            embed=embed,
            extract=extract,
            embedder=embedder or self.embedder.fingerprint,
            extractor=self.extractor.fingerprint,
            usual=self.settings.extraction.pipeline == ExtractionSettings().pipeline,
        )
