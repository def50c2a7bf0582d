"""The connection to one corpus, its models, and how the API is composed: `Knowledge` and `RestrictedKnowledge` forward
their methods to parts, which share a connection."""

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
    """An API whose methods are those of parts."""

    def __init__(self, connection: CorpusConnection, fixed: Expression | None = None) -> None:
        self._connection = connection
        self._fixed = fixed

    @property
    def threads(self) -> WorkThreads:
        """The threads in which asynchronous calls work."""
        return self._connection.threads


@dataclass(frozen=True)
class CorpusPart:
    """A part of the API of a corpus.

    Attributes:
        fixed: a filter that holds for all that is read; None for the whole corpus.
    """

    connection: CorpusConnection
    fixed: Expression | None = None

    @classmethod
    def of(cls, api: Composed) -> Self:
        """Return the part over the same documents. No method of `Composed`: from a part of a corpus it leads to the
        whole."""
        return cls(api._connection, api._fixed)  # pyright: ignore[reportPrivateUsage] # as said

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
        """A filter, narrowed to what this part may read."""
        asked = None if where is None else read_filter(where)
        return asked if self.fixed is None else Restricted(self.fixed, asked)

    def matching(self, where: Where | None) -> frozenset[str] | None:
        """The ids of the documents that fulfil a filter; None if all documents are meant."""
        asked = self.within(where)
        return None if asked is None else self.filtered(asked).documents

    def filtered(self, asked: Expression) -> Matching:
        if isinstance(asked, Restricted) and self.read().disabled:
            asked = without_disabled(asked)  # others see what is disabled, to enable it
        among = self._among(asked)

        def read(tx: Transaction) -> Matching:
            return among(tx, read_corpus(tx, self.corpus_name)).matching

        return self.graph.reading("retrieve/filter", read)

    def among_enabled(self, where: Where | None) -> Callable[[Transaction, Corpus], Among] | None:
        """The documents that fulfil a filter and are neither disabled nor half written, once there is a transaction;
        None if all documents are meant."""
        asked = self.within(where)
        if asked_corpus(self.graph, self.corpus_name).hides_documents:
            return self._among(without_disabled(asked))
        return None if asked is None else self._among(asked)

    def _among(self, asked: Expression) -> Callable[[Transaction, Corpus], Among]:
        if asks_passages(asked):
            raise FilterError(
                "page and section belong to passages: documents cannot be chosen by them.",
                remedy="Leave them out, or ask a question with this filter.",
            )
        return lambda tx, corpus: Among(tx, corpus, self.connection.filters.of(tx, corpus, asked))


class WholePart(CorpusPart):
    """A part of the API that cannot leave documents out."""

    def __post_init__(self) -> None:
        if self.fixed is not None:
            raise TypeError(f"{type(self).__name__} needs the whole corpus")

    def refuse_disabled(self, what: str) -> None:
        """Raises `DocumentsDisabled` while documents are disabled."""
        disabled = self.read().disabled
        if disabled:
            raise DocumentsDisabled(
                f"{counted(disabled, 'document is', 'documents are')} disabled, and {what} cannot leave them out.",
                remedy="Enable them first: `overstory documents --disabled` lists them, `overstory documents --enable "
                "NAME` enables them, in Python Knowledge.enable_documents.",
            )


