"""Read-only access to those documents of a corpus that match a fixed filter."""

from __future__ import annotations

from collections.abc import Iterator

from overstory.filters import Where
from overstory.index import StoredDocument
from overstory.knowledge.asynchronous import AsynchronousQuestions, in_thread
from overstory.knowledge.communities import CorpusCommunities
from overstory.knowledge.connection import Composed, forwarded
from overstory.knowledge.documents import Documents
from overstory.knowledge.entities import CorpusEntities
from overstory.knowledge.passage_questions import PassageQuestions
from overstory.knowledge.questions import CorpusQuestions
from overstory.protocols import Extractor


class RestrictedKnowledge(Composed, AsynchronousQuestions):
    """A read-only view of the documents that match a filter, created by `Knowledge.restricted_to`.

    The view offers only methods that a filter can restrict. It cannot write, and it has no digest, counts, boilerplate
    or export. `search` does not accept `enrich` statements, which could read all of the graph.

    The view reveals nothing about hidden documents: none of their text, entities, metadata keys or counts. Entities
    that only hidden documents mention are treated as unknown, and so are communities and reports that depend on hidden
    documents. Only scores, path costs, entity types and manual edits of entities are based on the whole corpus.

    Threads can share a view. It uses the connection of the `Knowledge` that created it, and does not close it.
    """

    search = forwarded(CorpusQuestions.of, PassageQuestions.search)  # has no `enrich`, which could read hidden nodes
    asearch = in_thread(search)
    ask = forwarded(CorpusQuestions.of, CorpusQuestions.ask)
    conversation = forwarded(CorpusQuestions.of, CorpusQuestions.conversation)
    chat = forwarded(CorpusQuestions.of, CorpusQuestions.chat)

    entity = forwarded(CorpusEntities.of, CorpusEntities.entity)
    entity_passages = forwarded(CorpusEntities.of, CorpusEntities.entity_passages)
    entities = forwarded(CorpusEntities.of, CorpusEntities.entities)

    paths = forwarded(CorpusCommunities.of, CorpusCommunities.paths)
    report = forwarded(CorpusCommunities.of, CorpusCommunities.report)
    reports = forwarded(CorpusCommunities.of, CorpusCommunities.reports)
    tree = forwarded(CorpusCommunities.of, CorpusCommunities.tree)
    trees = forwarded(CorpusCommunities.of, CorpusCommunities.trees)

    document = forwarded(Documents.of, Documents.document)
    document_passages = forwarded(Documents.of, Documents.document_passages)

    # The next methods have no parameter `source`, because its errors would reveal which hidden documents exist.

    def documents(
        self, *, where: Where | None = None, after: tuple[str, str] | None = None
    ) -> Iterator[StoredDocument]:
        """Yield the documents as `Knowledge.documents` does. `where` is applied in addition to the view's filter."""
        return Documents.of(self).documents(where=where, after=after)

    def count_documents(self, *, where: Where | None = None) -> int:
        """Return the number of documents. `where` is applied in addition to the view's filter."""
        return Documents.of(self).count_documents(where=where)

    @property
    def extractor(self) -> Extractor:
        return self._connection.extractor
