"""Blocks of vertices that move as one, for sets too large for a kernel matrix: neighbours in the tree, then in text."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from overstory_entropy.compile import Floats, Ints
from overstory_entropy.encoding_tree import EncodingTree

_SMALLEST_CELL_MEMBERS = 8


@dataclass(frozen=True, eq=False)
class Arrangement:
    """An order of all vertices that keeps related vertices together.

    Attributes:
        position: shape (n,): the position of each vertex.
        boundary: shape (n,): how weakly each position is tied to the one before; 0 is a boundary at the top level.
    """

    position: Ints
    boundary: Ints

    @classmethod
    def of(cls, points: Floats, tree: EncodingTree | None) -> Arrangement:
        """Order by the groups of a structural tree, the top level first; within a group, or without a tree, by text.

        Vertices that are alone in their group at a level, such as those without edges, stand together there, by text.
        """
        cells = _text_cells(points)
        levels = [_grouped(tree.labels(level)) for level in range(1, tree.height)] if tree is not None else []
        keys = [*levels, *cells]
        order = np.lexsort(keys[::-1]) if keys else np.arange(len(points))
        position = np.empty(len(points), dtype=np.int64)
        position[order] = np.arange(len(points))
        boundary = np.full(len(points), len(keys), dtype=np.int64)
        for level in range(len(keys) - 1, -1, -1):
            changed = np.flatnonzero(np.diff(keys[level][order])) + 1
            boundary[changed] = level
        return cls(position, boundary)

    def blocks(self, members: Ints, most: int) -> tuple[Ints, Ints]:
        """The members in order, and the start of each of at most `most` blocks, with the end appended.

        Each block ends at the weakest place within a window as long as an average block.
        """
        ordered = members[np.argsort(self.position[members], kind="stable")]
        if most >= len(ordered):
            return ordered, np.arange(len(ordered) + 1)
        bound = self._bound(ordered)
        edges = np.linspace(1, len(ordered), most, dtype=np.int64)
        cuts = [low + int(np.argmin(bound[low:high])) for low, high in pairwise(edges.tolist())]
        return ordered, np.array([0, *cuts, len(ordered)])

    def _bound(self, ordered: Ints) -> Ints:
        """How weakly each member is tied to the one before: by the weakest place between them."""
        places = self.position[ordered]
        weakest = np.minimum.reduceat(self.boundary[: places[-1] + 1], places[:-1] + 1)
        return np.append(0, weakest)


def _grouped(labels: Ints) -> Ints:
    """(n,) -> (n,): the labels, and −1 for a vertex that no other shares its label with."""
    return np.where(np.bincount(labels)[labels] > 1, labels, -1)


def _text_cells(points: Floats) -> list[Ints]:
    """Halves, quarters, … of the points, each cut at the median of its widest axis; the labels of each level."""
    cells: list[Ints] = []
    label = np.zeros(len(points), dtype=np.int64)
    widest = len(points)
    while widest > _SMALLEST_CELL_MEMBERS and points.shape[1]:
        label = _halved(points, label)
        cells.append(label)
        widest = (widest + 1) // 2
    return cells


def _halved(points: Floats, label: Ints) -> Ints:
    halves = np.empty_like(label)
    order = np.argsort(label, kind="stable")
    starts = np.append(np.flatnonzero(np.diff(label[order], prepend=-1)), len(label))
    for low, high in pairwise(starts.tolist()):
        cell = order[low:high]
        axis = int(np.ptp(points[cell], axis=0).argmax())
        ranked = cell[np.argsort(points[cell, axis], kind="stable")]
        middle = (len(cell) + 1) // 2
        halves[ranked[:middle]] = 2 * label[cell[0]]
        halves[ranked[middle:]] = 2 * label[cell[0]] + 1
    return halves
