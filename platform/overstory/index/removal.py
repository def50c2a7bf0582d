"""Deleting documents: their chunks, and what only they mentioned or stated."""

from __future__ import annotations

from collections.abc import Iterable

from overstory.display import counted
from overstory.graph import Transaction, Writer, batches, schema
from overstory.graph.corpora import Corpus, count_deleted
from overstory.index.boilerplate import uncount_documents
from overstory.index.links import unresolve_links
from overstory.index.remembered_answers import RememberedAnswers
from overstory.protocols import Progress

DOCUMENTS_A_TRANSACTION = 50
CHUNKS_A_TRANSACTION = 1_000


def remove_documents(writer: Writer, ids: Iterable[str], *, answers: RememberedAnswers, progress: Progress) -> int:
    """Deletes documents by id, in batches, each whole or not at all; how many there were.

    Names, weights and relationships of what is left are brought up to date by the entities stage.

    Raises:
        LeaseLost, DatabaseError: what was committed before stays deleted; the same call goes on from there.
    """
    removed = 0
    progress.start("delete", None, "documents")
    for batch in batches(ids, DOCUMENTS_A_TRANSACTION):

        def work(tx: Transaction, batch: list[str] = batch) -> int:
            return remove_in(tx, writer.corpus, batch, answers)

        removed += writer.commit("delete", work)
        progress.advance(len(batch))
    progress.finish(counted(removed, "document"))
    return removed


def remove_in(tx: Transaction, corpus: Corpus, ids: list[str], answers: RememberedAnswers) -> int:
    """Deletes documents by id in a transaction of the writer's, and forgets answers that quote them; how many there
    were. Links of other documents to them stay, as links to what is missing."""
    known = [row["id"] for row in tx.run("ingest/known_documents", corpus.label, ids=ids)]
    uncount_documents(tx, corpus, known)
    chunks = [row["id"] for row in tx.run("ingest/known_chunks", corpus.label, documents=known)]
    for part in batches(chunks, CHUNKS_A_TRANSACTION):
        tx.run("ingest/remove_chunks", corpus.label, ids=part)
        answers.forget(part)
    unresolve_links(tx, corpus, known)
    tx.run("ingest/remove_documents", corpus.label, ids=known)
    count_deleted(tx, corpus, documents=len(known), chunks=len(chunks))
    return len(known)


def remove_corpus(writer: Writer, *, answers: RememberedAnswers) -> None:
    """Deletes a corpus with everything in it and its indexes. Interrupted, it can be called again.

    Raises:
        LeaseLost, DatabaseError: as `remove_documents`.
    """
    for part in batches(writer.graph.stream("corpus/chunk_ids", writer.corpus.label), CHUNKS_A_TRANSACTION):
        answers.forget([row["id"] for row in part])
    schema.drop_indexes(writer.graph, writer.corpus.label)  # first: an index would be updated for every node
    writer.graph.run_in_batches("corpus/delete_contents", writer.corpus.label)
    writer.delete_corpus()
