"""Reports on groups: their contents, and how the reports on the groups of a tree are written level by level."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Protocol, TypeVar

from overstory.graph.client import Row
from overstory.protocols import Progress
from overstory.systems.texts.writers import TextWriter

RULES = "rules"
"""Value of `by` for reports written by rules. Any other value names a language model."""
_LARGE_GROUP_MEMBERS = 1_000  # members from which the size of a group counts in full

G = TypeVar("G", bound="ReportedGroup")


@dataclass(frozen=True, slots=True)
class Finding:
    """One statement of a report.

    Attributes:
        text: One or two sentences.
        chunks: Ids of the passages that support the statement, at least one.
        names: Names that the statement is about.
        also: Ids of passages from which these names come. They are not cited, but the report is deleted with them.
    """

    text: str
    chunks: tuple[str, ...]
    names: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """A report on a group.

    Attributes:
        key: Digest of the content that the report was made from. Equal groups have equal reports.
        rating: Importance of the group, 0 to 10.
        findings: Findings, most important first.
        by: "rules", or the name of the model that wrote the report.
        stands_on: Ids of all passages from which the report was made, those of the findings first.
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
        """Properties of the report's node.

        `finding_chunks` has each finding's passage ids, separated by spaces; `finding_names` its names, one per line.
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
        """Return the report with the stored properties."""
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
    """Return the importance of a group, 0 to 10 with one decimal, from its size and its cohesion.

    The rating depends on the group alone, so it can be kept while other groups change.

    Args:
        strength: Cohesion of the members, 0 to 1.
    """
    return round(6.0 * min(1.0, log2(1 + size) / log2(1 + _LARGE_GROUP_MEMBERS)) + 4.0 * strength, 1)


@dataclass(frozen=True, slots=True)
class TreeReports:
    """The reports on the groups of a tree, by node, and the number of newly written reports."""

    of_node: dict[int, Report]
    written: int


class ReportedGroup(Protocol):
    """A group to report on. Groups with equal keys get equal reports from the same writer."""

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
    """Write a report on each group of a tree, deepest level first: reports on parts describe large groups.

    Args:
        levels: Nodes of each level, ascending.
        groups: Returns the groups of the given nodes, in order. Receives the reports of deeper levels as well.
        known: Reports of an earlier build, by key. Groups with the same content keep them.
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
