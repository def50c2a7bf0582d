"""How passages are ranked by the subgraphs of a question. Pure functions.

The paper gives the subgraphs to a language model and ranks no passages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

OWN = 2
"""Passages of a vertex that count: those that say most about it."""
EDGES = 0.2
SETS = 0.2
"""Weights of being on the neighbour of a vertex near the question, and in a set near it; that of a passage's own cosine
is 1. Being on a near vertex itself brings nothing more: what was tried stands in docs/tretriever.md."""


class Statement(NamedTuple):
    """What passages say of the subgraphs.

    Attributes:
        kind: "edge" if it is beside a vertex near the question, "set" if it is in a set near it.
        what: the name of the vertex, or the title of the set.
        beside: of an edge, the name of the near vertex.
        relevance: to the question, from 0 to 1.
        chunks: ids, the most important first.
    """

    kind: Literal["edge", "set"]
    what: str
    beside: str
    relevance: float
    chunks: Sequence[str]


@dataclass(frozen=True, slots=True)
class Score:
    """The parts of a passage's score: of each kind the most relevant statement, None where it makes none."""

    cosine: float
    edge: Statement | None = None
    set: Statement | None = None

    @property
    def by_edge(self) -> float:
        return EDGES * self.edge.relevance if self.edge else 0.0

    @property
    def by_set(self) -> float:
        return SETS * self.set.relevance if self.set else 0.0

    @property
    def total(self) -> float:
        return self.cosine + self.by_edge + self.by_set


def relevance(cosines: Mapping[str, float]) -> dict[str, float]:
    """From 1 for the nearest to 0 for the farthest; 1 for all where they are equally near. All cosines to a question
    are much alike, and only their differences say something."""
    if not cosines:
        return {}
    best, least = max(cosines.values()), min(cosines.values())
    width = best - least
    return {id_: (cosine - least) / width if width > 0.0 else 1.0 for id_, cosine in cosines.items()}


def scores(cosines: Mapping[str, float], statements: Iterable[Statement]) -> dict[str, Score]:
    """The score of each passage that has a cosine."""
    found: dict[str, dict[str, Statement]] = {}
    for each in sorted(statements, key=lambda one: (-one.relevance, one.what, one.beside)):
        for chunk in each.chunks if each.relevance > 0.0 else ():
            found.setdefault(chunk, {}).setdefault(each.kind, each)
    return {id_: Score(cosine, **found.get(id_, {})) for id_, cosine in cosines.items()}
