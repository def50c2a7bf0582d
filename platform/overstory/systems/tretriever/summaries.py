"""Summaries of sets of vertices, as rules write them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from overstory.systems.tree.reports import Report
from overstory.systems.tretriever.vertex_graph import VertexTexts


@dataclass(frozen=True, slots=True)
class SetToSummarise:
    """A set of two vertices or more, as a summariser reads it.

    Attributes:
        key: a digest of what the summary is made from.
        members: places of the vertices that are read, those nearest to the mean of all vectors first.
        size: how many vertices the set has.
        inside: the share of the volume that stays inside, 0 to 1.
        edges: the strongest edges between `members`: their places, the first of them first, and the ids of the passages
            that state them.
        parts: summaries of the sets right below, the largest first.
    """

    key: str
    members: Sequence[int]
    size: int
    inside: float
    edges: Sequence[tuple[int, int, tuple[str, ...]]]
    parts: Sequence[Report]


class Summariser(Protocol):
    """Summarises sets of vertices.

    Attributes:
        fingerprint: changes whenever the same set may get another summary.
    """

    fingerprint: str

    def summarise(self, sets: Iterable[SetToSummarise], texts: VertexTexts) -> Iterator[Report]:
        """The summary of each set, in order, lazily."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know of all sets so far."""
        ...
