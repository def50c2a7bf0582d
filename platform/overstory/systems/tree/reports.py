"""Reports on communities as they are stored, with the passages that each stands on.

A report is a node of its own, joined to its community by `HAS_REPORT` and to passages by `STANDS_ON`. It carries
`OfChunk`, so that it is deleted in the transaction that deletes one of these passages; the community stays,
without a report until the next build. Communities with the same content share a report.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from overstory.graph import Corpus, GraphClient, Transaction, Writer
from overstory.graph.client import Row
from overstory.graph.ids import content_id
from overstory.protocols import Progress
from overstory.systems.statements import Statements, commit_statements, run_statements
from overstory.systems.texts.reports import Report
from overstory.systems.tree.kinds import TreeKind

LABEL = "CommunityReport"
"""Of reports of all systems; each has its system's own beside it."""


@dataclass(frozen=True, slots=True)
class StoredReports:
    """The reports of a generation.

    Attributes:
        reports: by id.
        of: the id of each community's report by its own; a community without a report is left out.
    """

    reports: Mapping[str, Report] = field(default_factory=dict[str, Report])
    of: Mapping[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def from_rows(cls, rows: Iterable[Row]) -> StoredReports:
        """From rows with `id`, `properties`, `chunks` and `communities`."""
        reports: dict[str, Report] = {}
        of: dict[str, str] = {}
        for row in rows:
            of |= dict.fromkeys(row["communities"], row["id"])
            reports[row["id"]] = Report.from_properties(row["properties"], row["chunks"])
        return cls(reports, of)

    @property
    def by_key(self) -> dict[str, Report]:
        return {report.key: report for report in self.reports.values()}


def read_reports(graph: GraphClient, corpus: Corpus, kind: TreeKind, generation: int) -> StoredReports:
    return StoredReports.from_rows(
        graph.stream("systems/tree/stored_reports", corpus.label, tree=kind.name, generation=generation)
    )


@dataclass(frozen=True, slots=True)
class ReportChanges:
    """Rows of the statements that bring stored reports up to date."""

    kind: TreeKind
    gone: list[Row]
    parted: list[Row]
    new: list[Row]
    joined: list[Row]

    def __len__(self) -> int:
        return len(self.gone) + len(self.parted) + len(self.new) + len(self.joined)

    def statements(self, label: str) -> Statements:
        """Each statement with its rows and what it takes besides."""
        kinds = (LABEL, self.kind.reports)
        labels = [each for kind in kinds for each in (kind, f"{label}_{kind}")]
        yield "systems/store/remove", self.gone, {}
        yield "systems/tree/part_reports", self.parted, {}
        yield "systems/tree/write_reports", self.new, {"labels": labels}
        yield "systems/tree/join_reports", self.joined, {"named": "title" not in self.kind.properties}


def report_id(corpus: str, kind: TreeKind, generation: int, key: str) -> str:
    """The id of a report's node; `corpus` is the label."""
    return content_id("community-report", corpus, kind.name, str(generation), key)


def report_changes(
    kind: TreeKind, corpus: str, generation: int, wanted: Mapping[str, Report], stored: StoredReports
) -> ReportChanges:
    """What differs from the stored reports.

    Args:
        corpus: the label.
        wanted: the report of each community, by its id.
    """
    changes = ReportChanges(kind, [], [], [], [])
    always = {"corpus": corpus, "derived": kind.structure, "generation": generation}
    there: set[str] = set()
    for community, report in wanted.items():
        id_ = report_id(corpus, kind, generation, report.key)
        if id_ not in stored.reports and id_ not in there:
            changes.new.append({"id": id_, "properties": report.properties | always, "chunks": list(report.stands_on)})
        there.add(id_)
        if stored.of.get(community) != id_:
            changes.joined.append({"community": community, "report": id_})
            changes.parted.extend([{"community": community}] * (community in stored.of))
    changes.gone.extend({"id": id_} for id_ in stored.reports if id_ not in there)
    changes.parted.extend(
        {"community": community} for community, id_ in stored.of.items() if community not in wanted and id_ not in there
    )
    return changes


def store_reports(writer: Writer, changes: ReportChanges, progress: Progress) -> None:
    """Commits as it goes: for a generation that nobody reads yet."""
    commit_statements(writer, changes.kind.structure, changes.statements(writer.corpus.label), progress)


def store_reports_in(tx: Transaction, label: str, changes: ReportChanges) -> None:
    """Within one transaction: for the generation that is read."""
    run_statements(tx, label, changes.statements(label))
