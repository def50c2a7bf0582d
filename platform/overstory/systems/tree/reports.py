"""Reports of communities: what a system writes of each, and the passages that it stands on.

A report is a node of its own, joined to its community by `HAS_REPORT` and to passages by `STANDS_ON`. It carries
`Corpus_…_OfChunk`, so that it is deleted in the transaction that deletes one of these passages; the community stays,
without a report until the next build. Communities with the same content share a report.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from overstory.graph.client import Row

LABEL = "CommunityReport"
"""Of reports of all systems; each has its system's own beside it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One statement of a report.

    Attributes:
        text: a sentence or two.
        chunks: the ids of the passages that it stands on, at least one.
        names: what it is about.
    """

    text: str
    chunks: tuple[str, ...]
    names: tuple[str, ...] = ()


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
        """Of its node. The passages of each finding stand in `finding_chunks`, ids with spaces between."""
        return {
            "key": self.key,
            "title": self.title,
            "summary": self.summary,
            "rating": self.rating,
            "by": self.by,
            "findings": [finding.text for finding in self.findings],
            "finding_chunks": [" ".join(finding.chunks) for finding in self.findings],
            "finding_names": ["; ".join(finding.names) for finding in self.findings],
        }

    @classmethod
    def from_properties(cls, properties: Row, stands_on: Sequence[str]) -> Report:
        """A report as it was stored."""
        findings = zip(properties["findings"], properties["finding_chunks"], properties["finding_names"], strict=True)
        return cls(
            key=properties["key"],
            title=properties["title"],
            summary=properties["summary"],
            rating=properties["rating"],
            findings=[
                Finding(text, tuple(chunks.split()), tuple(names.split("; ")) if names else ())
                for text, chunks, names in findings
            ],
            by=properties["by"],
            stands_on=tuple(stands_on),
        )
