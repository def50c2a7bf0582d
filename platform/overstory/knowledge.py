"""The API: one corpus, from documents to evidence. Every command and every integration goes through it.

Source of truth is the graph. A `Knowledge` holds a connection, an embedder and an extractor, each made when it is first
needed, and copies of parts of the graph that questions use while they are of the version of the corpus; several may be
open on one corpus, in one process or many.

Every method blocks until it is done; in asynchronous code call it in a thread: `await asyncio.to_thread(…)`.
"""

from __future__ import annotations

import functools
import itertools
import logging
import threading
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from overstory import index, sources, transfer
from overstory.answer import (
    CONTEXT_TOKENS,
    USUAL,
    Answer,
    AnswerReader,
    Context,
    Extract,
    OnText,
    answer,
    extract,
)
from overstory.answer.kinds import READ as THINGS_READ
from overstory.answer.overview import things_in
from overstory.conversation import Conversation, KeptConversation
from overstory.display import counted, data_frame
from overstory.embed import make_embedder
from overstory.errors import (
    BrokenSource,
    CorpusError,
    CorpusNotFound,
    ModelError,
    OverstoryError,
    QuestionError,
    SettingsError,
    SourceError,
    SourcesEmpty,
)
from overstory.graph import (
    Corpus,
    CorpusSize,
    GraphClient,
    Transaction,
    Writer,
    batches,
    create_corpus,
    list_corpora,
    read_corpus,
    writing,
)
from overstory.graph.ids import corpus_label, document_id
from overstory.index import (
    BoilerplateBlock,
    Changes,
    CorpusStatus,
    IndexReport,
    IndexTime,
    ListedName,
    LoadReport,
    OnChange,
    RememberedAnswers,
    StoredDocument,
    StoredNameEdit,
    StoredVocabulary,
    VocabularyChange,
)
from overstory.index.sections import FINGERPRINT as SECTIONS
from overstory.llm import Chat, ChosenModel, Estimate, answer_cache, record_usage
from overstory.model import Evidence, Loaded
from overstory.model.communities import CommunityTree
from overstory.model.community_reports import CommunityReports, FullReport
from overstory.model.entity_paths import EntityPaths
from overstory.progress import OnStep, progress_to
from overstory.protocols import Embedder, Extractor, OnBroken, Progress, Reranker, Retriever
from overstory.rerank import make_reranker
from overstory.retrieve import RetrievalContext
from overstory.retrieve.asked_edges import with_asked_edges
from overstory.retrieve.entity_paths import find_paths
from overstory.retrieve.graph_copies import GraphCopies
from overstory.retrieve.hits import with_hits
from overstory.retrieve.marks import with_marks
from overstory.retrieve.name_checks import check_edits
from overstory.retrieve.question import check_question
from overstory.retrieve.repeats import MOST_HITS, Group, Repeats, WithRepeats, read_repeats, search_distinct
from overstory.retrieve.reranked import Reranked
from overstory.retrieve.several_ways import SeveralWays, needed_chat
from overstory.settings import DEFAULT_RETRIEVER, ExtractionSettings, Settings
from overstory.sources import InMemory
from overstory.systems import (
    BuildContext,
    CorpusMemory,
    LearningRun,
    Remembers,
    SystemReport,
    all_wishes,
    check_retriever,
    find_learner,
    find_system,
    installed_systems,
    lifecycle,
    make_retriever,
    missing_systems,
    on_all,
    remembered,
    systems_of,
    vector_indexes,
    when_asking,
    wishes,
)
from overstory.systems.settings import SettingsClass
from overstory.systems.tree.report_view import view_report, view_reports
from overstory.systems.tree.view import view_tree
from overstory.text import entity_key, make_extractor
from overstory.text.names.edits import NameEdit
from overstory.text.names.keys import key_words
from overstory.text.names.vocabulary import read_vocabulary
from overstory.text.parsing.parsed_texts import ParsedTexts
from overstory.text.questions.follow_up import Turn
from overstory.text.questions.kinds import kind_asked_for
from overstory.text.questions.whole_corpus import asks_about_whole_corpus

if TYPE_CHECKING:
    import pandas

_log = logging.getLogger(__name__)

ASKING = "ask"
"""The usage label of a language model's answers."""
MOST_BLOCKS = 1_000
MOST_NAMES = 50
MOST_PATHS = 100
MOST_STEPS = 6
ANNOTATIONS_A_BATCH = 100
NOTHING_TO_IMPROVE = "nothing to cluster again: no system of this corpus has changes that were added without clustering"
DOCUMENT_COLUMNS = ("id", "source", "source_key", "title", "chunks")


@dataclass(frozen=True, slots=True)
class ExportReport:
    """The result of an export: how many documents, and the digest of the corpus."""

    documents: int
    digest: str


