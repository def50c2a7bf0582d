"""What changes a corpus for a client: the same for the HTTP API and for tools of agents. All of it blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from overstory.graph import read_corpus
from overstory.knowledge import Knowledge
from overstory.model import Document
from overstory.systems import wishes
from overstory_service.hosted import Hosted
from overstory_service.jobs.queueing import queue_job
from overstory_service.jobs.store import ServiceJob
from overstory_service.running import when_free


@dataclass(frozen=True, slots=True)
class StoredTexts:
    """What became of texts."""

    added: int
    changed: int
    unchanged: int
    broken: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeletedDocuments:
    """How many documents were deleted."""

    documents: int


def store_texts(host: Hosted, corpus: str, texts: Sequence[Document]) -> StoredTexts:
    """Stores texts; the corpus is made if it is not there.

    Raises:
        CorpusNameInvalid, WriterBusy, DatabaseError, …: as `Knowledge.ingest_documents`.
    """
    with host.corpora.new(corpus) as knowledge:
        report = when_free(lambda: knowledge.ingest_documents(texts))
    return StoredTexts(report.added, report.changed, report.unchanged, tuple(map(str, report.broken)))


def delete_document(knowledge: Knowledge, document: str) -> DeletedDocuments:
    """Deletes a document by its id.

    Raises:
        DocumentNotFound: there is none.
        WriterBusy, DatabaseError, …: as `Knowledge.delete_documents`.
    """
    knowledge.document(document)
    return DeletedDocuments(knowledge.delete_documents([document]))


def queue_index(host: Hosted, corpus: str, given: dict[str, Any], *, by: str) -> ServiceJob:
    """Queues a job that brings an index up to date.

    Args:
        given: systems, model and `improve`, as JSON types.
        by: the name of a token.

    Raises:
        SettingsError: there are no such systems, or they do not take such a model.
        CorpusNotFound, CorpusNameInvalid, DatabaseError: it cannot be queued.
    """
    wishes(given["systems"], given["model"])
    read_corpus(host.corpora.base.graph, corpus)
    return queue_job(host, corpus, "index", given, by=by)
