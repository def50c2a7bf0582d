"""Reports on groups: what one says, and how those on the groups of a tree are written, level by level."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Protocol, TypeVar

from overstory.graph.client import Row
from overstory.protocols import Progress
from overstory.systems.texts.writers import TextWriter

RULES = "rules"
"""In `by`: rules wrote it. Everything else is the name of a language model."""
_LARGE_GROUP_MEMBERS = 1_000
"""Members at which a group's size counts in full in its rating."""

G = TypeVar("G", bound="ReportedGroup")


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
    """A report on a group.

    Attributes:
        key: a digest of what it was made from: equal groups have equal reports.
        rating: how much the group matters, 0 to 10.
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
    """How much a group matters, 0 to 10 with one decimal: by its size, and by how strongly its members hold
    together. It depends on the community alone, so that it can be kept while others change.

    Args:
        strength: 0 to 1.
    """
    return round(6.0 * min(1.0, log2(1 + size) / log2(1 + _LARGE_GROUP_MEMBERS)) + 4.0 * strength, 1)


@dataclass(frozen=True, slots=True)
class TreeReports:
    """The reports on the groups of a tree by node, and how many of them were written now."""

    of_node: dict[int, Report]
    written: int


class ReportedGroup(Protocol):
    """A group to report on. Equal keys, equal reports by one writer."""

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
    """A report on each group, the deepest level first, because large ones are described by the reports on their parts.

    Args:
        levels: the nodes of each level, ascending.
        groups: the groups of the nodes of a level, in order; gets the reports of deeper levels, too.
        known: reports by key, as an earlier build wrote them: groups with the same content keep theirs.
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