class Knowledge:
    """One corpus. Use it in a `with` block, or call `close`. Safe to share between threads.

    A method that changes the corpus says `WriterBusy` while another one does; searches never wait.
    """

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
        self._graph: GraphClient | None = None
        self._close_graph: Callable[[], object] | None = None
        self._embedder: Embedder | None = None
        self._extractor: Extractor | None = None
        self._reranker: Reranker | None = None
        self._reader: AnswerReader | None = None
        self._model = ChosenModel(self.settings)
        self._retrievers: dict[str | SettingsClass, Retriever] = {}
        self._learners: list[Remembers] = []
        self._copies = GraphCopies(self.settings.retrieval_megabytes * 1_000_000)
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
                self._close_graph = weakref.finalize(self, self._graph.close)  # where nobody calls `close`
            return self._graph

    @property
    def embedder(self) -> Embedder:
        """
        Raises:
            ModelError: its files are missing or not what they should be.
        """
        with self._making:
            if self._embedder is None:
                self._embedder = make_embedder(self.settings.embedding)
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

    @property
    def memory(self) -> CorpusMemory:
        """What systems remember of answers (`ask` with `remember`), to look at, delete and take along."""
        return CorpusMemory(lambda: self.graph, self.corpus_name, lambda: self.embedder)

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
            self._extractor = extractor or self._extractor
            self._retrievers.clear()  # they hold the embedder

    def ingest(
        self,
        paths: str | Path | Sequence[str | Path],
        *,
        loader: str | None = None,
        strict: bool = False,
        sync: bool = False,
        allow_empty: bool = False,
        on_change: OnChange | None = None,
        keep_boilerplate: bool | None = None,
        from_uri: str | None = None,
    ) -> LoadReport:
        """Loads files, folders and graphs in Neo4j databases. The same content twice changes nothing; changed content
        replaces the old.

        Args:
            paths: one, or several.
            loader: the name of a loader; found by the source itself if left out.
            strict: stop at the first broken source instead of skipping it.
            sync: also delete the documents of these paths that are no longer there to read. Those that may be there,
                though they were not read, stay (`LoadReport.kept`). A document that moved keeps its vectors, mentions
                and facts. Annotations are written after all documents.
            allow_empty: with `sync`, also delete the documents of paths that are missing or empty, which may be a disk
                that is not mounted.
            on_change: called at the end for each document that was added, changed, moved or removed.
            keep_boilerplate: whether blocks that most documents of a folder repeat are kept in names, vectors and
                answers of this corpus, from now on; as before if left out, and at first they are left out.
            from_uri: the Neo4j that a source like "neo4j:Movie?key=title" is read from; the one of the settings if left
                out, and without it the one of the corpus.

        Raises:
            BrokenSource: `strict`, and something cannot be read.
            LoaderNotFound: no loader has this name, or none knows a file that was named.
            SourcesEmpty: `sync` without `allow_empty`, and the corpus has documents of these paths, but nothing is left
                to read; nothing was changed.
            SourceError: `sync` with a file of an export.
            EmbedderMismatch, WriterBusy, LeaseLost, DatabaseError: what was committed before stays; call again to go
                on.
        """
        report, coverage = LoadReport(), sources.Coverage()
        on_broken = _on_broken(report, strict=strict)
        named, paths_to_read = transfer.separate_exports(_listed(paths))
        if sync and named:
            raise SourceError(
                f"{named[0]} is an export; its documents are those of another corpus, not of this file.",
                remedy="Restore it without syncing.",
            )
        exports = transfer.usable_exports(named, on_broken)
        documents = sources.read_sources(
            paths_to_read,
            loader=loader,
            on_broken=on_broken,
            on_skipped=report.skipped.append,
            installed=sources.catalogue(settings=self.settings.reading_from(from_uri)),
            coverage=coverage,
        )
        first = list(itertools.islice(documents, 1))  # what cannot be read at all makes no corpus
        report.hidden = coverage.hidden
        if not exports and not first and not (sync and self._is_in_corpus(coverage, allow_empty=allow_empty)):
            return report
        answers = self._remembered_answers()
        with self._writing("ingest") as writer, Changes() as changes:
            if keep_boilerplate is not None:
                index.keep_boilerplate(writer, keep=keep_boilerplate)
            for export in exports:
                transfer.restore_file(
                    writer, export, report=report, answers=answers, on_broken=on_broken, progress=self.progress
                )
            if exports:
                index.sync_boilerplate(writer, progress=self.progress)
                index.sync_vectors(writer, dimension=self.embedder.dimension)
                index.sync_entities(writer, progress=self.progress)
                index.sync_mentions_if_extracted(writer, progress=self.progress)
            if first:
                read = itertools.chain(first, documents)
                loaded = changes.without_annotations(read) if sync else read
                unstorable = _on_unstorable(coverage, on_broken)
                self._load(writer, loaded, report, answers, unstorable, changes, coverage)
            index.note_vanished(self.graph, writer.corpus, coverage, changes, report, allow_empty=allow_empty)
            if sync:
                self._remove_vanished(writer, changes, report, answers, on_broken)
            _count_vanished(report, changes, sync=sync)
            report.hidden = coverage.hidden
            report.unresolved = index.link_counts(self.graph, writer.corpus.label)["unresolved"]
            report.in_corpus = index.count_documents(self.graph, writer.corpus)
            _tell(changes, on_change, sync=sync)
        return report

    def ingest_documents(self, documents: InMemory | Iterable[InMemory], *, strict: bool = False) -> LoadReport:
        """Loads documents from memory: texts, or `Document`s with a source, a key and a title of their own.

        A text is known by its content: the same one twice changes nothing. A `Document` is known by source and key, and
        replaces the one that has them. A `Link` belongs to the document that it starts from: a call replaces the links
        that its documents had, also of those that it has no links of.

        Args:
            documents: one, or several.
            strict: stop at the first that cannot be stored instead of skipping it.

        Raises:
            SourceError: something is neither a text nor a document; those before it may be stored.
            BrokenSource: `strict`, and a document cannot be stored.
            EmbedderMismatch, WriterBusy, LeaseLost, DatabaseError: what was committed before stays.
        """
        report = LoadReport()
        in_memory = sources.in_memory_documents(documents)
        first = list(itertools.islice(in_memory, 1))  # what cannot be loaded at all makes no corpus
        with self._writing("ingest") as writer:
            on_broken = _on_broken(report, strict=strict)
            self._load(writer, itertools.chain(first, in_memory), report, self._remembered_answers(), on_broken)
            report.unresolved = index.link_counts(self.graph, writer.corpus.label)["unresolved"]
            report.in_corpus = index.count_documents(self.graph, writer.corpus)
        return report

    def preview(
        self,
        paths: str | Path | Sequence[str | Path],
        *,
        loader: str | None = None,
        strict: bool = False,
        sync: bool = False,
        allow_empty: bool = False,
        on_change: OnChange | None = None,
        from_uri: str | None = None,
    ) -> LoadReport:
        """Reports what `ingest` would do, without doing it; restoring exports is not previewed.

        Everything is read, and what is new or changed is cut into chunks, to say how many there are and about how long
        indexing them would take (`LoadReport.index_time`).

        Args:
            on_change: called at the end for each document that would be added, changed, moved or removed.
            from_uri: as for `ingest`.

        Raises:
            SourceError, EmbedderMismatch, ModelError, DatabaseError: as `ingest`.
        """
        report, coverage = LoadReport(), sources.Coverage()
        exports, paths_to_read = transfer.separate_exports(_listed(paths))
        if exports:
            raise SourceError(
                f"{exports[0]} is an export; what restoring it would do cannot be previewed.",
                remedy="Restore it into a corpus of its own: --corpus NAME",
            )
        on_broken = _on_broken(report, strict=strict)
        documents = sources.read_sources(
            paths_to_read,
            loader=loader,
            on_broken=on_broken,
            on_skipped=report.skipped.append,
            installed=sources.catalogue(settings=self.settings.reading_from(from_uri)),
            coverage=coverage,
        )
        first = list(itertools.islice(documents, 1))  # a wrong loader is said before a server is started
        self._check_models()
        corpus = self._corpus_if_there()
        if corpus is not None:
            corpus.check_embedder(self.embedder)
        if sync and not first:
            self._is_in_corpus(coverage, allow_empty=allow_empty)
        with Changes() as changes:
            index.preview(
                self.graph,
                corpus,
                itertools.chain(first, documents),
                self.embedder,
                label=corpus_label(self.corpus_name),
                report=report,
                on_broken=_on_unstorable(coverage, on_broken),
                on_read=changes.note_read,
                progress=self.progress,
                is_partly_read=coverage.is_partly_read,
            )
            stored = 0
            if corpus is not None:
                index.note_vanished(self.graph, corpus, coverage, changes, report, allow_empty=allow_empty)
                stored = index.count_documents(self.graph, corpus)
            _count_vanished(report, changes, sync=sync)
            report.hidden = coverage.hidden
            report.chunks -= changes.moved_chunks if sync else 0  # what was found in them is kept
            report.index_time = self._index_time(report.chunks, report.chunks)
            report.in_corpus = stored + report.added - report.removed
            _tell(changes, on_change, sync=sync)
        return report

    def index(
        self,
        *,
        re_embed: bool = False,
        rebuild_indexes: bool = False,
        systems: str | SettingsClass | Sequence[str | SettingsClass] = (),
        model: str | None = None,
        improve: bool = False,
    ) -> IndexReport:
        """Brings the index up to date: vectors, mentions, facts, relationships. Runs only steps whose input changed.

        Args:
            re_embed: change to the embedder of the settings where the corpus has another one's vectors.
            rebuild_indexes: first drop the database's indexes over vectors, words and names, those of systems included,
                and make them again. Searches by meaning scan all vectors meanwhile, others may fail and say why.
            systems: also build what these systems need, and so does every later run: their names, with options
                after a colon ("NAME:option=value"), or the settings object of one. They are
                checked before anything is done.
            model: the language model that these systems read with, as `use_model` names it; "none" for none. Without
                it they keep to what they were built with, which at first is none: an index costs nothing unasked.
            improve: systems that added changes to communities they had, without clustering again, now cluster the whole
                again (`SystemReport.notes` says which did); takes as long as their first build, without the embedding.

        Raises:
            SettingsError: there is no such system, or it has no such option.
            CorpusNotFound: nothing was loaded yet.
            GdsMissing, ExtraMissing: one of `systems` needs what the server or this environment lacks; of others that
                the corpus has, a note says so.
            LlmError, BudgetExhausted: of a system's language model.
            EmbedderMismatch, ModelError, WriterBusy, LeaseLost, DatabaseError: what was committed before stays;
                call again to go on.
        """
        wished = wishes(systems, model)
        self._check_models(extracts=True)
        with writing(self.graph, read_corpus(self.graph, self.corpus_name), "index") as writer:
            wanted = all_wishes(writer.corpus, wished, model)
            for wish in wished.values():
                wish.require(self.graph, writer.corpus)
            if rebuild_indexes:
                self._rebuild_indexes(writer)
            readings = [each for wish in wanted.values() for each in wish.readings(writer.corpus)]
            try:
                with ParsedTexts(self.settings.places.cache, readings) as parsed:
                    report = index.build_index(
                        writer,
                        self.embedder,
                        self.extractor,
                        replace_vectors=re_embed,
                        progress=self.progress,
                        parsed=parsed,
                    )
                    context = replace(self._build_context(), parsed=parsed)
                    built = {
                        name: lifecycle.build(writer, wish, context, asked=name in wished, improve=improve)
                        for name, wish in wanted.items()
                    }
            except KeyboardInterrupt:
                with suppress(OverstoryError):  # the interruption matters more
                    lifecycle.remember(writer, wanted.values())
                raise
            gone = [
                f"the index of the system {name!r} was not brought up to date: its package is not installed"
                for name in missing_systems(writer.corpus)
            ]
        idle = [NOTHING_TO_IMPROVE] if improve and not any(system.improvable for system in built.values()) else []
        notes = (*(note for system in built.values() for note in system.notes), *gone, *idle)
        did = [*(["indexes"] if rebuild_indexes else []), *report.done]
        did += [name for name, outcome in built.items() if outcome.something]
        return replace(report, done=tuple(did), notes=notes)

    def estimate_index(
        self, systems: str | SettingsClass | Sequence[str | SettingsClass] = (), *, model: str | None = None
    ) -> Estimate:
        """An upper bound on what `index` would ask of a language model for these systems, by default those of the
        corpus. Nothing is sent or written.

        Raises:
            SettingsError, CorpusNotFound, LlmError, ModelError, DatabaseError: as `index`.
        """
        wished = wishes(systems, model)
        corpus, context = read_corpus(self.graph, self.corpus_name), self._build_context()
        wanted = wished or all_wishes(corpus, {}, model)
        estimates = [lifecycle.estimate(self.graph, corpus, wish, context) for wish in wanted.values()]
        return sum(estimates, start=Estimate.nothing())

    def remove_system(self, name: str, *, forget: bool = False) -> None:
        """Removes the index of a system, if it has one here; nothing else changes.

        Args:
            forget: also the answers that it remembers (`memory`), which no run brings back.

        Raises:
            SettingsError: there is no such system.
            MemoryKept: it remembers answers, and is not to forget them; nothing was removed.
            CorpusNotFound, WriterBusy, LeaseLost, DatabaseError: call again to go on.
        """
        system = find_system(name)
        with writing(self.graph, read_corpus(self.graph, self.corpus_name), "index") as writer:
            lifecycle.remove(writer, system, forget=forget)

    def system_reports(self) -> list[SystemReport]:
        """Reports what the systems' indexes of this corpus hold, took, and lack.

        Raises:
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        corpus = read_corpus(self.graph, self.corpus_name)
        reports = [lifecycle.report(self.graph, corpus, system) for system in systems_of(corpus)]
        return reports + [SystemReport(name, 0, "its package is not installed") for name in missing_systems(corpus)]

    def search(
        self,
        question: str,
        k: int = 5,
        *,
        retriever: str | SettingsClass = DEFAULT_RETRIEVER,
        rerank: bool = False,
        decompose: bool = False,
        hypothetical: bool = False,
    ) -> Evidence:
        """The best `k` chunks for a question, with the reasons for each; fewer where there are fewer, which a
        note says.

        Passages with the same text are one hit, which says how many others there are, and where (`Hit.repeats`).

        Args:
            k: 1 to 1,000.
            retriever: its name, like "dense" or "lexical"; one of your own too.
            rerank: order its first passages (`Settings.rerank.passages`) by a reranker; scores are then its own.
            decompose: also search for the simpler questions that the language model makes of the question.
            hypothetical: also search for a passage that the language model writes as an answer.

        Raises:
            QuestionError: the question is empty, or `k` out of bounds.
            CorpusNotFound: there is no such corpus.
            IndexMissing: it lacks an index that the retriever needs.
            EmbedderMismatch: its vectors are another embedder's.
            DatabaseError: it cannot be read.
            SettingsError: there is no such retriever.
            ModelError: `rerank`, and there is no reranker, or it failed.
            LlmError, ExtraMissing: `decompose` or `hypothetical`, and there is no language model, or it failed. An
                answer that cannot be used is no error but a note.
        """
        if not 1 <= k <= MOST_HITS:
            raise QuestionError(f"k is {k}.", remedy=f"Ask for 1 to {MOST_HITS:,} passages.")
        check_question(question)
        asked = self.retriever(retriever, rerank=rerank, decompose=decompose, hypothetical=hypothetical)
        return with_marks(search_distinct(asked, question, k, read=self._read_repeats))

    def ask(
        self,
        question: str,
        k: int = 5,
        *,
        retriever: str | SettingsClass = DEFAULT_RETRIEVER,
        rerank: bool = False,
        decompose: bool = False,
        hypothetical: bool = False,
        on_text: OnText | None = None,
        context_tokens: int = CONTEXT_TOKENS,
        strict: bool = False,
        remember: bool = False,
        least_confidence: float = USUAL,
    ) -> Answer:
        """The answer to a question, with the passages that it cites, from the best `k` chunks.

        The language model that `use_model` or the settings name writes it. Without one it consists of sentences of the
        passages, as it does if the model fails, its budget is used up, or its answer breaks off; a note says why.

        Args:
            k: 1 to 1,000; how many are read depends on `context_tokens`.
            retriever, rerank, decompose, hypothetical: as for `search`.
            on_text: receives the language model's answer piece by piece as it streams, an extractive one whole.
            context_tokens: most tokens of a request for passages, by an upper bound.
            strict: raise what goes wrong with the language model instead of answering without it.
            remember: let the retriever's system learn from the answer, once it is complete; a question that was not
                answered is not remembered.
            least_confidence: without a language model, the confidence below which the answer is that the documents do
                not answer, from 0 (`overstory.answer.ALWAYS`: never say so) to 1; `STRICT` says so more often.

        Raises:
            QuestionError: the question is empty or no text, or `k`, `context_tokens` or `least_confidence` is out of
                bounds.
            CorpusNotFound, IndexMissing, EmbedderMismatch, DatabaseError, SettingsError: as `search`.
            LlmError, ExtraMissing, ModelError: the language model cannot be opened; `strict`, and it failed; or as
                `search`.
        """
        if context_tokens < 1:
            raise QuestionError(f"context_tokens is {context_tokens}.", remedy="Allow some for passages to be read.")
        if not 0.0 <= least_confidence <= 1.0:
            raise QuestionError(f"least_confidence is {least_confidence}.", remedy="Give a number from 0 to 1.")
        check_question(question)  # before a model is opened for it
        learner = find_learner(retriever) if remember else None
        chat = self.chat()
        with record_usage() as recorded:
            for_list = chat is None and k < THINGS_READ and bool(kind_asked_for(question))
            evidence = self._on_all(question, k, retriever) or self.search(
                question,
                THINGS_READ if for_list else k,
                retriever=when_asking(retriever),
                rerank=rerank,
                decompose=decompose,
                hypothetical=hypothetical,
            )
            if for_list and not things_in(evidence):
                evidence = with_hits(evidence, evidence.hits[:k])
            evidence = self._with_edges(evidence)
            found = answer(
                evidence,
                chat=None if chat is None else chat.booked(ASKING, question),
                extracting=functools.partial(self._extract, least=least_confidence),
                tokens=context_tokens,
                on_text=on_text,
                strict=strict,
            )
        found = replace(found, usage=recorded.spent)
        if learner is None:
            return found
        if not found.answered:
            return replace(found, notes=(*found.notes, "nothing was remembered: the question was not answered"))
        if isinstance(learner, Remembers) and learner not in self._learners:
            self._learners.append(learner)
        return remembered(learner, found, evidence, lambda: self._learning_run(chat))

    def _on_all(self, question: str, k: int, retriever: str | SettingsClass) -> Evidence | None:
        """The evidence for a question on all documents; None for others, and where the retriever answers it itself."""
        systems = installed_systems()
        if not asks_about_whole_corpus(question) or on_all.answers_itself(systems, retriever):
            return None
        self.retriever(retriever)  # one that is wrong is said to be so
        corpus = read_corpus(self.graph, self.corpus_name)
        better = on_all.retriever_for_all(systems, corpus)
        if not better:
            return on_all.overview(systems, self._retrieval_context(), question)
        found = self.search(question, k, retriever=better)
        said = f"This asks about all documents: it is answered by the reports of the retriever {better}."
        return replace(found, notes=(said, *found.notes))

    def _with_edges(self, evidence: Evidence) -> Evidence:
        """The evidence with the edges of a graph that the question asks for, where the corpus has any."""

        def ask(tx: Transaction) -> Evidence:
            return with_asked_edges(tx, read_corpus(tx, self.corpus_name), evidence)

        return self.graph.reading("retrieve/edges", ask)

    def conversation(self, turns: Iterable[Turn] = ()) -> Conversation:
        """Questions that go on from each other: `conversation().ask("And when did he die?")`.

        Args:
            turns: of an earlier conversation (`Conversation.turns`), to go on from.
        """
        return Conversation(self, turns)

    @property
    def kept_conversation(self) -> KeptConversation:
        """The last turns that `overstory ask` asked of this corpus."""
        return KeptConversation(self.settings, corpus_label(self.corpus_name))

    def paths(self, start: str, end: str, k: int = 3, *, steps: int = 4) -> EntityPaths:
        """How two names are connected: the shortest path and the best others, with the sentences that state each step.

        A step goes from a name to one that a fact ties to it, that a link leads to or from, or that a passage mentions
        with it. The best paths are short, and go through names that few passages mention. Finding none is no error.

        Args:
            start, end: as texts write them; case, accents and punctuation do not matter.
            k: how many paths, 1 to 100; no two go through the same names.
            steps: the most that a path may have, 1 to 6.

        Raises:
            QuestionError: a name is empty, both are the same, or `k` or `steps` is out of bounds.
            NameNotFound: no passage mentions one of them, or both; `unknown` has the most similar names of each.
            IndexMissing: the corpus has no names yet.
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        if not 1 <= k <= MOST_PATHS:
            raise QuestionError(f"k is {k}.", remedy=f"Ask for 1 to {MOST_PATHS} paths.")
        if not 1 <= steps <= MOST_STEPS:
            raise QuestionError(f"steps is {steps}.", remedy=f"Allow 1 to {MOST_STEPS} steps.")
        return find_paths(self.graph, self.corpus_name, start, end, k=k, steps=steps)

    def tree(self, node: str | None = None, *, depth: int = 1, limit: int = 20, tree: str = "") -> CommunityTree:
        """The communities of a tree that a system's index has: how large each is, what it is about, what it keeps
        together.

        Args:
            node: the id of a community, or a unique prefix of it; the whole tree if left out.
            depth: levels below it, 1 to 10: communities, and passages, names or documents that are in none of these.
            limit: communities below each, the largest, and passages, names or documents; 1 to 100. No more than 100 of
                either are shown.
            tree: its name; the first that the corpus has if left out.

        Raises:
            QuestionError: no community has this id, or several begin so; `depth` or `limit` is out of bounds.
            SettingsError: no system has such a tree; the remedy names those there are, and what builds the others.
            IndexMissing: the corpus does not have it, or has no tree; the remedy says what builds it.
            CorpusNotFound, EmbedderMismatch, DatabaseError: the corpus is gone, has vectors of another embedder, or
                cannot be read.
        """
        context = self._retrieval_context()
        return view_tree(installed_systems(), context, node, depth=depth, limit=limit, tree=tree)

    def reports(self, *, level: int | None = None, limit: int = 20, tree: str = "") -> CommunityReports:
        """The reports that a system wrote on the communities of a tree, those of the highest rating first.

        Args:
            level: of the communities, 1 for the coarsest; the coarsest that has a report if left out.
            limit: 1 to 100.
            tree: its name; the first of the corpus with reports if left out.

        Raises:
            QuestionError: `level` or `limit` is out of bounds.
            SettingsError: no system writes reports on such a tree; the remedy names those there are, and what builds
                the others.
            IndexMissing: the corpus does not have it, or has no reports; the remedy says what builds them.
            CorpusNotFound, DatabaseError: the corpus is gone, or cannot be read.
        """
        systems = installed_systems()
        return view_reports(systems, self.graph, self.corpus_name, level=level, limit=limit, tree=tree)

    def report(self, community: str, *, tree: str = "") -> FullReport:
        """The report on a community, each finding with the passages it stands on, and what is above and below it.

        Args:
            community: its id, or a unique prefix of it, as `reports` and `Knowledge.tree` have them.
            tree: as of `reports`.

        Raises:
            QuestionError: no community has this id, or several begin so.
            SettingsError, IndexMissing, CorpusNotFound, DatabaseError: as `reports`.
        """
        return view_report(installed_systems(), self.graph, self.corpus_name, community, tree=tree)

    def retriever(
        self,
        name: str | SettingsClass = DEFAULT_RETRIEVER,
        *,
        repeats: bool = False,
        rerank: bool = False,
        decompose: bool = False,
        hypothetical: bool = False,
    ) -> Retriever:
        """A retriever over this corpus, made once.

        Its hits may have the same text, where `search` gives one; of chunks with the same text and title it finds one
        by meaning.

        Args:
            name: with options after a colon ("NAME:option=value"), or the settings object of a system's retriever.
            repeats: let all chunks with the text and title of a hit follow it, with its score, even if they are then
                more than were asked for.
            rerank, decompose, hypothetical: as for `search`.

        Raises:
            SettingsError: there is no such retriever, or it has no such option.
            ModelError: `rerank`, and there is no reranker.
            LlmError, ExtraMissing: `decompose` or `hypothetical`, and there is no language model.
        """
        reranker = self.reranker if rerank else None
        if decompose or hypothetical:
            needed_chat(self.chat)
        with self._making:
            if name not in self._retrievers:
                check_retriever(name)  # before a server is started for it
                self._retrievers[name] = make_retriever(name, self._retrieval_context())
            made = self._retrievers[name]
        if decompose or hypothetical:
            made = SeveralWays(made, self.chat, decompose=decompose, hypothetical=hypothetical)
        if reranker is not None:
            made = Reranked(made, reranker, passages=self.settings.rerank.passages)
        return WithRepeats(made, self._retrieval_context()) if repeats else made

    def wait_for_copies(self) -> None:
        """Returns when what retrievers read into memory for later questions is read, or left for now: for measurements.
        It is read in a thread, once some questions have been asked, and when the corpus has changed since."""
        self._copies.wait()

    def status(self, *, sizes: bool = True) -> CorpusStatus:
        """Reports what the corpus holds, what its index lacks, what each stage did, and who writes.

        Args:
            sizes: whether to count what it holds, for which every name is looked at. Without, `counts` is empty.

        Raises:
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        corpus = read_corpus(self.graph, self.corpus_name)
        status = index.read_status(self.graph, corpus, sizes=sizes)
        systems = {each.name: lifecycle.pending(self.graph, corpus, each) for each in systems_of(corpus)}
        pending = status.pending | systems
        try:
            index_time = self._index_time(pending["embed"], pending["extract"], embedder=corpus.embedder)
        except ModelError:
            index_time = None  # `index` says what is wrong with the model
        return replace(status, pending=pending, index_time=index_time)

    def digest(self) -> str:
        """64 hexadecimal digits, equal for two corpora exactly if their contents are equal.

        Raises:
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        return transfer.digest(self.graph, read_corpus(self.graph, self.corpus_name))

    def corpora(self) -> list[CorpusSize]:
        """All corpora of the database, by name."""
        return list_corpora(self.graph)

    def documents(self, *, source: str | Sequence[str] | None = None) -> Iterator[StoredDocument]:
        """The documents of the corpus in order of source and key, lazily.

        Args:
            source: only documents of this source, or of one of several: a source as documents have it; a file or
                folder, with everything below it; or a pattern of paths ("docs/*.html"), in which `**` stands for
                folders, too.

        Raises:
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        return index.stored_documents(self.graph, read_corpus(self.graph, self.corpus_name), source=source)

    def boilerplate(self, *, limit: int = MOST_BLOCKS) -> list[BoilerplateBlock]:
        """The blocks that most documents of their folder repeat, by folder, the most frequent first. Names, vectors and
        answers leave them out.

        Args:
            limit: at most so many, 1 or more.

        Raises:
            QuestionError: `limit` is below 1.
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        if limit < 1:
            raise QuestionError(f"limit is {limit}.", remedy="Ask for 1 or more.")
        return index.boilerplate_blocks(self.graph, read_corpus(self.graph, self.corpus_name), limit)

    def names(self, *, limit: int = MOST_NAMES, type: str = "", like: str = "") -> list[ListedName]:  # noqa: A002 # what it is
        """The names that most passages mention, the most frequent first.

        Args:
            limit: at most so many, 1 or more.
            type: only names of this type (PERSON, ORG, CODE, TERM, …).
            like: only names that begin so, whatever their case, accents and punctuation, or that others which begin
                so were merged into.

        Raises:
            QuestionError: `limit` is below 1.
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        if limit < 1:
            raise QuestionError(f"limit is {limit}.", remedy="Ask for 1 or more.")
        corpus = read_corpus(self.graph, self.corpus_name)
        prefix = entity_key(like) or " ".join(key_words(like))
        if like and not prefix:
            return []
        return index.most_mentioned(self.graph, corpus, limit=limit, type_=type, prefix=prefix)

    def hide_names(self, names: str | Sequence[str], *, future: bool = False) -> list[StoredNameEdit]:
        """Hides names: from the next `index` on they are no names, and nothing is found by them.

        Args:
            names: one, or several, in any spelling.
            future: also take names that no passage mentions yet.

        Returns:
            The new edits, in their order; none for a name that is hidden already.

        Raises:
            NameNotFound: the corpus has no such name; the remedy names the nearest. Nothing was changed.
            QuestionError: a name is empty; nothing was changed.
            CorpusNotFound, WriterBusy, LeaseLost, DatabaseError: nothing was changed.
        """
        return self._edit_names([NameEdit("hide", name) for name in _texts(names)], future=future)

    def merge_names(self, names: str | Sequence[str], into: str, *, future: bool = False) -> list[StoredNameEdit]:
        """Makes names others of the same thing: from the next `index` on they lead to the name `into`.

        Args:
            names: one, or several, in any spelling, without `into`.
            future: also take names that no passage mentions yet.

        Returns:
            The new edits, in their order.

        Raises:
            NameNotFound: as `hide_names`.
            QuestionError: a name is empty, or two are one already; nothing was changed.
            CorpusNotFound, WriterBusy, LeaseLost, DatabaseError: nothing was changed.
        """
        return self._edit_names([NameEdit("merge", name, into) for name in _texts(names)], future=future)

    def rename_name(self, name: str, to: str, *, future: bool = False) -> StoredNameEdit:
        """Gives a name another one, by which it is called from the next `index` on; the old ones still lead to it.

        Args:
            name: in any spelling.
            to: as it is to be written.
            future: also take a name that no passage mentions yet.

        Raises:
            NameNotFound: as `hide_names`.
            QuestionError: a name is empty, or there is a name `to` already, with which it can be merged.
            CorpusNotFound, WriterBusy, LeaseLost, DatabaseError: nothing was changed.
        """
        (edit,) = self._edit_names([NameEdit("rename", name, to)], future=future)
        return edit

    def name_edits(self) -> list[StoredNameEdit]:
        """The edits of names by hand, in the order in which they apply.

        Raises:
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        return index.stored_edits(self.graph, read_corpus(self.graph, self.corpus_name))

    def undo_name_edit(self, number: int | None = None) -> StoredNameEdit:
        """Takes back an edit of names; those after it stay. The next `index` undoes what it did.

        Args:
            number: of the edit, as `name_edits` has it; the last one if left out.

        Raises:
            QuestionError: there is no such edit.
            CorpusNotFound, WriterBusy, LeaseLost, DatabaseError: nothing was changed.
        """
        with writing(self.graph, read_corpus(self.graph, self.corpus_name), "names") as writer:
            made = index.stored_edits(self.graph, writer.corpus)
            found = made[-1:] if number is None else [edit for edit in made if edit.number == number]
            if not found:
                raise QuestionError(
                    "No edit of names is there to undo." if number is None else f"There is no edit {number}.",
                    remedy="`overstory names --show` lists the edits, Knowledge.name_edits in Python.",
                )
            index.remove_edit(writer, found[0].number)
        return found[0]

    def load_vocabulary(self, path: str | Path, *, dry_run: bool = False) -> VocabularyChange:
        """Makes the names of a file known to the corpus, whether a parser found them or not; the next `index` looks for
        them in all texts. Loading a file again replaces what it said before; an empty one removes it.

        Args:
            path: CSV that begins with the line "name,type,aliases", or JSON lines with these keys.
            dry_run: write nothing, and return what would change.

        Raises:
            BrokenSource: the file cannot be read, or a line is wrong; nothing was changed.
            CorpusNotFound, WriterBusy, LeaseLost, DatabaseError: nothing was changed.
        """
        source = Path(path).expanduser().resolve()
        wanted = read_vocabulary(source)
        corpus = read_corpus(self.graph, self.corpus_name)
        if dry_run:
            known = index.stored_vocabularies(self.graph, corpus).get(str(source), {})
            return index.vocabulary_change(str(source), known, wanted)
        with writing(self.graph, corpus, "names") as writer:
            return index.replace_vocabulary(writer, str(source), wanted)

    def vocabularies(self) -> list[StoredVocabulary]:
        """The vocabularies of the corpus, in the order in which they apply, that of their paths.

        Raises:
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        stored = index.stored_vocabularies(self.graph, read_corpus(self.graph, self.corpus_name))
        return [
            StoredVocabulary(source, len(names), sum(len(name.aliases) for name in names.values()))
            for source, names in stored.items()
        ]

    def documents_of(self, evidence: Evidence) -> dict[str, StoredDocument]:
        """The documents that hits come from, with their metadata, by `Hit.document_id`; those that are still there.

        Raises:
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        ids = dict.fromkeys(hit.document_id for hit in evidence.hits)
        found = index.documents_by_id(self.graph, read_corpus(self.graph, self.corpus_name), ids)
        return {document.id: document for document in found}

    def count_documents(self, *, source: str | Sequence[str] | None = None) -> int:
        """How many documents the corpus has.

        Args:
            source: count only documents of these sources, as `documents` takes them.

        Raises:
            DocumentNotFound: no document has one of the sources.
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        corpus = read_corpus(self.graph, self.corpus_name)
        if source is None:
            return index.count_documents(self.graph, corpus)
        chosen = index.select_all(self.graph, corpus, _texts(source))
        return sum(1 for _ in index.rows_of_all(self.graph, corpus, chosen))

    def documents_to_pandas(self, *, source: str | Sequence[str] | None = None) -> pandas.DataFrame:
        """A row per document: id, source, source_key, title, chunks, and `metadata_…` for what else it brought.

        Raises:
            ExtraMissing: pandas is not installed.
            CorpusNotFound, DatabaseError: the corpus is not there, or cannot be read.
        """
        return data_frame((_record(document) for document in self.documents(source=source)), DOCUMENT_COLUMNS)

    def delete_documents(self, ids: str | Iterable[str] = (), *, source: str | Sequence[str] | None = None) -> int:
        """Deletes documents, with what only they mentioned or stated; returns how many.

        Args:
            ids: of the documents, one or several, as `documents` and `Hit.document_id` have them. An id that no
                document has is not counted.
            source: all documents of these sources as well, as `documents` takes them.

        Raises:
            DocumentNotFound: no document has one of the sources; nothing was deleted.
            CorpusNotFound, WriterBusy, LeaseLost, DatabaseError: what was committed before stays deleted; call again
                to go on.
        """
        named = [ids] if isinstance(ids, str) else ids
        with writing(self.graph, read_corpus(self.graph, self.corpus_name), "delete") as writer:
            chosen = [] if source is None else index.select_all(self.graph, writer.corpus, _texts(source))
            found = (str(row["id"]) for row in index.rows_of_all(self.graph, writer.corpus, chosen))
            removed = index.remove_documents(
                writer, itertools.chain(named, found), answers=self._remembered_answers(), progress=self.progress
            )
            index.sync_boilerplate(writer, progress=self.progress)
            index.sync_entities(writer, progress=self.progress)
            index.sync_mentions_if_extracted(writer, progress=self.progress)
            return removed

    def delete_corpus(self) -> None:
        """Deletes the corpus with everything in it.

        Raises:
            CorpusNotFound: there is no such corpus.
            WriterBusy: another process is writing to it.
            DatabaseError: call again to go on.
        """
        with writing(self.graph, read_corpus(self.graph, self.corpus_name), "delete") as writer:
            index.remove_corpus(writer, answers=self._remembered_answers())
        self.kept_conversation.forget()

    def export(self, write: Callable[[str], object]) -> ExportReport:
        """Gives every line of an export (JSON lines, with line ends) to `write`; `ingest` reads them back.

        Raises:
            CorpusError: the corpus is not there, or changed meanwhile.
            DatabaseError: the server cannot be reached, or refuses a statement.
        """
        corpus = read_corpus(self.graph, self.corpus_name)
        lines = 0
        self.progress.start("export", None, "documents")
        for line in transfer.export_lines(self.graph, corpus):
            write(line + "\n")
            lines += 1
            self.progress.advance(1)
        self.progress.finish(counted(lines - 1, "document"))
        computed = transfer.digest(self.graph, corpus)
        if read_corpus(self.graph, self.corpus_name).version != corpus.version:
            raise CorpusError(
                f"Corpus {self.corpus_name!r} changed while it was exported, so that the export is of no one state.",
                remedy="Export it again when nobody writes to it (overstory status).",
            )
        return ExportReport(documents=lines - 1, digest=computed)

    def document_id(self, source: str, source_key: str = "") -> str:
        """The id that a document of this origin has in this corpus, whether it is there or not."""
        return document_id(read_corpus(self.graph, self.corpus_name).label, source, source_key)

    def close(self) -> None:
        """Closes the connection if one was opened; the server goes on. A later call opens another.

        Answers that could not be remembered yet are written now; a warning says which are lost.
        """
        with self._making:
            self._settle()
            self._copies.close()
            if self._close_graph is not None:
                self._close_graph()
            self._graph = self._close_graph = None
            self._model.close()
            self._retrievers.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        where = self.settings.database.uri or "embedded server"
        return f"<Knowledge corpus={self.corpus_name!r} at {where}>"

    def _index_time(self, embed: int, extract: int, *, embedder: str = "") -> IndexTime | None:
        """About how long it takes to embed and to extract so many chunks.

        Args:
            embedder: its fingerprint, if that is known without making it.

        Raises:
            ModelError, DatabaseError: the embedder or the extractor cannot be made; the ledgers cannot be read.
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

    def _edit_names(self, edits: Sequence[NameEdit], *, future: bool) -> list[StoredNameEdit]:
        with writing(self.graph, read_corpus(self.graph, self.corpus_name), "names") as writer:

            def check(tx: Transaction) -> list[NameEdit]:
                return check_edits(tx, writer.corpus, edits, future=future)

            made = self.graph.reading("retrieve/path_ends", check)
            return index.add_edits(writer, made) if made else []

    def _settle(self) -> None:
        for learner in self._learners if self._graph is not None else ():
            for note in learner.settle(self.graph):
                _log.warning("%s", note)
        self._learners.clear()

    def _learning_run(self, chat: Chat | None) -> LearningRun:
        return LearningRun(self.graph, read_corpus(self.graph, self.corpus_name), self.embedder, chat)

    def _rebuild_indexes(self, writer: Writer) -> None:
        found = vector_indexes.indexes_of(writer.corpus, systems_of(writer.corpus))
        others = {each.name: functools.partial(vector_indexes.rebuild, writer, each) for each in found}
        index.rebuild_indexes(writer, others, progress=self.progress)

    def _read_repeats(self, groups: Sequence[Group]) -> Repeats:
        def read(tx: Transaction) -> Repeats:
            return read_repeats(tx, read_corpus(tx, self.corpus_name), groups)

        return self.graph.reading("retrieve/repeats", read)

    def _retrieval_context(self) -> RetrievalContext:
        self._check_models()
        return RetrievalContext(
            self.graph,
            self.corpus_name,
            self.embedder,
            self._model.chat,
            self.settings.extraction,
            self._copies,
        )

    def _check_models(self, *, extracts: bool = False) -> None:
        """Makes the embedder, and the extractor if it is needed, where a server may have to be started: wrong settings
        are said before that. A connection to a server of the user's own takes less time than some models do.

        Raises:
            ModelError: as `embedder` and `extractor`.
        """
        if self._graph is None and self.settings.database.uri is None:
            _ = self.embedder
            if extracts:
                _ = self.extractor

    def _build_context(self) -> BuildContext:
        return BuildContext(self.embedder, self.settings.extraction, self._model.chat_with, self.progress)

    @contextmanager
    def _writing(self, doing: str) -> Generator[Writer]:
        """The lease of the corpus, which is made if it is not there."""
        self._check_models()
        corpus = create_corpus(self.graph, self.corpus_name, sectioned_by=SECTIONS)
        with writing(self.graph, corpus, doing) as writer:
            writer.corpus.check_embedder(self.embedder)
            yield writer

    def _extract(self, question: str, context: Context, *, least: float) -> Extract:
        with self._making:
            if self._reader is None or self._reader.embedder is not self.embedder:
                self._reader = AnswerReader(self.embedder, self.settings.extraction.pipeline)
        return extract(question, context, self._reader, least=least)

    def _load(
        self,
        writer: Writer,
        documents: Iterable[Loaded],
        report: LoadReport,
        answers: RememberedAnswers,
        on_broken: OnBroken,
        changes: Changes | None = None,
        coverage: sources.Coverage | None = None,
    ) -> None:
        index.load(
            writer,
            documents,
            self.embedder,
            report=report,
            answers=answers,
            on_broken=on_broken,
            progress=self.progress,
            on_read=None if changes is None else changes.note_read,
            is_partly_read=None if coverage is None else coverage.is_partly_read,
        )

    def _is_in_corpus(self, coverage: sources.Coverage, *, allow_empty: bool) -> bool:
        """Whether there is a corpus that may have documents of paths of which nothing can be read.

        Raises:
            SourcesEmpty: it has documents of paths that are missing or empty, and these are not to be deleted.
        """
        corpus = self._corpus_if_there()
        if corpus is None:
            return False
        empty = coverage.empty_roots()
        stored = 0 if allow_empty else index.count_in(self.graph, corpus, empty)
        if stored:
            paths = ", ".join(root.path for root in empty)
            raise SourcesEmpty(
                f"Nothing is left to read of {paths}, of which corpus {self.corpus_name!r} has "
                f"{counted(stored, 'document')}.",
                documents=stored,
                remedy="Is a disk not mounted? If these documents are to go: --yes, in Python allow_empty=True.",
            )
        return True

    def _remembered_answers(self) -> RememberedAnswers:
        return RememberedAnswers(answer_cache(self.settings), self.kept_conversation.forget_passages)

    def _remove_vanished(
        self, writer: Writer, changes: Changes, report: LoadReport, answers: RememberedAnswers, on_broken: OnBroken
    ) -> None:
        """The second half of a sync: what vanished goes; then annotations find their documents, of which those that
        moved are no longer there twice."""
        if changes.removed or changes.moved:
            index.remove_vanished(writer, changes, answers=answers, progress=self.progress)
        for batch in batches(changes.annotations(), ANNOTATIONS_A_BATCH):
            report.annotated += index.annotate(writer, batch, on_broken)
        if changes.removed or changes.moved:
            index.sync_entities(writer, progress=self.progress)
            index.sync_mentions_if_extracted(writer, progress=self.progress)

    def _corpus_if_there(self) -> Corpus | None:
        try:
            return read_corpus(self.graph, self.corpus_name)
        except CorpusNotFound:
            return None


