"""Keeping a corpus in step with files and folders.

Documents whose files no longer exist are deleted. A moved document keeps its vectors, mentions and facts.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from overstory.display import counted
from overstory.errors import BrokenSource
from overstory.graph import Corpus, GraphClient, Transaction, Writer, batches, schema
from overstory.graph.client import Row
from overstory.graph.ids import chunk_id, failed_file_id
from overstory.index.changes import Changes, Identity, Removal
from overstory.index.removal import RememberedAnswers, removable, remove_in, shrink
from overstory.index.stages.extract import BY as ANNOTATED
from overstory.index.stages.load import LoadReport
from overstory.index.stored_documents import rows_of, selection_of
from overstory.protocols import Progress
from overstory.sources import Coverage, Kept, Root
from overstory.sources.coverage import with_parents

_FAILED_FILES_A_TRANSACTION = 1_000


@dataclass(frozen=True, slots=True)
class FailedFile:
    """A file or other source that could not be read completely in the last attempt.

    Attributes:
        reason: the first error, without the path.
        remedy: what to do; "" if unknown.
        since: time of the first failure, in ISO 8601 format.
        root: path that was passed to `ingest`; "" for files that no longer exist after loading, such as uploads.
    """

    source: str
    reason: str
    remedy: str
    line: int | None
    faults: int
    since: str
    root: str


def failed_files(graph: GraphClient, corpus: Corpus, under: Sequence[str] = ()) -> list[FailedFile]:
    """List the sources of a corpus that could not be read completely, sorted by source.

    Args:
        under: list only sources at or below these paths; by default all.
    """
    roots = [Root(path) for path in under]
    found: list[FailedFile] = []
    for row in graph.run("corpus/failed_files", corpus.label, read=True):
        if not roots or any(root.holds(row["source"]) for root in roots):
            since: datetime.datetime = row["since"].to_native()
            names = ("source", "reason", "remedy", "line", "faults", "root")
            found.append(FailedFile(**{name: row[name] for name in names}, since=since.isoformat(timespec="seconds")))
    return found


def remember_failed(writer: Writer, broken: Iterable[BrokenSource], coverage: Coverage, roots: Sequence[str]) -> None:
    """Record the sources that failed in a run. Delete the records of sources that were read or no longer exist.

    Only changes are written.

    Args:
        roots: absolute paths that were passed to the run.
    """
    corpus = writer.corpus
    known = {row["source"]: row for row in writer.graph.run("corpus/failed_files", corpus.label, read=True)}
    failed = _rows(corpus, broken, coverage, roots, {source: row["root"] for source, row in known.items()})
    new = [row for source, row in failed.items() if source not in known or not _same(row, known[source])]
    read = [row["id"] for source, row in known.items() if source not in failed and coverage.has_no_fault(source)]
    for rows in batches(new, _FAILED_FILES_A_TRANSACTION):

        def write(tx: Transaction, rows: list[dict[str, object]] = rows) -> None:
            tx.run("ingest/write_failed_files", corpus.label, rows=rows)

        writer.commit("ingest", write)
    for ids in batches(read, _FAILED_FILES_A_TRANSACTION):

        def forget(tx: Transaction, ids: list[str] = ids) -> None:
            tx.run("ingest/remove_failed_files", corpus.label, ids=ids)

        writer.commit("ingest", forget)


def _rows(
    corpus: Corpus, broken: Iterable[BrokenSource], coverage: Coverage, roots: Sequence[str], known: dict[str, str]
) -> dict[str, dict[str, object]]:
    """Return a map from each failed source to the row to write, with its first error and its number of errors."""
    found: dict[str, dict[str, object]] = {}
    counts: dict[str, int] = {}
    for error in broken:
        source = coverage.stored_source(error.source)
        if source is None:
            continue
        counts[source] = counts.get(source, 0) + 1
        if source not in found:
            root = next((path for path in roots if _holds(path, error.source)), "")
            found[source] = {
                "id": failed_file_id(corpus.label, source),
                "source": source,
                "root": "" if coverage.folder is not None else known.get(source) or root,
                "reason": error.reason,
                "remedy": error.remedy,
                "line": error.line,
            }
    return {source: {**row, "faults": counts[source]} for source, row in found.items()}


def _holds(root: str, source: str) -> bool:
    """Return True if the run found the source because of the path `root`. A sitemap leads to pages of its host."""
    is_page = root.startswith(("http://", "https://"))
    return Root(with_parents(root)[-1] if is_page else root).holds(source)


def _same(row: dict[str, object], known: dict[str, object]) -> bool:
    return all(known[name] == value for name, value in row.items())


Pair = dict[str, str]
"""The ids ("old" and "new") of two chunks or two documents with the same text."""

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
    """Record the stored documents whose files no longer exist under the run's paths, and find out which ones moved.

    Documents that the run did not read but that may still exist are kept, and counted in `report.kept`. If a folder is
    missing or empty, a disk may not be mounted. In that case, a document from this folder counts as moved if the run
    found its content elsewhere; otherwise it is kept.

    Args:
        allow_empty: True to delete the documents of missing or empty paths.
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
            changes.note_missing(document, kept=number)
        else:
            kept_documents[kept] += 1
    unmoved = changes.find_moves()
    kept_documents.update({kept: unmoved[number] for kept, number in emptied.items() if unmoved[number]})
    report.kept = [replace(kept, documents=number) for kept, number in kept_documents.items()]


