"""Groups of names that may be one symbol, and which of them stands for a group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from overstory.protocols import Vectors


class Name(NamedTuple):
    """A symbol of an entity.

    Attributes:
        group: the id of the symbol that stands for it; its own where none does.
    """

    id: str
    text: str
    group: str


class Alias(NamedTuple):
    """A symbol, and the one that stands for it."""

    id: str
    representative: str
    cosine: float


def aliases(names: Sequence[Name], vectors: Vectors, least: float, same: Callable[[str, str], bool]) -> list[Alias]:
    """Divides names into groups, each around a medoid: the name with the greatest sum of cosines to those that it may
    stand for, of equal ones the shortest. Every other name of a group may be one with the medoid itself: no chain of
    small steps leads from a name to another. O(n²) cosines.

    Args:
        names: one and its representative may stay together.
        vectors: float32[n, d], of unit length.
        least: the cosine from which names may be one.
        same: whether two texts may be one, whatever their cosine is.

    Source: AutoPrunedRetriever, Section 2.7 and Lemma 11.
    """
    cosines = np.triu(vectors @ vectors.T, 1)
    near = np.zeros_like(cosines)
    for one, other in np.argwhere(cosines >= least).tolist():
        a, b = names[one], names[other]
        if b.id == a.group or a.id == b.group or same(a.text, b.text):
            near[one, other] = near[other, one] = min(1.0, cosines[one, other])
    found: list[Alias] = []
    while near.any():
        sums = near.sum(axis=1).round(4).tolist()
        medoid = min(range(len(names)), key=lambda place: (-sums[place], len(names[place].text), names[place].id))
        others = np.flatnonzero(near[medoid]).tolist()
        found += [Alias(names[each].id, names[medoid].id, float(near[medoid, each])) for each in others]
        taken = [medoid, *others]
        near[taken] = near[:, taken] = 0.0
    return found
