"""A part of a corpus, by a fixed filter: read only, and no call widens it."""

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
    """The documents of a corpus that fulfil a filter, as `Knowledge.restricted_to` gives them.

    It has what can be filtered, and nothing else: no writing, no digest, counts, boilerplate and exports, and no
    statement of the caller's own (`enrich`), which could read all of the graph. Of other documents nothing is told: no
    text, name, number or key of metadata; a name that only they have is as unknown as one that nobody has, and so is a
    community or a report that stands on one of them. Scores and costs, what type a name has, and how names were merged
    and renamed by hand are those of the whole corpus. Safe to share between threads; closing it is up to the
    `Knowledge` that it is of.
    """

    search = forwarded(CorpusQuestions.of, PassageQuestions.search)  # without `enrich`
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

    # A source that is named would say whether documents have it that may not be seen.

    def documents(
        self, *, where: Where | None = None, after: tuple[str, str] | None = None
    ) -> Iterator[StoredDocument]:
        """As `Knowledge.documents`; `where` narrows it further."""
        return Documents.of(self).documents(where=where, after=after)

    def count_documents(self, *, where: Where | None = None) -> int:
        """As `Knowledge.count_documents`; `where` narrows it further."""
        return Documents.of(self).count_documents(where=where)

    @property
    def extractor(self) -> Extractor:
        """As `Knowledge.extractor`."""
        return self._connection.extractor
