"""Files that could not be read, or not all of them, remembered from run to run until they are read or gone."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from overstory.errors import BrokenSource
from overstory.graph import Corpus, GraphClient, Transaction, Writer, batches
from overstory.graph.ids import failed_file_id
from overstory.sources import Coverage, Root
from overstory.sources.coverage import with_parents

_FAILED_FILES_A_TRANSACTION = 1_000


@dataclass(frozen=True, slots=True)
class FailedFile:
    """A file, or another source, of which something could not be read when it was last looked at.

    Attributes:
        source: its path or address.
        reason: the first thing that is wrong with it, without its path.
        remedy: what to do about it; "" if nothing is known.
        line: of the first fault, if that is known.
        faults: how many things are wrong.
        since: when it failed first, in ISO 8601.
        root: the path that was given to `ingest`; "" if the file is not kept, as uploads are not.
    """

    source: str
    reason: str
    remedy: str
    line: int | None
    faults: int
    since: str
    root: str


def failed_files(graph: GraphClient, corpus: Corpus, under: Sequence[str] = ()) -> list[FailedFile]:
    """What could not be read of a corpus, by source.

    Args:
        under: only what is at these paths, or below.
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
    """Remembers what could not be read in a run, and forgets what was read now, or is gone. Writes only what changed.

    Args:
        roots: the paths that were given, absolute.
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
    """What to write, by source: of each the first fault, and how many there are."""
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
    """Whether a path that was given led to a source; a sitemap leads to pages of its host."""
    is_page = root.startswith(("http://", "https://"))
    return Root(with_parents(root)[-1] if is_page else root).holds(source)


def _same(row: dict[str, object], known: dict[str, object]) -> bool:
    return all(known[name] == value for name, value in row.items())
