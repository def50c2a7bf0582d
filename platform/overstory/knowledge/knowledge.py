"""The Python API of one corpus, used by all commands and integrations.

All data is in the graph. A `Knowledge` holds a database connection, an embedder and an extractor; each is created on
first use. Several `Knowledge` objects can use the same corpus at the same time, in one process or in several.

Methods block until they finish, except `asearch`, `aask`, `astream`, `aingest`, `aingest_documents` and `aindex`.
Asynchronous code can call the other methods with `await asyncio.to_thread(…)`.
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
    """One corpus, used in a `with` or `async with` block, or until `close` is called. Threads can share it.

    Searches never wait for a writer. While one method changes the corpus, every other method that would change it
    raises `WriterBusy`.

    Any method may raise these errors, in addition to those that it documents:

    Raises:
        DatabaseError, CorpusNotFound: the database cannot be used, or the corpus does not exist. Only loading creates a
            corpus.
        FilterError, MetadataNotFound: `where` cannot be parsed, or no document has one of its metadata keys.
        WriterBusy, LeaseLost: another process is writing to the corpus, or has taken over the writer lease. Committed
            work is kept, as it is after a `DatabaseError`. Call the method again to continue.
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
        """Create the API object. The server, the connection and the models are opened on first use.

        Args:
            corpus: name of the corpus. By default it comes from the settings, where it is "default" unless the variable
                OVERSTORY_CORPUS is set.
            uri: address of your own Neo4j server, like bolt://localhost:7687. By default it comes from the settings; if
                they contain no address, the embedded server is used.
            user, password, database: login and database name at `uri`; by default those in the settings.
            settings: the settings to use; by default they are read from the OVERSTORY_* environment variables.
            progress: a `Progress` that receives the progress of long operations, or a function that is called with each
                `Step` in the thread doing the work. If it raises an exception, the operation stops; call the method
                again to continue.

        Raises:
            SettingsError: `uri` is invalid; `user`, `password` or `database` is given without an address; or an
                environment variable has an invalid value.
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
        """Close the connection. The server keeps running, and a later call opens a new connection.

        Asynchronous calls are cancelled first, and `close` waits until they have ended. Remembered answers that are not
        stored yet are stored; a warning lists any that could not be.
        """
        self._connection.close()

    @property
    def memory(self) -> CorpusMemory:
        """The answers that systems remember (`ask` with `remember=True`). They can be read, deleted and exported."""
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
        return self._connection.progress

    @progress.setter
    def progress(self, progress: Progress) -> None:
        self._connection.progress = progress

    @property
    def graph(self) -> GraphClient:
        """The database connection. First use starts the embedded server if no other server is configured.

        Raises:
            ServerError: no server is available; the error's remedy states what to do.
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
        """The last questions and answers of `overstory ask` on this corpus."""
        return self._connection.kept_conversation

    def __repr__(self) -> str:
        return f"<Knowledge corpus={self.corpus_name!r} at {self.settings.database.uri or 'embedded server'}>"

    def share_embedder(self, other: Knowledge) -> None:
        """If both corpora have the same embedding settings, use the other's embedder, so that its model is loaded once.

        This has no effect if the embedder was set with `use`, or if the corpus was switched to another embedder.
        """
        self._connection.share_embedder(other._connection)

    @staticmethod
    def over(corpora: Sequence[Knowledge | RestrictedKnowledge | str]) -> SeveralCorpora:
        """Combine several corpora, in one or several databases, so that they are searched as one.

        Args:
            corpora: each item is a `Knowledge`, a view created by `restricted_to`, or the name of a corpus in the
                configured database. The filter of a view applies only to its own corpus.

        Raises:
            SettingsError: the list is empty, or a corpus is listed twice.
        """
        opened = {name: Knowledge(name) for name in corpora if isinstance(name, str)}
        every = [opened[each] if isinstance(each, str) else each for each in corpora]
        return SeveralCorpora(every, opened=list(opened.values()))

    def restricted_to(self, where: Where) -> RestrictedKnowledge:
        """Return a read-only view for users who are allowed to see only the documents that match a filter.

        Raises:
            IndexMissing: the corpus comes from an earlier version of Overstory, and must be indexed before it can be
                filtered.
        """
        fixed = read_filter(where)
        Documents.of(self).matching(fixed)  # raises an error if the filter is invalid
        return RestrictedKnowledge(self._connection, fixed)