def _listed(paths: str | Path | Sequence[str | Path]) -> list[str]:
    return [str(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]


def _texts(source: str | Sequence[str]) -> Sequence[str]:
    return [source] if isinstance(source, str) else source


def _record(document: StoredDocument) -> dict[str, object]:
    """A document as `documents_to_pandas` gives it."""
    fields: dict[str, object] = {name: getattr(document, name) for name in DOCUMENT_COLUMNS}
    return fields | {f"metadata_{name}": value for name, value in document.metadata.items()}


def _on_broken(report: LoadReport, *, strict: bool) -> OnBroken:
    def heard(error: BrokenSource) -> None:
        if strict:
            raise error
        report.broken.append(error)

    return heard


def _on_unstorable(coverage: sources.Coverage, on_broken: OnBroken) -> OnBroken:
    """Documents that were read but cannot be stored are not gone, either."""

    def heard(error: BrokenSource) -> None:
        coverage.add_unread(error.source, "a part of it cannot be stored")
        on_broken(error)

    return heard


def _count_vanished(report: LoadReport, changes: Changes, *, sync: bool) -> None:
    if sync:
        report.moved, report.removed = changes.moved, changes.removed
        report.added -= changes.moved
    else:
        report.vanished = changes.moved + changes.removed


def _tell(changes: Changes, on_change: OnChange | None, *, sync: bool) -> None:
    """Without sync, a document that moved is a new one, and nothing is removed."""
    if on_change is not None:
        for change in changes.listed(vanished=sync):
            on_change(change)
