"""Reports of communities: what a system writes of each, and the passages that it stands on.

A report is a node of its own, joined to its community by `HAS_REPORT` and to passages by `STANDS_ON`. It carries
`Corpus_…_OfChunk`, so that it is deleted in the transaction that deletes one of these passages; the community stays,
without a report until the next build. Communities with the same content share a report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log2

from overstory.graph import Corpus, GraphClient, Transaction, Writer
from overstory.graph.client import Row
from overstory.graph.ids import content_id
from overstory.protocols import Progress
from overstory.systems.tree.changes import Statements, commit_statements, run_statements
from overstory.systems.tree.kinds import TreeKind

LABEL = "CommunityReport"
"""Of reports of all systems; each has its system's own beside it."""


RULES = "rules"
"""In `by`: rules wrote it. Everything else is the name of a language model."""
LARGE = 1_000
"""Members at which a community's size counts in full in its rating."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One statement of a report.

    Attributes:
        text: a sentence or two.
        chunks: the ids of the passages that it stands on, at least one.
        names: what it is about.
        also: the ids of passages that these names are from. They are not cited, but the report goes with them, too.
    """

    text: str
    chunks: tuple[str, ...]
    names: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """A report on a community.

    Attributes:
        key: a digest of what it was made from: equal communities have equal reports.
        rating: how much the community matters, 0 to 10.
        findings: the most important first.
        by: "rules", or the model that wrote it.
        stands_on: ids of all passages whose text it was made from; those of the findings come first.
    """

    key: str
    title: str
    summary: str
    rating: float
    findings: Sequence[Finding]
    by: str
    stands_on: tuple[str, ...]

    @property
    def properties(self) -> Row:
        """Of its node. The passages of each finding stand in `finding_chunks`, ids with spaces between, its names
        in `finding_names`, a line each."""
        return {
            "key": self.key,
            "title": self.title,
            "summary": self.summary,
            "rating": self.rating,
            "by": self.by,
            "findings": [finding.text for finding in self.findings],
            "finding_chunks": [" ".join(finding.chunks) for finding in self.findings],
            "finding_also": [" ".join(finding.also) for finding in self.findings],
            "finding_names": ["\n".join(finding.names) for finding in self.findings],
        }

    @classmethod
    def from_properties(cls, properties: Row, stands_on: Sequence[str]) -> Report:
        """A report as it was stored."""
        columns = ("findings", "finding_chunks", "finding_names", "finding_also")
        findings = zip(*(properties[column] for column in columns), strict=True)
        return cls(
            key=properties["key"],
            title=properties["title"],
            summary=properties["summary"],
            rating=properties["rating"],
            findings=[
                Finding(text, tuple(chunks.split()), tuple(names.split("\n")) if names else (), tuple(also.split()))
                for text, chunks, names, also in findings
            ],
            by=properties["by"],
            stands_on=tuple(stands_on),
        )


def rating_of(size: int, strength: float) -> float:
    """How much a community matters, 0 to 10 with one decimal: by its size, and by how strongly its members hold
    together. It depends on the community alone, so that it can be kept while others change.

    Args:
        strength: 0 to 1.
    """
    return round(6.0 * min(1.0, log2(1 + size) / log2(1 + LARGE)) + 4.0 * strength, 1)


@dataclass(frozen=True, slots=True)
class StoredReports:
    """The reports of a generation.

    Attributes:
        reports: by id.
        of: the id of each community's report by its own; a community without a report is left out.
    """

    reports: Mapping[str, Report] = field(default_factory=dict[str, Report])
    of: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def by_key(self) -> dict[str, Report]:
        return {report.key: report for report in self.reports.values()}


def read_reports(graph: GraphClient, corpus: Corpus, kind: TreeKind, generation: int) -> StoredReports:
    """
    Raises:
        DatabaseError: as `GraphClient.stream`.
    """
    reports: dict[str, Report] = {}
    of: dict[str, str] = {}
    rows = graph.stream("systems/tree/stored_reports", corpus.label, tree=kind.name, generation=generation)
    for row in rows:
        of |= dict.fromkeys(row["communities"], row["id"])
        reports[row["id"]] = Report.from_properties(row["properties"], row["chunks"])
    return StoredReports(reports, of)


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
        yield "systems/tree/remove_reports", self.gone, {}
        yield "systems/tree/part_reports", self.parted, {}
        yield "systems/tree/write_reports", self.new, {"labels": labels}
        yield "systems/tree/join_reports", self.joined, {}


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
    return changes


def store_reports(writer: Writer, changes: ReportChanges, progress: Progress) -> None:
    """Commits as it goes: for a generation that nobody reads yet.

    Raises:
        LeaseLost, DatabaseError: as `Writer.commit`; transactions before stay.
    """
    commit_statements(writer, changes.kind.structure, changes.statements(writer.corpus.label), progress)


def store_reports_in(tx: Transaction, label: str, changes: ReportChanges) -> None:
    """Within one transaction: for the generation that is read."""
    run_statements(tx, label, changes.statements(label))
