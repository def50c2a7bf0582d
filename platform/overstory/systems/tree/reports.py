"""Stored reports on communities, with the passages on which each report is based.

A report is a node, linked to its community by `HAS_REPORT` and to its passages by `STANDS_ON`. It carries `OfChunk`, so
it is deleted in the same transaction as any of these passages. The community then stays without a report until the next
build. Communities with the same content share a report.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from overstory.graph import Corpus, GraphClient, Writer
from overstory.graph.client import Row
from overstory.graph.ids import content_id
from overstory.protocols import Progress
from overstory.systems.base import SystemRun
from overstory.systems.statements import Statement, commit_statements
from overstory.systems.texts.reports import RULES, Report
from overstory.systems.tree.kinds import TreeKind

LABEL = "CommunityReport"
"""Label of the reports of all systems. Each report also has its system's own label."""


def read_reports(graph: GraphClient, corpus: Corpus, kind: TreeKind, generation: int) -> dict[str, Report]:
    """Return the reports of a generation, by key."""
    rows = graph.stream("systems/tree/stored_reports", corpus.label, tree=kind.name, generation=generation)
    reports = (Report.from_properties(row["properties"], row["chunks"]) for row in rows)
    return {report.key: report for report in reports}


def reports_to_reuse(run: SystemRun[Any], kind: TreeKind) -> dict[str, Report]:
    """Return model-written reports in use, by key. Those by rules depend on the whole corpus and are not reused."""
    if run.chat is None or run.before is None or not run.before.generation:
        return {}
    found = read_reports(run.graph, run.corpus, kind, run.before.generation)
    return {key: report for key, report in found.items() if report.by != RULES}


@dataclass(frozen=True, slots=True)
class ReportRows:
    """Rows of the reports of a generation, and of the links to their communities."""

    kind: TreeKind
    corpus: str
    reports: list[Row]
    joined: list[Row]

    @classmethod
    def of(cls, kind: TreeKind, corpus: str, generation: int, wanted: Mapping[str, Report]) -> ReportRows:
        """Return the rows for the reports on communities.

        Args:
            corpus: Corpus label.
            wanted: Report on each community, by community id.
        """
        always = {"corpus": corpus, "derived": kind.structure, "generation": generation}
        ids = {community: report_id(corpus, kind, generation, report.key) for community, report in wanted.items()}
        distinct = {ids[community]: report for community, report in wanted.items()}
        reports = [
            {"id": id_, "properties": report.properties | always, "chunks": list(report.stands_on)}
            for id_, report in distinct.items()
        ]
        return cls(kind, corpus, reports, [{"community": each, "report": id_} for each, id_ in ids.items()])

    def __len__(self) -> int:
        return len(self.reports) + len(self.joined)

    def statements(self) -> list[Statement]:
        """Return each statement with its rows and its other parameters."""
        kinds = (LABEL, self.kind.reports)
        labels = [each for kind in kinds for each in (kind, f"{self.corpus}_{kind}")]
        return [
            ("systems/tree/write_reports", self.reports, {"labels": labels}),
            ("systems/tree/join_reports", self.joined, {"named": "title" not in self.kind.properties}),
        ]


def report_id(corpus: str, kind: TreeKind, generation: int, key: str) -> str:
    """Return the id of a report's node; `corpus` is the corpus label."""
    return content_id("community-report", corpus, kind.name, str(generation), key)


def store_reports(writer: Writer, rows: ReportRows, progress: Progress) -> None:
    """Write the reports in batches of transactions, into a generation that no reader uses yet."""
    commit_statements(writer, rows.kind.structure, rows.statements(), progress)