def count_in(graph: GraphClient, corpus: Corpus, roots: list[Root]) -> int:
    schema.create_database_indexes(graph)
    return sum(1 for _ in _rows_of_roots(graph, corpus, roots))


def remove_vanished(writer: Writer, changes: Changes, *, answers: RememberedAnswers, progress: Progress) -> None:
    """Delete the missing documents, and the old versions of moved documents.

    Vectors, extractions and cached answers of a moved document are first transferred to its new version. Each document
    is deleted in one transaction, unless it is too large (see `shrink`).
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
    """Disable the new version of each disabled document that moved. Searches could already find the new version."""
    corpus = writer.corpus
    if not corpus.disabled:
        return
    moved = ({"old": removal.id, "new": removal.heir} for removal in changes.removals() if removal.heir)
    for rows in batches(moved, _MOVED_DOCUMENTS_A_STATEMENT):

        def work(tx: Transaction, rows: list[Pair] = rows) -> None:
            tx.run("ingest/carry_over_disabled", corpus.label, rows=rows)

        writer.commit("sync", work)


def _carry_over_large(writer: Writer, removal: Removal, answers: RememberedAnswers) -> None:
    corpus = writer.corpus
    found = writer.graph.reading("sync", lambda tx: _pairs(tx, corpus, removal))
    for pairs in batches(found, _MOVED_CHUNKS_A_STATEMENT):

        def work(tx: Transaction, pairs: list[Pair] = pairs) -> None:
            _carry(tx, corpus, pairs, answers)

        writer.commit("sync", work)


def _carry_over(tx: Transaction, corpus: Corpus, removal: Removal, answers: RememberedAnswers) -> None:
    for pairs in batches(_pairs(tx, corpus, removal), _MOVED_CHUNKS_A_STATEMENT):
        _carry(tx, corpus, pairs, answers)


def _carry(tx: Transaction, corpus: Corpus, pairs: list[Pair], answers: RememberedAnswers) -> None:
    tx.run("ingest/carry_over_vectors", corpus.label, property=corpus.embedding_property, rows=pairs)
    tx.run("ingest/carry_over_extractions", corpus.label, annotated=ANNOTATED, rows=pairs)
    answers.move([(pair["old"], pair["new"]) for pair in pairs])


def _pairs(tx: Transaction, corpus: Corpus, removal: Removal) -> list[Pair]:
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
    """Each document is yielded once."""
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
    for sources in batches(files, _SYNCED_SOURCES_A_STATEMENT):  # few at a time: a file may contain a million records
        for row in graph.stream("corpus/documents_of_sources", corpus.label, sources=sources):
            yield row["document"]


def _has_ancestor_in(folders: set[str], path: str) -> bool:
    return any(parent in folders for parent in with_parents(path)[1:])
