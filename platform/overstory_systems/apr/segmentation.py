"""Runs: a text's triples, cut where one does not fit what was said before it (Section 2.3).

A triple joins the run before it where max(0, cosine of it and the run's centroid), with a bonus where it goes on from
the last triple and another where it names something that the run names, reaches the cohesion that is asked for. A run
that drifted may be cut between two triples that fit each other: such a cut is taken back (boundary refinement). Those
that are left are fixed points: the same rule, given the triples at either side alone, cuts there again (Lemma 3).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from overstory.protocols import Vectors

Ends = tuple[str, str]
"""The ids of a triple's head and tail."""

_CONTINUATION_BONUS = 0.05
"""The bonus of a triple whose head is the tail of the one before it."""
_SHARED_END_BONUS = 0.05
"""The bonus of a triple that shares its head or its tail with the run."""


def segment(vectors: Vectors, ends: Sequence[Ends], cohesion: float) -> list[range]:
    """The runs of a text, as the places of their triples: in order, without gaps.

    Args:
        vectors: float32[n, d], a unit vector for each triple, in the order of the text.
        ends: of each triple.
        cohesion: τ, from 0 to 1.
    """
    cuts = [
        cut
        for cut in _cuts(vectors, ends, cohesion)
        if _cuts(vectors[cut - 1 : cut + 1], ends[cut - 1 : cut + 1], cohesion)
    ]
    places = [0, *cuts, len(ends)]
    return [range(begin, end) for begin, end in pairwise(places) if end > begin]


def _cuts(vectors: Vectors, ends: Sequence[Ends], cohesion: float) -> list[int]:
    """The places of the triples that begin a run, but for the first; one pass."""
    cuts: list[int] = []
    total = np.zeros(vectors.shape[1], np.float64)
    named: set[str] = set()
    for place, (vector, (head, tail)) in enumerate(zip(vectors, ends, strict=True)):
        if place and _fit(total, vector) + _bonus(ends[place - 1], (head, tail), named) < cohesion:
            cuts.append(place)
            total[:] = 0.0
            named.clear()
        total += vector
        named.update((head, tail))
    return cuts


def _fit(total: np.ndarray, vector: np.ndarray) -> float:
    """max(0, cosine) of a unit vector with a centroid, which may have any length."""
    length = float(np.linalg.norm(total))
    return max(0.0, float(total @ vector) / length) if length else 0.0


def _bonus(before: Ends, ends: Ends, named: set[str]) -> float:
    return _CONTINUATION_BONUS * (before[1] == ends[0]) + _SHARED_END_BONUS * (not named.isdisjoint(ends))
