"""Deleting documents, with their chunks, and with the entities and facts that no other document contains.

Cached answers that quote the deleted chunks are deleted, too.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from overstory.display import counted
from overstory.errors import LlmError
from overstory.graph import GraphClient, Transaction, Writer, batches, batches_by_size, schema
from overstory.graph.corpora import Corpus, count_deleted
from overstory.index.boilerplate import uncount_documents
from overstory.index.links import unresolve_links
from overstory.index.metadata_values import forget_values, remove_values
from overstory.llm import AnswerCache
from overstory.protocols import Progress

_log = logging.getLogger(__name__)


class RememberedAnswers:
    """The caches of answers, from which a run must delete the answers that quote deleted passages.

    If the cache fails, the passages are deleted anyway. A warning then states that answers which quote them are still
    cached, and the run does not use the cache again.
    """

    def __init__(self, cache: AnswerCache, also_forget: Callable[[Sequence[str]], object] | None = None) -> None:
        """Wrap the cache of language model answers.

        Args:
            also_forget: function that deletes answers stored elsewhere; it is called with the ids of deleted chunks.
        """
        self._cache = cache
        self._also_forget = also_forget
        self._usable = True

    def forget(self, chunks: Sequence[str]) -> None:
        """Delete the answers whose prompts quote one of these chunks.

        Call this before the transaction that deletes the chunks is committed. If the run is interrupted, the next run
        then finds the chunks again, and repeats the call.
        """
        self._try(lambda: self._cache.forget(chunks))
        if self._also_forget is not None:
            self._also_forget(chunks)

    def move(self, chunks: Sequence[tuple[str, str]]) -> None:
        """Keep the answers that quote chunks of a moved document.

        Args:
            chunks: pairs of the old and the new id of a chunk.
        """
        self._try(lambda: self._cache.move(chunks))

    def _try(self, work: Callable[[], object]) -> None:
        if not self._usable:
            return
        try:
            work()
        except LlmError as error:
            self._usable = False
            _log.warning(
                "Cached language model answers still quote deleted passages: %s. %s When the cache works "
                "again, delete all cached answers with `overstory llm cache --clear`.",
                error,
                error.remedy,
            )


_REMOVED_DOCUMENTS_A_TRANSACTION = 50
_REMOVED_CHUNKS_A_TRANSACTION = 1_000
"""Maximum number of chunks deleted in one transaction.

