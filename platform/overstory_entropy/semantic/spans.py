"""The vertices below each node of a tree, as a span of one ordering of all vertices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from overstory_entropy.compile import Floats, Ints, kernel
from overstory_entropy.encoding_tree import EncodingTree
from overstory_entropy.graph import Graph


@dataclass(frozen=True, eq=False)
class Spans:
    """order[start[a] : stop[a]] are the vertices below node a; a child's span lies in its parent's.

    Attributes:
        order: shape (n,), vertices.
        start: shape (nodes,).
        stop: shape (nodes,).
    """

    order: Ints
    start: Ints
    stop: Ints

    @classmethod
    def of(cls, tree: EncodingTree) -> Spans:
        """The spans of a tree, children in descending order of their numbers."""
        start = _starts(tree.parents, tree.sizes)
        order = np.empty(tree.leaves, dtype=np.int64)
        order[start[: tree.leaves]] = np.arange(tree.leaves)
        return cls(order, start, start + tree.sizes)

    def slice(self, node: int) -> slice:
        """The positions of a node's vertices in the order."""
        return slice(int(self.start[node]), int(self.stop[node]))

    def members(self, node: int) -> Ints:
        """The vertices of a node, in the order."""
        return self.order[self.slice(node)]


@kernel
def _starts(parents: Ints, sizes: Ints) -> Ints:
    """(nodes,), (nodes,) -> (nodes,): where each node's vertices begin; a parent's number is above its children's."""
    starts = np.zeros(len(parents), dtype=np.int64)
    free = np.zeros(len(parents), dtype=np.int64)
    for node in range(len(parents) - 2, -1, -1):
        starts[node] = free[parents[node]]
        free[node] = starts[node]
        free[parents[node]] += sizes[node]
    return starts


def loops_below(graph: Graph, tree: EncodingTree) -> Floats:
    """Shape (nodes,): the weight of the loops of each node's vertices."""
    loops = np.zeros(len(tree))
    loops[: tree.leaves] = graph.loops
    _add_to_parents(tree.parents.copy(), loops)
    return loops


@kernel
def _add_to_parents(parents: Ints, values: Floats) -> None:
    for node in range(len(parents) - 1):
        values[parents[node]] += values[node]
