"""The connection to one corpus, and what reads and writes it: settings, models, conversation."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace

from overstory import index
from overstory.answer import AnswerReader
from overstory.conversation import KeptConversation
from overstory.display import counted
from overstory.embed import make_embedder
from overstory.errors import DocumentsDisabled, FilterError, SettingsError
from overstory.filters import Where, read_filter
from overstory.filters.expression import Restricted, asks_passages, without_disabled
from overstory.graph import Corpus, GraphClient, Transaction, Writer, create_corpus, read_corpus, writing
from overstory.graph.ids import corpus_label, document_id
from overstory.index import IndexTime
from overstory.index.sections import FINGERPRINT as SECTIONS
from overstory.knowledge.threads import WorkThreads
from overstory.llm import Chat, ChosenModel, Spent
from overstory.progress import OnStep, progress_to
from overstory.protocols import Embedder, Extractor, Progress, Reranker, Retriever
from overstory.rerank import make_reranker
from overstory.retrieve.among import Among
from overstory.retrieve.context import asked_corpus
from overstory.retrieve.matching import Matching, MatchingDocuments
from overstory.settings import ExtractionSettings, Settings
from overstory.systems import Remembers
from overstory.systems.settings import SettingsClass
from overstory.text import make_extractor

_log = logging.getLogger(__name__)


class CorpusConnection:
    """A corpus with its connection, settings and models, each made when it is first needed."""

    def __init__(
        self,
        corpus: str | None = None,
        *,
        uri: str | None = None,
        user: str | None = None,
        password: str | None = None,
        database: str | None = None,
        settings: Settings | None = None,
        progress: Progress | OnStep | None = None,
    ) -> None:
        """Nothing is started, opened or read before it is needed.

        Args:
            corpus: its name; that of the settings if left out, which is "default" unless OVERSTORY_CORPUS says another.
            uri: a Neo4j of your own, like bolt://localhost:7687; the embedded one if neither this nor the settings
                name any.
            user, password, database: at that address; those of the settings if left out.
            settings: what the OVERSTORY_* environment variables say, if left out.
            progress: hears of everything that takes long: a function that is called with each `Step`, in the thread
                that works, or a `Progress`. What it raises ends the work; call again to go on.

        Raises:
            SettingsError: `uri` is no address, there is none for user, password or database, or an environment
                variable has a value that cannot be used.
        """
        self.settings = (settings or Settings.from_environment()).at(
            uri, user=user, password=password, database=database
        )
        self.corpus_name = self.settings.corpus if corpus is None else corpus
        self.progress: Progress = progress_to(progress)
        self.threads = WorkThreads()
        self._graph: GraphClient | None = None
        self._embedder: Embedder | None = None
        self._embedder_name = ""
        self._embedder_is_given = False
        self._extractor: Extractor | None = None
        self._reranker: Reranker | None = None
        self._reader: AnswerReader | None = None
        self._model = ChosenModel(self.settings)
        self._retrievers: dict[str | SettingsClass, Retriever] = {}
        self._learners: list[Remembers] = []
        self._filters = MatchingDocuments()
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
                self._graph = GraphClient.open(self.settings, progress=self.progress)
            return self._graph

    @property
    def embedder(self) -> Embedder:
        """
        Raises:
            ModelError: its files are missing or not what they should be.
        """
        with self._making:
            if self._embedder is None:
                return self._set_embedder(self.settings.embedding.embedder)
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
        return self._model.chat()

    def model_usage(self) -> dict[str, Spent]:
        """What language models were used for by this object so far: usage by stage, {} before the first request. No
        model is opened."""
        chat = self._model.opened()
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
        self._model.choose(name, budget_tokens=budget_tokens)

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
            self._embedder_is_given = self._embedder_is_given or embedder is not None
            self._extractor = extractor or self._extractor
            self._retrievers.clear()  # they hold the embedder

    def share_embedder(self, other: CorpusConnection) -> None:
        """Uses the embedder of another corpus, which is loaded once then, if the settings of both name the same. One of
        `use`, and that which a corpus was switched to, stay.
        """
        if self.settings.embedding != other.settings.embedding:
            return
        made = other.embedder
        with self._making:
            if self._embedder is None and not other._embedder_is_given:
                self._embedder, self._embedder_name = made, other._embedder_name

    @property
    def kept_conversation(self) -> KeptConversation:
        """The last turns that `overstory ask` asked of this corpus."""
        return KeptConversation(self.settings, corpus_label(self.corpus_name))

    def document_id(self, source: str, source_key: str = "") -> str:
        """The id that a document of this origin has in this corpus, whether it is there or not."""
        return document_id(read_corpus(self.graph, self.corpus_name).label, source, source_key)

    def close(self) -> None:
        """Closes the connection if one was opened; the server goes on. A later call opens another.

        What asynchronous calls do is cancelled, and has ended when this returns.
        Answers that could not be remembered yet are written now; a warning says which are lost.
        """
        self.threads.close()
        with self._making:
            self._settle()
            if self._graph is not None:
                self._graph.close()
            self._graph = None
            self._model.close()
            self._retrievers.clear()

    def _matching(self, where: Where | None) -> frozenset[str] | None:
        """The ids of the documents that fulfil a filter; None without one."""
        return None if where is None else self._filtered(where).documents

    def _filtered(self, where: Where) -> Matching:
        asked = read_filter(where)
        if isinstance(asked, Restricted) and read_corpus(self.graph, self.corpus_name).disabled:
            asked = without_disabled(asked)  # others see what is disabled, to enable it
        among = self._among(asked)

        def read(tx: Transaction) -> Matching:
            return among(tx, read_corpus(tx, self.corpus_name)).matching

        return self.graph.reading("retrieve/filter", read)

    def _among(self, where: Where) -> Callable[[Transaction, Corpus], Among]:
        """The documents that fulfil a filter, once there is a transaction."""
        asked = read_filter(where)
        if asks_passages(asked):
            raise FilterError(
                "page and section belong to passages: documents cannot be chosen by them.",
                remedy="Leave them out, or ask a question with this filter.",
            )
        return lambda tx, corpus: Among(tx, corpus, self._filters.of(tx, corpus, asked))

    def _among_enabled(self, where: Where | None) -> Callable[[Transaction, Corpus], Among] | None:
        """As `_among`, without documents that are disabled or half written; None if all documents are meant."""
        asked = None if where is None else read_filter(where)
        if asked_corpus(self.graph, self.corpus_name).hides_documents:
            return self._among(without_disabled(asked))
        return None if asked is None else self._among(asked)

    def _refuse_disabled(self, what: str) -> None:
        """Raises `DocumentsDisabled` while documents are disabled, for what cannot leave them out."""
        disabled = read_corpus(self.graph, self.corpus_name).disabled
        if disabled:
            raise DocumentsDisabled(
                f"{counted(disabled, 'document is', 'documents are')} disabled, and {what} cannot leave them out.",
                remedy="Enable them first: `overstory documents --disabled` lists them, `overstory documents --enable "
                "NAME` enables them, in Python Knowledge.enable_documents.",
            )

    def __repr__(self) -> str:
        where = self.settings.database.uri or "embedded server"
        return f"<Knowledge corpus={self.corpus_name!r} at {where}>"

    def _settle(self) -> None:
        for learner in self._learners if self._graph is not None else ():
            for note in learner.settle(self.graph):
                _log.warning("%s", note)
        self._learners.clear()

    def _check_models(self, *, extracts: bool = False) -> None:
        """Makes the embedder, and the extractor if it is needed, where a server may have to be started: wrong settings
        are said before that. A connection to a server of the user's own takes less time than some models do.
        """
        if self._graph is None and self.settings.database.uri is None:
            _ = self.embedder
            if extracts:
                _ = self.extractor

    def _use_embedder_of(self, corpus: Corpus) -> None:
        """Takes the embedder that the corpus was switched to, in place of that of the settings, which is for new
        corpora. One that `use` was given stays.

        Raises:
            ModelError: it cannot be used here.
        """
        with self._making:
            name = corpus.embedder_name or self.settings.embedding.embedder
            if not self._embedder_is_given and name != self._embedder_name:
                self._set_embedder(name)

    def _set_embedder(self, name: str) -> Embedder:
        """Takes the embedder of this name from now on."""
        with self._making:
            self._embedder = made = make_embedder(replace(self.settings.embedding, embedder=name))
            self._embedder_name, self._embedder_is_given = name, False
            self._retrievers.clear()  # they hold the embedder
            return made

    @contextmanager
    def _writing(self, doing: str) -> Generator[Writer]:
        """The lease of the corpus, which is made if it is not there."""
        self._check_models()
        corpus = create_corpus(self.graph, self.corpus_name, sectioned_by=SECTIONS)
        with self._changing(corpus, doing) as writer:
            self._use_embedder_of(writer.corpus)
            writer.corpus.check_embedder(self.embedder)
            yield writer

    @contextmanager
    def _changing(self, corpus: Corpus, doing: str) -> Generator[Writer]:
        """The lease of a corpus that has no half written document in it."""
        with writing(self.graph, corpus, doing) as writer:
            index.remove_unfinished(writer)
            yield writer

    def _index_time(self, embed: int, extract: int, *, embedder: str = "") -> IndexTime | None:
        """About how long it takes to embed and to extract these numbers of chunks.

        Args:
            embedder: its fingerprint, if that is known without making it.
        """
        if not (embed or extract):
            return None
        return index.estimate_index_time(
            self.graph,
            embed=embed,
            extract=extract,
            embedder=embedder or self.embedder.fingerprint,
            extractor=self.extractor.fingerprint,
            usual=self.settings.extraction.pipeline == ExtractionSettings().pipeline,
        )
