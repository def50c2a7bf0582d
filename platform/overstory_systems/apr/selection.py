"""Which of several paths are taken: all, one of each group that says the same, or none. Pure functions.

Source: AutoPrunedRetriever, Section 2.5 and Lemma 8.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from overstory.protocols import Vectors
from overstory.vectors.packed import of_unit_length
from overstory_systems.apr.retriever_settings import ChannelAction
from overstory_systems.apr.triples import CodebookEdge

_SAME_PATH_COSINE = 0.93
"""Cosine from which paths say the same, that of their edges and that of the whole paths."""

_NUMBER = re.compile(r"\d+")

T = TypeVar("T")


class Path(NamedTuple):
    """What a run, an answer or a question says.

    Attributes:
        vectors: float32[edges, d], a unit vector for each edge; without rows where there are none.
    """

    edges: Sequence[CodebookEdge]
    vectors: Vectors


def select(items: Sequence[T], paths: Sequence[Path], action: ChannelAction) -> list[T]:
    """The items that an action takes, in their order. O(n² · edges²) for items that all say the same, O(n²) else.

    Args:
        items: n of them, the best first.
        paths: of each item.
    """
    if action == "none":
        return []
    if action == "all":
        return list(items)
    return [items[consensus([paths[place] for place in group], group)] for group in groups(paths)]


def groups(paths: Sequence[Path]) -> list[list[int]]:
    """The places of paths that say the same, all of a group to each other; groups in the order of their first."""
    wholes = _wholes(paths)
    cosines = wholes @ wholes.T
    found: list[list[int]] = []
    for place, path in enumerate(paths):
        for group in found:
            if all(_same(path, paths[other], float(cosines[place, other])) for other in group):
                group.append(place)
                break
        else:
            found.append([place])
    return found


def consensus(paths: Sequence[Path], places: Sequence[int]) -> int:
    """The place of the path whose mean cosine with the others is greatest, of equal ones the first (Lemma 8)."""
    wholes = _wholes(paths).astype(np.float64)
    return places[int(np.round(wholes @ wholes.sum(axis=0), 6).argmax())]


def _same(first: Path, second: Path, cosine: float) -> bool:
    """Whether two paths have the same edges, or are as near as `_SAME_PATH_COSINE` as wholes and edge by edge and have
    the same numbers: years and counts have nearly the same vectors.

    Args:
        cosine: of the wholes.
    """
    facts = {edge.canonical for edge in first.edges}
    if facts and facts == {edge.canonical for edge in second.edges}:
        return True
    if cosine < _SAME_PATH_COSINE or edge_cosine(first.vectors, second.vectors) < _SAME_PATH_COSINE:
        return False
    return _numbers(first) == _numbers(second)


def _numbers(path: Path) -> set[str]:
    return {
        number
        for edge in path.edges
        for words in (edge.head, edge.relation, edge.tail)
        for number in _NUMBER.findall(words)
    }


def edge_cosine(first: Vectors, second: Vectors) -> float:
    """The mean over edges of the cosine with the nearest edge of the other path, in the direction where it is lower."""
    cosines = first @ second.T
    return float(min(cosines.max(axis=1).mean(), cosines.max(axis=0).mean()))


def _wholes(paths: Sequence[Path]) -> Vectors:
    """float32[n, d], unit vectors of whole paths, that is of the sums of their edges; zeros for those without."""
    dimension = max((path.vectors.shape[1] for path in paths), default=0)
    sums = np.zeros((len(paths), dimension), dtype=np.float32)
    for row, path in enumerate(paths):
        if len(path.vectors):
            sums[row] = path.vectors.sum(axis=0)
    return of_unit_length(sums)
