"""Defines the reports on groups, and writes the reports on the groups in a tree level by level."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Protocol, TypeVar

from overstory.graph.client import Row
from overstory.protocols import Progress
from overstory.systems.texts.writers import TextWriter

RULES = "rules"
"""The value of `Report.by` for reports written by rules. Any other value is the name of a language model."""
_LARGE_GROUP_MEMBERS = 1_000  # groups with at least this many members get the highest rating for size

G = TypeVar("G", bound="ReportedGroup")


@dataclass(frozen=True, slots=True)
class Finding:
    """One statement in a report.

    Attributes:
        text: One or two sentences.
        chunks: Ids of the passages that support the statement; must not be empty.
        names: Names that the statement is about.
        also: Ids of the passages that contain these names. They are not cited. But if one of them is deleted, the
            report is deleted.
    """

    text: str
    chunks: tuple[str, ...]
    names: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """A report on a group.

    Attributes:
        key: Digest of the content on which the report is based. Groups with the same content have the same report.
        rating: Importance of the group, from 0 to 10.
        findings: Findings, most important first.
        by: "rules", or the name of the language model that wrote the report.
        stands_on: Ids of all passages on which the report is based. The passages that its findings cite come first.
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
        """The properties of the report's node in the graph.

        The lists `finding_chunks`, `finding_also` and `finding_names` contain one string per finding. Passage ids in
        such a string are separated by spaces, names by line breaks.
        """
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
        """Create a report from the properties of its node."""
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
    """Return the importance of a group, from 0 to 10, rounded to one decimal place.

    The rating depends only on the size and the cohesion of the group. Therefore it does not change with other groups.

    Args:
        strength: Cohesion of the members, from 0 to 1.
    """
    return round(6.0 * min(1.0, log2(1 + size) / log2(1 + _LARGE_GROUP_MEMBERS)) + 4.0 * strength, 1)


@dataclass(frozen=True, slots=True)
class TreeReports:
    """The reports on the groups in a tree.

    Attributes:
        of_node: Map from the nodes of the tree to the reports.
        written: Number of newly written reports.
    """

    of_node: dict[int, Report]
    written: int


class ReportedGroup(Protocol):
    """A group on which a report is written. A writer writes the same report for groups with the same key."""

    @property
    def key(self) -> str: ...


def write_levels(
    levels: Iterable[Sequence[int]],
    groups: Callable[[Sequence[int], Mapping[int, Report]], Iterable[G]],
    writer: TextWriter[G, Report],
    *,
    known: Mapping[str, Report],
    progress: Progress,
) -> TreeReports:
    """Write a report on each group in a tree.

    The deepest level comes first, so that a report on a large group can use the reports on its parts.

    Args:
        levels: The nodes of each level, deepest level first. The nodes of a level are in ascending order.
        groups: Takes the nodes of a level and the reports on deeper levels, and returns the groups of the nodes in
            order.
        known: Map from keys to reports of an earlier build. Groups with the same content keep these reports.
    """
    of_node: dict[int, Report] = {}
    written = 0
    for nodes in levels:
        new: list[tuple[int, G]] = []
        for node, group in zip(nodes, groups(nodes, of_node), strict=True):
            if group.key in known:
                of_node[node] = known[group.key]
                progress.advance(1)
            else:
                new.append((node, group))
        for (node, _), report in zip(new, writer.write(group for _, group in new), strict=True):
            of_node[node] = report
            progress.advance(1)
        written += len(new)
    return TreeReports(of_node, written)
