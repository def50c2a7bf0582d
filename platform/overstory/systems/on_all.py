"""Questions on all documents: who answers them in a corpus, best first. A system that answers them itself, then reports
on the coarsest communities of any tree, then the passages that stand for most others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from overstory.display import index_command, on_one_line
from overstory.errors import IndexMissing
from overstory.graph import Corpus, Transaction
from overstory.graph.client import Row
from overstory.model import Evidence, RatedReport
from overstory.model.parts import ReportFinding
from overstory.retrieve.central_passages import central_passages
from overstory.retrieve.context import RetrievalContext, query_current_corpus
from overstory.retrieve.hits import chunk_rows, source_hits
from overstory.systems.base import System
from overstory.systems.settings import SettingsClass
from overstory.systems.state import StaleNotes, require_state
from overstory.systems.texts.reports import Report
from overstory.systems.tree.finding import FoundTree, find_tree

_OVERVIEW_REPORTS = 8  # reports that an answer about all documents reads
_FEW_OVERVIEW_REPORTS = 5
"""If the coarsest communities have fewer reports, those right below them are taken, too."""
_FINDINGS_OF_A_REPORT = 3  # findings of each report that are read
_PASSAGES_OF_A_FINDING = 3
"""Of a finding."""
_MOST_OVERVIEW_LEVELS = 3
"""Levels that are looked at."""


def answers_itself(systems: Sequence[System[Any, Any]], retriever: str | SettingsClass) -> bool:
    """Whether a retriever answers questions on all documents itself; one that is given as settings is left to it."""
    if not isinstance(retriever, str):
        return True
    return any(system.answers_on_all for system in systems if system.name == retriever.partition(":")[0])


def retriever_for_all(systems: Sequence[System[Any, Any]], corpus: Corpus) -> str:
    """The name of a system that answers questions on all documents, and whose index the corpus has; "" if none is."""
    for system in systems:
        if system.answers_on_all:
            try:
                require_state(system, corpus)
            except IndexMissing:
                continue
            return system.name
    return ""


def overview(systems: Sequence[System[Any, Any]], context: RetrievalContext, question: str) -> Evidence:
    """What reports on the coarsest communities say, or else the passages that stand for most others, with a note that
    says what would answer better.
    """

    def query(tx: Transaction, corpus: Corpus) -> Evidence | None:
        try:
            found = find_tree(systems, corpus, with_reports=True)
        except IndexMissing:
            return None
        stored = list(_stored(tx, corpus, found))
        rows = chunk_rows(tx, corpus, (chunk for _, report in stored for chunk in _chunks(report)))
        parts = [part for row, report in stored if (part := _part(row, report, rows)) is not None]
        if not parts:
            return None
        chunks = dict.fromkeys(chunk for part in parts for chunk in part.chunks)
        system = found.system
        notes = StaleNotes(system).of(tx, corpus, found.state)
        return Evidence(
            question,
            system.name,
            (),
            notes=tuple(notes),
            parts=tuple(parts),
            sources=source_hits(rows, chunks),
            shares={"report": 1.0},
        )

    evidence = query_current_corpus(context, "retrieve/on_all", query)
    better = next((system for system in systems if system.answers_on_all), None)
    command = "" if better is None else index_command(context.corpus_name, better.name)
    more = f" For better ones: {command}, then ask again." if command else ""
    if evidence is not None:
        by = next(system.title for system in systems if system.name == evidence.retriever)
        said = (
            f"This asks about all documents: it is answered by the reports of {by} on the coarsest communities.{more}"
        )
        return replace(evidence, notes=(said, *evidence.notes))
    found = central_passages(context, question, 2 * _OVERVIEW_REPORTS)
    reports = f" For reports instead: {command}, then ask again." if command else ""
    said = f"This asks about all documents: these are passages that stand for many others.{reports}"
    return replace(found, notes=(said, *found.notes))


def _stored(tx: Transaction, corpus: Corpus, found: FoundTree) -> Iterator[tuple[Row, Report]]:
    """The reports on the coarsest communities, with id, level and size of each, none of a title twice."""
    tree = {"tree": found.kind.name, "generation": found.state.generation}
    levels = tx.run(found.kind.statement("systems/tree/report_levels"), corpus.label, **tree)
    titles: set[str] = set()
    for row in [row for row in levels if row["reports"]][:_MOST_OVERVIEW_LEVELS]:
        if len(titles) >= _FEW_OVERVIEW_REPORTS:
            return
        statement = found.kind.statement("systems/tree/report_list")
        for listed in tx.run(statement, corpus.label, **tree, level=row["level"], limit=_OVERVIEW_REPORTS):
            if len(titles) < _OVERVIEW_REPORTS and listed["title"] not in titles:
                of = tx.run(found.kind.statement("systems/tree/report_of"), corpus.label, id=listed["id"], below=0)
                if of and of[0]["report"]:
                    titles.add(listed["title"])
                    yield listed, Report.from_properties(of[0]["report"], ())


def _chunks(report: Report) -> Iterable[str]:
    return (
        chunk
        for finding in report.findings[:_FINDINGS_OF_A_REPORT]
        for chunk in finding.chunks[:_PASSAGES_OF_A_FINDING]
    )


def _part(listed: Row, report: Report, rows: Mapping[str, Row]) -> RatedReport | None:
    """A report as a part, None where no passage of its findings is left."""
    findings = tuple(
        ReportFinding(finding.text, chunks)
        for finding in report.findings[:_FINDINGS_OF_A_REPORT]
        if (chunks := tuple(chunk for chunk in finding.chunks[:_PASSAGES_OF_A_FINDING] if chunk in rows))
    )
    carried = tuple(dict.fromkeys(chunk for finding in findings for chunk in finding.chunks))
    if not carried:
        return None
    heading = on_one_line(report.title)
    return RatedReport(
        text="\n".join(filter(None, [heading, report.summary, *(f"- {finding.text}" for finding in findings)])),
        score=report.rating,
        chunks=carried,
        documents=tuple(dict.fromkeys(rows[chunk]["document_id"] for chunk in carried)),
        community=listed["id"],
        level=listed["level"],
        size=listed["size"],
        heading=heading,
        summary=report.summary,
        rating=report.rating,
        findings=findings,
    )
