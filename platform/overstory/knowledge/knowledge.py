"""The API: one corpus, from documents to evidence. Every command and every integration goes through it.

Source of truth is the graph. A `Knowledge` holds a connection, an embedder and an extractor, each made when it is first
needed; several may be open on one corpus, in one process or many.

Methods block until they are done, but for those that asynchronous code awaits (`asearch`, `aask`, `aingest`, `aindex`).
It calls the others in a thread: `await asyncio.to_thread(…)`.
"""

from __future__ import annotations

from collections.abc import Sequence

from overstory.conversation import KeptConversation
from overstory.filters import Where, read_filter
from overstory.graph import GraphClient
from overstory.knowledge.asynchronous import AsynchronousQuestions, ClosesAsynchronously, in_thread
from overstory.knowledge.communities import CorpusCommunities
from overstory.knowledge.connection import Composed, CorpusConnection, forwarded
from overstory.knowledge.documents import CorpusContents, DocumentEdits, Documents
from overstory.knowledge.entities import CorpusEntities
from overstory.knowledge.entity_edits import EntityEdits
from overstory.knowledge.indexing import Indexing
from overstory.knowledge.ingestion import Ingestion
from overstory.knowledge.questions import CorpusQuestions
from overstory.knowledge.restricted_knowledge import RestrictedKnowledge
from overstory.knowledge.several import SeveralCorpora
from overstory.progress import OnStep, progress_to
from overstory.protocols import Embedder, Extractor, Progress, Reranker
from overstory.settings import Settings
from overstory.systems import CorpusMemory


def _connection_of(api: Composed) -> CorpusConnection:
    return Ingestion.of(api).connection