Until the commit, the server keeps about 16 KB in memory for each deleted chunk, and each lookup passes over all of
them. Deleting 40,000 chunks in one transaction takes minutes and 0.75 GB.
"""
_REMOVED_NODES_A_TRANSACTION = 1_000

T = TypeVar("T")


def remove_documents(writer: Writer, ids: Iterable[str], *, answers: RememberedAnswers, progress: Progress) -> int:
    """Delete documents by id. Return how many were deleted.

    Each document is deleted in one transaction, unless it is too large (see `shrink`). Afterwards, the stage `entities`
    must update the names and relations of the remaining entities.
    """
    removed = 0
    progress.start("delete", None, "documents")
    for batch, is_large in removable(writer, ids, lambda id_: id_):
        if is_large:
            shrink(writer, batch[0], answers=answers)

        def work(tx: Transaction, batch: list[str] = batch) -> int:
            return remove_in(tx, writer.corpus, batch, answers)

        removed += writer.commit("delete", work)
        progress.advance(len(batch))
    progress.finish(counted(removed, "document"))
    return removed


def removable(writer: Writer, items: Iterable[T], id_of: Callable[[T], str]) -> Iterator[tuple[list[T], bool]]:
    """Yield batches of documents that can be deleted in one transaction, each with False.

    A document that is too large is yielded alone, with True. `shrink` must be called before it is deleted.
    """
    for some in batches(items, _REMOVED_DOCUMENTS_A_TRANSACTION):
        ids = [id_of(item) for item in some]
        rows = writer.graph.run("ingest/known_documents", writer.corpus.label, read=True, ids=ids)
        sizes = {row["id"]: int(row["chunks"]) for row in rows}
        sized = [(sizes.get(id_, 0), item) for id_, item in zip(ids, some, strict=True)]
        for batch in batches_by_size(sized, lambda each: each[0], _REMOVED_CHUNKS_A_TRANSACTION):
            yield [item for _, item in batch], is_large(batch[0][0])


def is_large(chunks: int) -> bool:
    """Return True if a document with this many chunks is too large to be deleted in one transaction."""
    return chunks > _REMOVED_CHUNKS_A_TRANSACTION


def shrink(writer: Writer, document: str, chunks: Sequence[str] | None = None, *, answers: RememberedAnswers) -> None:
    """Delete chunks of a large document until the rest can be deleted in one transaction.

    If this is interrupted, the document counts as changed, so the next load or deletion of the document continues.

    Args:
        chunks: ids of the chunks to delete; by default all chunks of the document.
    """
    label = writer.corpus.label
    if chunks is None:
        chunks = [row["id"] for row in writer.graph.run("ingest/known_chunks", label, read=True, documents=[document])]
    for part in batches(chunks[_REMOVED_CHUNKS_A_TRANSACTION:], _REMOVED_CHUNKS_A_TRANSACTION):

        def work(tx: Transaction, part: list[str] = part) -> None:
            tx.run("ingest/shrink_document", label, id=document, chunks=len(part))
            tx.run("ingest/remove_chunks", label, ids=part)
            answers.forget(part)
            count_deleted(tx, writer.corpus, chunks=len(part))

        writer.commit("delete", work)


def remove_in(tx: Transaction, corpus: Corpus, ids: list[str], answers: RememberedAnswers) -> int:
    """Delete documents, and cached answers that quote them, within a transaction. Return how many documents there were.

    Links from other documents are kept, but now lead to missing documents.
    """
    known = [row["id"] for row in tx.run("ingest/known_documents", corpus.label, ids=ids)]
    uncount_documents(tx, corpus, known)
    chunks = [row["id"] for row in tx.run("ingest/known_chunks", corpus.label, documents=known)]
    for part in batches(chunks, _REMOVED_CHUNKS_A_TRANSACTION):
        tx.run("ingest/remove_chunks", corpus.label, ids=part)
        answers.forget(part)
    unresolve_links(tx, corpus, known)
    remove_values(tx, corpus, known)
    tx.run("ingest/remove_documents", corpus.label, ids=known)
    count_deleted(tx, corpus, documents=len(known), chunks=len(chunks))
    return len(known)


def remove_unfinished(writer: Writer) -> None:
    """If an earlier run was interrupted while writing a new document in several transactions, delete its parts."""
    corpus, document = writer.corpus, writer.corpus.unfinished
    if not document:
        return
    rows = writer.graph.run("ingest/known_chunks", corpus.label, read=True, documents=[document])
    for part in batches((row["id"] for row in rows), _REMOVED_CHUNKS_A_TRANSACTION):

        def remove(tx: Transaction, part: list[str] = part) -> None:
            tx.run("ingest/remove_chunks", corpus.label, ids=part)

        writer.commit("delete", remove)

    def finish(tx: Transaction) -> None:
        tx.run("ingest/remove_unfinished", corpus.label, id=document)
        tx.run("corpus/mark_unfinished", corpus.label, document=None)

    writer.commit("delete", finish)


def remove_corpus(writer: Writer, *, answers: RememberedAnswers, progress: Progress) -> None:
    """Delete a corpus with all its data and indexes.

    Once the deletion of nodes has begun, the corpus cannot be used any more. After an interruption, call this again.
    """
    for part in batches(writer.graph.stream("corpus/chunk_ids", writer.corpus.label), _REMOVED_CHUNKS_A_TRANSACTION):
        answers.forget([row["id"] for row in part])
    schema.drop_indexes(writer.graph, writer.corpus.label)  # done first, because indexes slow down node deletion
    forget_values(writer)
    writer.set(is_deleting=True)
    (held,) = writer.graph.run("corpus/count_nodes", writer.corpus.label, read=True)
    progress.start("delete", held["nodes"] - 1, "nodes")
    for deleted in delete_contents(writer.graph, writer.corpus.label):
        progress.advance(deleted)
    writer.delete_corpus()
    progress.finish("all")


def delete_contents(graph: GraphClient, label: str) -> Iterator[int]:
    """Delete all nodes of a corpus except the corpus node. After each transaction, yield how many were deleted."""
    while deleted := graph.run("corpus/delete_contents", label, most=_REMOVED_NODES_A_TRANSACTION)[0]["deleted"]:
        yield deleted
