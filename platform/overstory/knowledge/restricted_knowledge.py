"""Read-only access to the part of a corpus that matches a fixed filter."""

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

    The view has only methods that a filter can restrict: no writing, digest, counts, boilerplate or export, and no
    `enrich` statements, which could read the whole graph. It reveals no text, entity, metadata key or count of other
    documents: entities that only those documents mention are reported as unknown, and so are communities and reports
    that depend on them. Scores, costs, entity types and manual edits of entities are those of the whole corpus.

    Safe to share between threads. The connection belongs to the `Knowledge` that created the view.
    """

    search = forwarded(CorpusQuestions.of, PassageQuestions.search)  # without `enrich`, which reads any node
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

    # The methods take no `source`, because errors for unknown sources would reveal hidden documents.

    def documents(
        self, *, where: Where | None = None, after: tuple[str, str] | None = None
    ) -> Iterator[StoredDocument]:
        """Like `Knowledge.documents`; `where` narrows the view further."""
        return Documents.of(self).documents(where=where, after=after)

    def count_documents(self, *, where: Where | None = None) -> int:
        """Like `Knowledge.count_documents`; `where` narrows the view further."""
        return Documents.of(self).count_documents(where=where)

    @property
    def extractor(self) -> Extractor:
        return self._connection.extractor
