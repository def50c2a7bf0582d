"""SeRAG's scores. Pure functions.

Source: the paper's Section 3.3, Eq. 10 to 13. Our additions are marked.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """An entity of the corpus that a question names.

    Attributes:
        similarity: its name's to that in the question; 1 where it is the same name.
        idf: its IDF weight.
        counts: how often each chunk says it.
    """

    name: str
    similarity: float
    idf: float
    counts: Mapping[str, int]


class ChunkEdge(NamedTuple):
    """A way from a chunk to another.

    Attributes:
        share: the edge's weight by that of the strongest edge of the first chunk.
    """

    chunk: str
    other: str
    share: float


class Nearness(NamedTuple):
    """The neighbour score of a chunk, and the neighbour it comes from."""

    score: float
    beside: str


def entity_bonus(entities: Iterable[NamedEntity], *, idf_weighted: bool) -> dict[str, float]:
    """log(1 + B) of each chunk that says one of the entities, B = Σ sim · log(1 + count) (Eq. 13).

    Args:
        idf_weighted: multiply by the IDF weight of each entity, which is ours: a name in half of the corpus is no
            evidence.
    """
    sums: dict[str, float] = {}
    for entity in entities:
        weight = entity.similarity * (entity.idf if idf_weighted else 1.0)
        for chunk, count in entity.counts.items():
            sums[chunk] = sums.get(chunk, 0.0) + weight * math.log1p(count)
    return {chunk: math.log1p(total) for chunk, total in sums.items()}


def nearness(scores: Mapping[str, float], edges: Iterable[ChunkEdge]) -> dict[str, Nearness]:
    """For each chunk at the far end of an edge the largest score of a near end times the edge's share. Ours."""
    found: dict[str, Nearness] = {}
    for edge in edges:
        score = scores[edge.chunk] * edge.share
        if score > 0.0 and (edge.other not in found or score > found[edge.other].score):
            found[edge.other] = Nearness(score, edge.chunk)
    return found
