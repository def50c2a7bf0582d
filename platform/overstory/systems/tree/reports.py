"""Stores reports on communities, with the passages on which each report is based.

A report is a node. It is linked to its communities by `HAS_REPORT` and to its passages by `STANDS_ON`. Because it has
the label `OfChunk`, it is deleted in the same transaction as any of these passages. The community then has no report
until the next build. Communities with the same content share a report.
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
"""The label of all reports. A report also has the label `TreeKind.reports` of its system."""


def read_reports(graph: GraphClient, corpus: Corpus, kind: TreeKind, generation: int) -> dict[str, Report]:
    """Return a map from keys to the reports in one generation."""
    rows = graph.stream("systems/tree/stored_reports", corpus.label, tree=kind.name, generation=generation)
    reports = (Report.from_properties(row["properties"], row["chunks"]) for row in rows)
    return {report.key: report for report in reports}


def reports_to_reuse(run: SystemRun[Any], kind: TreeKind) -> dict[str, Report]:
    """Return a map from keys to the existing reports that a language model wrote.

    Reports written by rules are not reused, because they depend on the whole corpus.
    """
    if run.chat is None or run.before is None or not run.before.generation:
        return {}
    found = read_reports(run.graph, run.corpus, kind, run.before.generation)
    return {key: report for key, report in found.items() if report.by != RULES}


@dataclass(frozen=True, slots=True)
class ReportRows:
    """The rows that store the reports of a generation and link them to their communities.

    Attributes:
        reports: One row per report.
        joined: One row per community, with the id of its report.
    """

    kind: TreeKind
    corpus: str
    reports: list[Row]
    joined: list[Row]

    @classmethod
    def of(cls, kind: TreeKind, corpus: str, generation: int, wanted: Mapping[str, Report]) -> ReportRows:
        """Return the rows that store the given reports.

        Args:
            corpus: Corpus label.
            wanted: Map from community ids to the reports on these communities.
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
        """Return the statements that write the reports, with their rows and other parameters."""
        kinds = (LABEL, self.kind.reports)
        labels = [each for kind in kinds for each in (kind, f"{self.corpus}_{kind}")]
        return [
            ("systems/tree/write_reports", self.reports, {"labels": labels}),
            ("systems/tree/join_reports", self.joined, {"named": "title" not in self.kind.properties}),
        ]


def report_id(corpus: str, kind: TreeKind, generation: int, key: str) -> str:
    """Return the id of the node that stores the report with a given key."""
    return content_id("community-report", corpus, kind.name, str(generation), key)


def store_reports(writer: Writer, rows: ReportRows, progress: Progress) -> None:
    """Write the reports into a generation that no reader uses yet, in many transactions."""
    commit_statements(writer, rows.kind.structure, rows.statements(), progress)