class Knowledge(Composed, AsynchronousQuestions, ClosesAsynchronously):
    """One corpus. Use it in a `with` or `async with` block, or call `close`. Safe to share between threads.

    Searches never wait for a method that changes the corpus; another such method raises `WriterBusy` meanwhile.

    Raises:
        DatabaseError, CorpusNotFound: the database cannot be used, or has no such corpus, which only loading makes.
        FilterError, MetadataNotFound: `where` cannot be read, or asks for a key that no document has.
        WriterBusy, LeaseLost: another process writes, or took over. What was committed before stays, as it does after
            a `DatabaseError`; call again to go on.
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
        chosen = (settings or Settings.from_environment()).at(uri, user=user, password=password, database=database)
        super().__init__(CorpusConnection(corpus, chosen, progress_to(progress)))

    search = forwarded(CorpusQuestions.of, CorpusQuestions.search)
    asearch = in_thread(search)
    ask = forwarded(CorpusQuestions.of, CorpusQuestions.ask)
    conversation = forwarded(CorpusQuestions.of, CorpusQuestions.conversation)
    retriever = forwarded(CorpusQuestions.of, CorpusQuestions.retriever)

    paths = forwarded(CorpusCommunities.of, CorpusCommunities.paths)
    report = forwarded(CorpusCommunities.of, CorpusCommunities.report)
    reports = forwarded(CorpusCommunities.of, CorpusCommunities.reports)
    tree = forwarded(CorpusCommunities.of, CorpusCommunities.tree)
    trees = forwarded(CorpusCommunities.of, CorpusCommunities.trees)

    entity = forwarded(CorpusEntities.of, CorpusEntities.entity)
    entity_passages = forwarded(CorpusEntities.of, CorpusEntities.entity_passages)
    entities = forwarded(CorpusEntities.of, CorpusEntities.entities)

    dismiss_merge = forwarded(EntityEdits.of, EntityEdits.dismiss_merge)
    dismissed_merges = forwarded(EntityEdits.of, EntityEdits.dismissed_merges)
    hide_entities = forwarded(EntityEdits.of, EntityEdits.hide_entities)
    load_vocabulary = forwarded(EntityEdits.of, EntityEdits.load_vocabulary)
    merge_entities = forwarded(EntityEdits.of, EntityEdits.merge_entities)
    entity_edits = forwarded(EntityEdits.of, EntityEdits.entity_edits)
    rename_entity = forwarded(EntityEdits.of, EntityEdits.rename_entity)
    suggested_merges = forwarded(EntityEdits.of, EntityEdits.suggested_merges)
    undo_dismissed_merge = forwarded(EntityEdits.of, EntityEdits.undo_dismissed_merge)
    undo_entity_edit = forwarded(EntityEdits.of, EntityEdits.undo_entity_edit)
    vocabularies = forwarded(EntityEdits.of, EntityEdits.vocabularies)

    ingest = forwarded(Ingestion.of, Ingestion.ingest)
    aingest = in_thread(ingest, writes=True)
    ingest_documents = forwarded(Ingestion.of, Ingestion.ingest_documents)
    aingest_documents = in_thread(ingest_documents, writes=True)
    preview = forwarded(Ingestion.of, Ingestion.preview)
    failed_files = forwarded(Ingestion.of, Ingestion.failed_files)
    stage = forwarded(Ingestion.of, Ingestion.stage)

    document = forwarded(Documents.of, Documents.document)
    document_passages = forwarded(Documents.of, Documents.document_passages)
    documents = forwarded(Documents.of, Documents.documents)
    documents_to_pandas = forwarded(Documents.of, Documents.documents_to_pandas)
    count_documents = forwarded(Documents.of, Documents.count_documents)
    fulfils = forwarded(Documents.of, Documents.fulfils)

    count_disabled = forwarded(DocumentEdits.of, DocumentEdits.count_disabled)
    delete_corpus = forwarded(DocumentEdits.of, DocumentEdits.delete_corpus)
    delete_documents = forwarded(DocumentEdits.of, DocumentEdits.delete_documents)
    disable_documents = forwarded(DocumentEdits.of, DocumentEdits.disable_documents)
    disabled_documents = forwarded(DocumentEdits.of, DocumentEdits.disabled_documents)
    enable_documents = forwarded(DocumentEdits.of, DocumentEdits.enable_documents)

    boilerplate = forwarded(CorpusContents.of, CorpusContents.boilerplate)
    corpora = forwarded(CorpusContents.of, CorpusContents.corpora)
    digest = forwarded(CorpusContents.of, CorpusContents.digest)
    documents_of = forwarded(CorpusContents.of, CorpusContents.documents_of)
    export = forwarded(CorpusContents.of, CorpusContents.export)
    filter_notes = forwarded(CorpusContents.of, CorpusContents.filter_notes)
    metadata = forwarded(CorpusContents.of, CorpusContents.metadata)
    metadata_values = forwarded(CorpusContents.of, CorpusContents.metadata_values)
    status = forwarded(CorpusContents.of, CorpusContents.status)

    index = forwarded(Indexing.of, Indexing.index)
    aindex = in_thread(index, writes=True)
    estimate_index = forwarded(Indexing.of, Indexing.estimate_index)
    remove_system = forwarded(Indexing.of, Indexing.remove_system)
    system_reports = forwarded(Indexing.of, Indexing.system_reports)

    chat = forwarded(_connection_of, CorpusConnection.chat)
    document_id = forwarded(_connection_of, CorpusConnection.document_id)
    model_usage = forwarded(_connection_of, CorpusConnection.model_usage)
    use = forwarded(_connection_of, CorpusConnection.use)
    use_model = forwarded(_connection_of, CorpusConnection.use_model)

    def close(self) -> None:
        """Closes the connection if one was opened; the server goes on. A later call opens another.

        What asynchronous calls do is cancelled, and has ended when this returns.
        Answers that could not be remembered yet are written now; a warning says which are lost.
        """
        self._connection.close()

    @property
    def memory(self) -> CorpusMemory:
        """The answers that systems remember (`ask` with `remember`), to read, delete and export."""
        return Indexing.of(self).memory

    @property
    def settings(self) -> Settings:
        return self._connection.settings

    @settings.setter
    def settings(self, settings: Settings) -> None:
        self._connection.settings = settings

    @property
    def corpus_name(self) -> str:
        return self._connection.corpus_name

    @property
    def progress(self) -> Progress:
        """Hears of everything that takes long."""
        return self._connection.progress

    @progress.setter
    def progress(self, progress: Progress) -> None:
        self._connection.progress = progress

    @property
    def graph(self) -> GraphClient:
        """The connection; starts the embedded server if no other is set.

        Raises:
            ServerError: no server is available; the remedy says what to do.
        """
        return self._connection.graph

    @property
    def embedder(self) -> Embedder:
        return self._connection.embedder

    @property
    def extractor(self) -> Extractor:
        return self._connection.extractor

    @property
    def reranker(self) -> Reranker:
        return self._connection.reranker

    @property
    def kept_conversation(self) -> KeptConversation:
        """The last turns that `overstory ask` asked of this corpus."""
        return self._connection.kept_conversation

    def __repr__(self) -> str:
        return f"<Knowledge corpus={self.corpus_name!r} at {self.settings.database.uri or 'embedded server'}>"

    def share_embedder(self, other: Knowledge) -> None:
        """Uses the embedder of another corpus, which is loaded once then, if the settings of both name the same. One of
        `use`, and that which a corpus was switched to, stay.
        """
        self._connection.share_embedder(other._connection)

    @staticmethod
    def over(corpora: Sequence[Knowledge | RestrictedKnowledge | str]) -> SeveralCorpora:
        """Several corpora, in one database or in many, that are searched and asked as if they were one.

        Args:
            corpora: each a `Knowledge`, a part of one (`restricted_to`), whose filter holds for it alone, or the name
                of a corpus in the database of the settings.

        Raises:
            SettingsError: there are none, or one is named twice.
        """
        opened = {name: Knowledge(name) for name in corpora if isinstance(name, str)}
        every = [opened[each] if isinstance(each, str) else each for each in corpora]
        return SeveralCorpora(every, opened=list(opened.values()))

    def restricted_to(self, where: Where) -> RestrictedKnowledge:
        """The documents that fulfil a filter, to be read by somebody who may see no others.

        Raises:
            IndexMissing: the corpus cannot be filtered.
        """
        fixed = read_filter(where)
        Documents.of(self).matching(fixed)  # raises what is wrong with the filter
        return RestrictedKnowledge(self._connection, fixed)
