"""Deletion of documents: their chunks, what only they mentioned or stated, and remembered answers that quote them."""

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
    """The cache of answers, as a run that deletes or replaces passages uses it.

    Nothing fails where the cache cannot be used: passages are deleted all the same, a warning says that answers stay,
    and the run does not try again.
    """

    def __init__(self, cache: AnswerCache, also_forget: Callable[[Sequence[str]], object] | None = None) -> None:
        """
        Args:
            also_forget: is told the ids of the chunks, too.
        """
        self._cache = cache
        self._also_forget = also_forget
        self._usable = True

    def forget(self, chunks: Sequence[str]) -> None:
        """Forgets answers whose prompts quote one of these chunks, by id. To be called before they are gone for good:
        a run that is interrupted then forgets them again."""
        self._try(lambda: self._cache.forget(chunks))
        if self._also_forget is not None:
            self._also_forget(chunks)

    def move(self, chunks: Sequence[tuple[str, str]]) -> None:
        """Keeps answers that quote chunks whose document moved: pairs of the old and the new id."""
        self._try(lambda: self._cache.move(chunks))

    def _try(self, work: Callable[[], object]) -> None:
        if not self._usable:
            return
        try:
            work()
        except LlmError as error:
            self._usable = False
            _log.warning(
                "Language models' answers that quote deleted passages are still cached. %s. %s When it can be used "
                "again, `overstory llm cache --clear` deletes all answers.",
                error,
                error.remedy,
            )


_REMOVED_DOCUMENTS_A_TRANSACTION = 50
_REMOVED_CHUNKS_A_TRANSACTION = 1_000
"""A transaction that deletes chunks keeps some 16 KB of each in the server's memory, and passes over all that it has
deleted whenever it looks for another: one of 40,000 takes minutes and three quarters of a GB."""
_REMOVED_NODES_A_TRANSACTION = 1_000
"""Of a corpus that is deleted as a whole."""

T = TypeVar("T")


def remove_documents(writer: Writer, ids: Iterable[str], *, answers: RememberedAnswers, progress: Progress) -> int:
    """Deletes documents by id, each whole or not at all but for large ones (`shrink`); how many there were.

    Names, weights and relationships of what is left are brought up to date by the entities stage.
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
    """Documents together that one transaction can delete, and whether it is one that is to be shrunk before."""
    for some in batches(items, _REMOVED_DOCUMENTS_A_TRANSACTION):
        ids = [id_of(item) for item in some]
        rows = writer.graph.run("ingest/known_documents", writer.corpus.label, read=True, ids=ids)
        sizes = {row["id"]: int(row["chunks"]) for row in rows}
        sized = [(sizes.get(id_, 0), item) for id_, item in zip(ids, some, strict=True)]
        for batch in batches_by_size(sized, lambda each: each[0], _REMOVED_CHUNKS_A_TRANSACTION):
            yield [item for _, item in batch], is_large(batch[0][0])


def is_large(chunks: int) -> bool:
    """Whether a document of so many chunks is too large to be deleted in one transaction."""
    return chunks > _REMOVED_CHUNKS_A_TRANSACTION


def shrink(writer: Writer, document: str, chunks: Sequence[str] | None = None, *, answers: RememberedAnswers) -> None:
    """Deletes chunks of a large document in transactions of their own, until one transaction can delete the rest. If
    that is interrupted, the document counts as changed: its next load, or its deletion, goes on from there.

    Args:
        chunks: ids; of all chunks by default.
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
    """Deletes documents by id in a transaction of the writer's, and forgets answers that quote them; how many there
    were. Links of other documents to them stay, as links to what is missing."""
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
    """Deletes what an interrupted run left of a new document that it wrote in several transactions, if there is any."""
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
    """Deletes a corpus with everything in it and its indexes. Interrupted, it can be called again, and nothing else can
    be done with the corpus any more once some of its contents are gone."""
    for part in batches(writer.graph.stream("corpus/chunk_ids", writer.corpus.label), _REMOVED_CHUNKS_A_TRANSACTION):
        answers.forget([row["id"] for row in part])
    schema.drop_indexes(writer.graph, writer.corpus.label)  # first: an index would be updated for every node
    forget_values(writer)
    writer.set(is_deleting=True)
    (held,) = writer.graph.run("corpus/count_nodes", writer.corpus.label, read=True)
    progress.start("delete", held["nodes"] - 1, "nodes")
    for deleted in delete_contents(writer.graph, writer.corpus.label):
        progress.advance(deleted)
    writer.delete_corpus()
    progress.finish("all")


def delete_contents(graph: GraphClient, label: str) -> Iterator[int]:
    """Deletes all nodes of a corpus but its own, and yields how many after each transaction."""
    while deleted := graph.run("corpus/delete_contents", label, most=_REMOVED_NODES_A_TRANSACTION)[0]["deleted"]:
        yield deleted
