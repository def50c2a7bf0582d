"""A corpus as a mirror of files and folders: documents that are no longer there go, moved ones keep what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from overstory.display import counted
from overstory.graph import Corpus, GraphClient, Transaction, Writer, batches, schema
from overstory.graph.client import Row
from overstory.graph.ids import chunk_id
from overstory.index.changes import Changes, Identity, Removal
from overstory.index.document_sources import rows_of, selection_of
from overstory.index.remembered_answers import RememberedAnswers
from overstory.index.removal import removable, remove_in, shrink
from overstory.index.stages.annotate import BY as ANNOTATED
from overstory.index.stages.load import LoadReport
from overstory.protocols import Progress
from overstory.sources import Coverage, Kept, Root
from overstory.sources.coverage import with_parents

Pair = dict[str, str]
"""The ids of an old chunk, or document, and of the new one with the same text."""

_MOVED_CHUNKS_A_STATEMENT = 1_000
_MOVED_DOCUMENTS_A_STATEMENT = 5_000
_SYNCED_SOURCES_A_STATEMENT = 500


def note_vanished(
    graph: GraphClient,
    corpus: Corpus,
    coverage: Coverage,
    changes: Changes,
    report: LoadReport,
    *,
    allow_empty: bool = False,
) -> None:
    """Notes the stored documents of the paths of a run that are no longer there to read, and finds moves among them.

    Those that may be there, though the run did not see them, are counted in `report.kept`. Of a folder that is missing
    or empty, which may be a disk that is not mounted, those moved whose content the run found in a new document.

    Args:
        allow_empty: documents of paths that are missing or empty are no longer there.
    """
    schema.create_database_indexes(graph)
    kept_documents: Counter[Kept] = Counter()
    emptied: dict[Kept, int] = {}
    for row in _rows_of_roots(graph, corpus, coverage.roots):
        if changes.was_read(row["id"]):
            continue
        kept = coverage.why_kept(row["source"])
        if kept is None or kept.empty:
            number = None if kept is None or allow_empty else emptied.setdefault(kept, len(emptied))
            content = row.get("content_sha256", "")
            document = Identity(row["id"], row["source"], row["source_key"], row["sha256"], content)
            changes.note_gone(document, kept=number)
        else:
            kept_documents[kept] += 1
    unmoved = changes.find_moves()
    kept_documents.update({kept: unmoved[number] for kept, number in emptied.items() if unmoved[number]})
    report.kept = [replace(kept, documents=number) for kept, number in kept_documents.items()]


def count_in(graph: GraphClient, corpus: Corpus, roots: list[Root]) -> int:
    """How many stored documents belong to some paths."""
    schema.create_database_indexes(graph)
    return sum(1 for _ in _rows_of_roots(graph, corpus, roots))


def remove_vanished(writer: Writer, changes: Changes, *, answers: RememberedAnswers, progress: Progress) -> None:
    """Deletes the documents that vanished, each whole or not at all but for large ones (`shrink`); what was found in
    those that moved goes to the new ones before, as do answers that quote them.
    """
    progress.start("remove", changes.removed + changes.moved, "documents")
    _carry_over_disabled(writer, changes)
    for batch, is_large in removable(writer, changes.removals(), lambda removal: removal.id):
        if is_large:
            if batch[0].heir:
                _carry_over_large(writer, batch[0], answers)
            shrink(writer, batch[0].id, answers=answers)

        def work(tx: Transaction, batch: list[Removal] = batch) -> None:
            for removal in batch:
                if removal.heir:
                    _carry_over(tx, writer.corpus, removal, answers)
            remove_in(tx, writer.corpus, [removal.id for removal in batch], answers)

        writer.commit("sync", work)
        progress.advance(len(batch))
    progress.finish(f"{counted(changes.removed, 'document')} removed, {changes.moved:,} moved")


def _carry_over_disabled(writer: Writer, changes: Changes) -> None:
    """Disables the new documents of those that moved and were disabled: first of all, since they can be found now."""
    corpus = writer.corpus
    if not corpus.disabled:
        return
    moved = ({"old": removal.id, "new": removal.heir} for removal in changes.removals() if removal.heir)
    for rows in batches(moved, _MOVED_DOCUMENTS_A_STATEMENT):

        def work(tx: Transaction, rows: list[Pair] = rows) -> None:
            tx.run("ingest/carry_over_disabled", corpus.label, rows=rows)

        writer.commit("sync", work)


def _carry_over_large(writer: Writer, removal: Removal, answers: RememberedAnswers) -> None:
    """Gives the chunks of the new document what those of the old one have, in several transactions."""
    corpus = writer.corpus
    found = writer.graph.reading("sync", lambda tx: _pairs(tx, corpus, removal))
    for pairs in batches(found, _MOVED_CHUNKS_A_STATEMENT):

        def work(tx: Transaction, pairs: list[Pair] = pairs) -> None:
            _carry(tx, corpus, pairs, answers)

        writer.commit("sync", work)


def _carry_over(tx: Transaction, corpus: Corpus, removal: Removal, answers: RememberedAnswers) -> None:
    """Gives the chunks of the new document what those of the old one have."""
    for pairs in batches(_pairs(tx, corpus, removal), _MOVED_CHUNKS_A_STATEMENT):
        _carry(tx, corpus, pairs, answers)


def _carry(tx: Transaction, corpus: Corpus, pairs: list[Pair], answers: RememberedAnswers) -> None:
    tx.run("ingest/carry_over_vectors", corpus.label, property=corpus.embedding_property, rows=pairs)
    tx.run("ingest/carry_over_extractions", corpus.label, annotated=ANNOTATED, rows=pairs)
    answers.move([(pair["old"], pair["new"]) for pair in pairs])


def _pairs(tx: Transaction, corpus: Corpus, removal: Removal) -> list[Pair]:
    """The chunks of the old document and those of the new one with the same texts."""
    there = {row["id"] for row in tx.run("ingest/known_chunks", corpus.label, documents=[removal.heir])}
    seen: Counter[str] = Counter()
    pairs: list[Pair] = []
    for row in tx.run("ingest/chunk_texts", corpus.label, document=removal.id):
        new = chunk_id(removal.heir, row["text"], seen[row["text"]])
        seen[row["text"]] += 1
        if new in there:
            pairs.append({"old": row["id"], "new": new})
    return pairs


def _rows_of_roots(graph: GraphClient, corpus: Corpus, roots: list[Root]) -> Iterator[Row]:
    """The properties of the documents of some paths, lazily, each document once."""
    folders = {root.path for root in roots if root.with_contents and not root.sitemap}
    outermost = {(root.path, root.sitemap): root for root in roots if not _has_ancestor_in(folders, root.path)}
    for root in outermost.values():
        if root.sitemap and root.path not in folders:
            for row in rows_of(graph, corpus, selection_of(Root(root.path))):
                if row.get("metadata_sitemap") == root.sitemap:
                    yield row
        elif root.path in folders and not root.sitemap:
            yield from rows_of(graph, corpus, selection_of(Root(root.path)))
    files = (root.path for root in outermost.values() if root.path not in folders and not root.sitemap)
    for sources in batches(files, _SYNCED_SOURCES_A_STATEMENT):  # one of them may have a million records
        for row in graph.stream("corpus/documents_of_sources", corpus.label, sources=sources):
            yield row["document"]


def _has_ancestor_in(folders: set[str], path: str) -> bool:
    return any(parent in folders for parent in with_parents(path)[1:])