def forwarded(part: Callable[[A], T], method: Callable[Concatenate[T, P], R]) -> Callable[Concatenate[A, P], R]:
    """Return a method that calls `method` of a part of the API, with its signature and docstring."""

    @functools.wraps(method)
    def called(self: A, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return method(part(self), *args, **kwargs)

    return called


_log = logging.getLogger(__name__)


class CorpusConnection:
    """A corpus with its connection, settings and models, each made when it is first needed. Parts of the API share it.

    Attributes:
        client: opens the database.
        filters: answers the filters of questions.
        learners: systems that learnt from answers, and have not stored that yet.
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
        """The name by which the embedder was made; "" if it is given or not made yet."""
        self.embedder_is_given = False
        self._graph: GraphClient | None = None
        self._embedder: Embedder | None = None
        self._extractor: Extractor | None = None
        self._reranker: Reranker | None = None
        self._reader: AnswerReader | None = None
        self._retrievers: dict[str | SettingsClass, Retriever] = {}
        self._making = threading.RLock()  # each of these is made once, whoever asks first
        self._connecting = threading.RLock()  # models are loaded meanwhile

    @property
    def graph(self) -> GraphClient:
        """The connection; starts the embedded server if no other is set.

        Raises:
            ServerError, DatabaseError: no server is available; the remedy says what to do.
        """
        with self._connecting:
            if self._graph is None:
                self._graph = self.client.open(self.settings, progress=self.progress)
            return self._graph

    @property
    def embedder(self) -> Embedder:
        """
        Raises:
            ModelError: its files are missing or not what they should be.
        """
        with self._making:
            if self._embedder is None:
                return self.set_embedder(self.settings.embedding.embedder)
            return self._embedder

    @property
    def extractor(self) -> Extractor:
        """
        Raises:
            ModelError: the spaCy pipeline is not installed.
        """
        with self._making:
            if self._extractor is None:
                self._extractor = make_extractor(self.settings.extraction)
            return self._extractor

    @property
    def reranker(self) -> Reranker:
        """
        Raises:
            ModelError: none is set, or its settings cannot be used.
        """
        with self._making:
            if self._reranker is None:
                self._reranker = make_reranker(self.settings.rerank)
            return self._reranker

    def chat(self) -> Chat | None:
        """The language model that `use_model` or the settings name, opened once; None where they name none.

        Raises:
            LlmError, ExtraMissing, ModelError: it cannot be opened.
        """
        return self.model.chat()

    def model_usage(self) -> dict[str, Spent]:
        """What language models were used for by this object so far: usage by stage, {} before the first request. No
        model is opened."""
        chat = self.model.opened()
        return {} if chat is None else chat.usage.by_stage

    def use_model(self, name: str | None = None, *, budget_tokens: int | None = None) -> None:
        """Names the language model that answers and retrievers use from now on. Nothing is opened yet.

        Args:
            name: "local", or one that the endpoint of the settings knows; "none" for none; None for the settings' own.
            budget_tokens: no request is sent that might go over it, all of them together, those of `index` included.

        Raises:
            SettingsError: a budget below 0.
        """
        if budget_tokens is not None and budget_tokens < 0:
            raise SettingsError(
                f"The budget is {budget_tokens} tokens.", remedy="Give 0 or more, or None for no limit."
            )
        self.model.choose(name, budget_tokens=budget_tokens)

    def use(
        self,
        *,
        embedder: Embedder | None = None,
        extractor: Extractor | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        """Uses this embedder, extractor or reranker instead of the configured one: one of your own, or one that several
        corpora share."""
        with self._making:
            self._reranker = reranker or self._reranker
            self._embedder = embedder or self._embedder
            self.embedder_is_given = self.embedder_is_given or embedder is not None
            self._extractor = extractor or self._extractor
            self._retrievers.clear()  # they hold the embedder

    def share_embedder(self, other: CorpusConnection) -> None:
        if self.settings.embedding != other.settings.embedding:
            return
        made = other.embedder
        with self._making:
            if self._embedder is None and not other.embedder_is_given:
                self._embedder, self.embedder_name = made, other.embedder_name

    @property
    def kept_conversation(self) -> KeptConversation:
        """The last turns that `overstory ask` asked of this corpus."""
        return KeptConversation(self.settings, corpus_label(self.corpus_name))

    def remembered_answers(self) -> RememberedAnswers:
        """The answers that quote passages, to be forgotten with these."""
        return RememberedAnswers(answer_cache(self.settings), self.kept_conversation.forget_passages)

    def document_id(self, source: str, source_key: str = "") -> str:
        """The id that a document of this origin has in this corpus, whether it is there or not."""
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
        """Makes the embedder, and the extractor if it is needed, where a server may have to be started: wrong settings
        are said before that. A connection to a server of the user's own takes less time than some models do.
        """
        if self._graph is None and self.settings.database.uri is None:
            _ = self.embedder
            if extracts:
                _ = self.extractor

    def use_embedder_of(self, corpus: Corpus) -> None:
        """Takes the embedder that the corpus was switched to, in place of that of the settings, which is for new
        corpora. One that `use` was given stays.

        Raises:
            ModelError: it cannot be used here.
        """
        with self._making:
            name = corpus.embedder_name or self.settings.embedding.embedder
            if not self.embedder_is_given and name != self.embedder_name:
                self.set_embedder(name)

    def set_embedder(self, name: str) -> Embedder:
        """Takes the embedder of this name from now on."""
        with self._making:
            self._embedder = made = make_embedder(replace(self.settings.embedding, embedder=name))
            self.embedder_name, self.embedder_is_given = name, False
            self._retrievers.clear()  # they hold the embedder
            return made

    def made_reader(self) -> AnswerReader:
        """The reader of answers without a language model, made once for each embedder."""
        with self._making:
            if self._reader is None or self._reader.embedder is not self.embedder:
                self._reader = AnswerReader(self.embedder, self.settings.extraction.pipeline)
            return self._reader

    def made_retriever(self, name: str | SettingsClass) -> tuple[RetrievalContext, Retriever]:
        """A retriever, made once, with the context that it was made from."""
        with self._making:
            if name not in self._retrievers:
                check_retriever(name)  # before a server is started for it
            context = self.retrieval_context()  # drops retrievers whose corpus was switched to another embedder
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
        """The embedder of the corpus. If there is no corpus, that is raised where it is read."""
        with suppress(CorpusNotFound):
            self.use_embedder_of(asked_corpus(self.graph, self.corpus_name))
        return self.embedder

    @contextmanager
    def writing(self, doing: str) -> Generator[Writer]:
        """The lease of the corpus, which is made if it is not there."""
        self.check_models()
        corpus = create_corpus(self.graph, self.corpus_name, sectioned_by=SECTIONS)
        with self.changing(corpus, doing) as writer:
            self.use_embedder_of(writer.corpus)
            writer.corpus.check_embedder(self.embedder)
            yield writer

    @contextmanager
    def changing(self, corpus: Corpus, doing: str) -> Generator[Writer]:
        """The lease of a corpus that has no half written document in it."""
        with writing(self.graph, corpus, doing) as writer:
            remove_unfinished(writer)
            yield writer

    def index_time(self, embed: int, extract: int, *, embedder: str = "") -> IndexTime | None:
        """About how long it takes to embed and to extract these numbers of chunks.

        Args:
            embedder: its fingerprint, if that is known without making it.
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
