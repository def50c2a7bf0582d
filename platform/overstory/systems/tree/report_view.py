"""Shows the reports on the communities in a tree."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from overstory.display import counted, index_command
from overstory.errors import QuestionError
from overstory.graph import Corpus, GraphClient, Transaction
from overstory.graph.client import Row
from overstory.model import Hit
from overstory.model.communities import (
    CommunityReports,
    FullReport,
    ReportedCommunity,
    ReportPassage,
    ReportStatement,
)
from overstory.model.documents import PLURAL, Unit
from overstory.retrieve.among import Among
from overstory.retrieve.context import asked_corpus
from overstory.retrieve.hits import chunk_rows, source_hits
from overstory.systems.base import System
from overstory.systems.state import StaleNotes
from overstory.systems.support import SupportFilter
from overstory.systems.texts.reports import Report
from overstory.systems.tree.lookup import FoundTree, community_id, find_tree, other_trees

MOST_REPORTS_LISTED = 100
_MOST_REPORTS_TRIED = 1_000  # maximum number of reports on a level that are checked against a filter
_MOST_REPORTS_BELOW = 20  # maximum number of subcommunities whose reports are listed with a report
_MOST_PASSAGES_OF_A_FINDING = 5


def view_reports(
    systems: Sequence[System[Any, Any]],
    graph: GraphClient,
    corpus_name: str,
    *,
    level: int | None = None,
    limit: int,
    tree: str = "",
    among: Callable[[Transaction, Corpus], Among] | None = None,
) -> CommunityReports:
    """Return the reports on the communities on one level of a tree.

    Args:
        level: Number of the level; by default the coarsest level with reports.
        tree: Name of the tree; by default the first tree with reports.
        among: Returns the documents that match a filter. Reports that are also based on other documents are left out.
    """
    if not 1 <= limit <= MOST_REPORTS_LISTED:
        raise QuestionError(
            f"limit must be between 1 and {MOST_REPORTS_LISTED}, got {limit}.",
            remedy=f"Ask for 1 to {MOST_REPORTS_LISTED} reports.",
        )

    def ask(tx: Transaction) -> CommunityReports:
        corpus = asked_corpus(graph, corpus_name, tx)
        found = find_tree(systems, corpus, tree, with_reports=True)
        counts = _run(tx, corpus, found, "systems/tree/report_levels")
        if not counts:
            raise found.gone(corpus)
        levels = {row["level"]: row for row in counts if row["level"]}
        if among is not None:
            others = () if tree else other_trees(systems, corpus, found, with_reports=True)
            return _matching_reports(found, SupportFilter(among(tx, corpus)), levels, level, limit, others)
        shown = _level(levels, level)
        own = {"level": shown, "limit": limit}
        row = levels.get(shown, {"communities": 0, "reports": 0})
        hidden = row["communities"] - row["reports"]
        without = _run(tx, corpus, found, "systems/tree/without_report", **own) if hidden else []
        return CommunityReports(
            corpus=corpus.name,
            tree=found.kind.name,
            level=shown,
            levels=tuple(row["reports"] for row in levels.values()),
            reports=_all(_run(tx, corpus, found, "systems/tree/report_list", **own), found.kind.unit),
            without=_all(without, found.kind.unit),
            hidden=hidden,
            notes=(
                *_outdated(tx, corpus, found),
                *_missing(corpus, hidden),
                *(() if levels else _empty(tx, corpus, found)),
                *(() if tree else other_trees(systems, corpus, found, with_reports=True)),
            ),
        )

    return graph.reading("retrieve/reports", ask)


def view_report(
    systems: Sequence[System[Any, Any]],
    graph: GraphClient,
    corpus_name: str,
    community: str,
    *,
    tree: str = "",
    among: Callable[[Transaction, Corpus], Among] | None = None,
) -> FullReport:
    """Return the report on a community, with the passages that its findings cite and the communities around it.

    Args:
        community: Id of the community, or enough of its first characters to be unique.
        systems, tree, among: See `view_reports`.
    """

    def ask(tx: Transaction) -> FullReport:
        corpus = asked_corpus(graph, corpus_name, tx)
        found = find_tree(systems, corpus, tree, with_reports=True)
        support = None if among is None else SupportFilter(among(tx, corpus))

        def own(ids: Iterable[str]) -> set[str]:
            return set(ids) if support is None else _own(found, support, ids)

        keeps = None if support is None else own
        id_ = community_id(tx, corpus, found, community, command="report", own=keeps)
        rows = tx.run(found.kind.statement("systems/tree/report_of"), corpus.label, id=id_, below=_MOST_REPORTS_BELOW)
        if not rows:
            raise found.gone(corpus)
        [row] = rows
        stored: Row | None = row["report"]
        report = None if stored is None else Report.from_properties(stored, ())
        shown = own([each["id"] for each in (*row["above"], *row["below"])])
        above, below = ([each for each in row[where] if each["id"] in shown] for where in ("above", "below"))
        return FullReport(
            corpus=corpus.name,
            tree=found.kind.name,
            community=_reported((stored or {}) | row["community"], found.kind.unit),
            findings=() if report is None else _findings(tx, corpus, report),
            passages=row["passages"],
            above=_all(above, found.kind.unit),
            below=_all(below, found.kind.unit),
            communities=row["communities"] if support is None else len(below),
            notes=(
                *(() if support is not None and support.restricted else _outdated(tx, corpus, found)),
                *_missing(corpus, int(report is None and row["community"]["level"] > 0)),
            ),
        )

    return graph.reading("retrieve/report", ask)


def _own(found: FoundTree, support: SupportFilter, ids: Iterable[str]) -> set[str]:
    """Return the communities whose reports are based on matching documents only.

    If the filter is restricted, the members of these communities must be based on matching documents only, too.
    """
    own = support.own(ids, "systems/tree/report_stands_on")
    return support.own(own, found.kind.statement("systems/tree/stands_on")) if support.restricted else own


def _matching_reports(
    found: FoundTree,
    support: SupportFilter,
    levels: dict[int, Row],
    level: int | None,
    limit: int,
    others: tuple[str, ...],
) -> CommunityReports:
    tx, corpus = support.among.tx, support.among.corpus
    tried = sorted(levels) if level is None else [_level(levels, level)]
    shown, kept, left_out, more = tried[0] if tried else 1, list[Row](), 0, False
    for shown in tried:
        listed = _run(tx, corpus, found, "systems/tree/report_list", level=shown, limit=_MOST_REPORTS_TRIED)
        own = _own(found, support, (row["id"] for row in listed))
        kept = [row for row in listed if row["id"] in own]
        left_out += len(listed) - len(kept)
        more |= len(listed) == _MOST_REPORTS_TRIED
        if kept:
            break
    notes = [*support.among.notes, *others]
    if not support.restricted:
        notes += _outdated(tx, corpus, found)
        if left_out:
            use = "uses" if left_out == 1 else "use"
            notes.append(f"left out: {counted(left_out, 'report')} that also {use} other documents")
        if more:
            notes.append(f"only the {_MOST_REPORTS_TRIED:,} highest-rated reports of a level were checked")
    return CommunityReports(
        corpus=corpus.name,
        tree=found.kind.name,
        level=shown,
        levels=tuple(len(kept) if each == shown else 0 for each in sorted(levels)),
        reports=_all(kept[:limit], found.kind.unit),
        notes=tuple(notes),
    )


def _level(levels: dict[int, Row], wanted: int | None) -> int:
    """Return the level to show.

    Args:
        levels: Map from the numbers of all levels to their counts of communities and reports.
        wanted: The requested level. If it is None, the coarsest level with a report is shown, or level 1 if there is no
            report.
    """
    if wanted is None:
        return min((level for level, row in levels.items() if row["reports"]), default=1)
    if wanted not in levels:
        remedy = f"Ask for level 1 to {max(levels)}." if levels else "The tree has no communities."
        raise QuestionError(f"The tree has no level {wanted}.", remedy=remedy)
    return wanted


def _run(tx: Transaction, corpus: Corpus, found: FoundTree, statement: str, **parameters: object) -> list[Row]:
    path, generation = found.kind.statement(statement), found.state.generation
    return tx.run(path, corpus.label, tree=found.kind.name, generation=generation, **parameters)


def _outdated(tx: Transaction, corpus: Corpus, found: FoundTree) -> Iterator[str]:
    return StaleNotes(found.system).of(tx, corpus, found.state)


def _empty(tx: Transaction, corpus: Corpus, found: FoundTree) -> Iterator[str]:
    rows = _run(tx, corpus, found, "systems/tree/levels")
    size = rows[0]["size"] if rows else 0
    units = PLURAL[found.kind.unit]
    why = f"no edges connect its {size:,} {units}" if size else f"it has no {units}"
    yield (
        f"the {found.kind.title} has no communities to report on because {why}: ingest more documents (overstory "
        f"ingest PATH --corpus {shlex.quote(corpus.name)}), then run {index_command(corpus.name)}"
    )


def _missing(corpus: Corpus, number: int) -> Iterator[str]:
    if number:
        have = "has" if number == 1 else "have"
        yield (
            f"{counted(number, 'community', 'communities')} {have} no report. A report is deleted with any of its "
            f"passages; to write missing reports, run {index_command(corpus.name)}"
        )


def _all(rows: Sequence[Row], unit: Unit) -> tuple[ReportedCommunity, ...]:
    return tuple(_reported(row, unit) for row in rows)


def _reported(row: Row, unit: Unit) -> ReportedCommunity:
    return ReportedCommunity(
        id=row["id"],
        unit=unit,
        level=row["level"],
        size=row["size"],
        title=row.get("title") or "",
        summary=row.get("summary") or "",
        rating=row.get("rating") or 0.0,
        by=row.get("by") or "",
    )


def _findings(tx: Transaction, corpus: Corpus, report: Report) -> tuple[ReportStatement, ...]:
    rows = chunk_rows(
        tx, corpus, (id_ for finding in report.findings for id_ in finding.chunks[:_MOST_PASSAGES_OF_A_FINDING])
    )
    hits = {hit.chunk_id: hit for hit in source_hits(rows, rows)}
    return tuple(
        ReportStatement(
            text=finding.text,
            names=finding.names,
            passages=tuple(_passage(hits[id_]) for id_ in finding.chunks[:_MOST_PASSAGES_OF_A_FINDING] if id_ in hits),
        )
        for finding in report.findings
    )


def _passage(hit: Hit) -> ReportPassage:
    return ReportPassage(
        chunk_id=hit.chunk_id,
        document_id=hit.document_id,
        source=hit.source,
        source_key=hit.source_key,
        title=hit.title,
        heading=hit.heading,
        page=hit.page,
    )
