"""Communities that hypothesis puts above the vertices of a graph, as the search and as the oracle read them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from tests.unit.entropy import oracle
from tests.unit.entropy.generated import EdgeList, edge_lists

from overstory_entropy.compile import Ints
from overstory_entropy.problem import Levels, PlacementProblem, place, vertices_as_nodes


class Placed(NamedTuple):
    """A graph, and communities of its vertices in levels, the coarsest first."""

    drawn: EdgeList
    nested: Ints

    @property
    def depth(self) -> int:
        """The number of levels."""
        return len(self.nested)

    def problem(self) -> PlacementProblem:
        """The vertices as the nodes to be moved."""
        return vertices_as_nodes(self.drawn.graph())

    def levels(self) -> Levels:
        """Return the communities in slots, as new objects at every call."""
        return place(self.problem(), self.nested)

    def entropy(self, nested: Ints | None = None) -> float:
        """Bits, by the oracle; of other communities of the same vertices where they are given."""
        return oracle.entropy(*self.drawn, parents_of(self.nested if nested is None else nested))


def parents_of(nested: Ints) -> list[int]:
    """The tree of nested labels, every leaf below the lowest community of its vertex."""
    depth, vertices = nested.shape
    parents = [-1] * vertices
    below = np.arange(vertices)
    for row in reversed(range(depth)):
        groups, first = int(nested[row].max()) + 1, len(parents)
        for node, group in zip(below.tolist(), nested[row].tolist(), strict=True):
            parents[node] = first + group
        parents += [-1] * groups
        below = first + nested[row]
    for node in below.tolist():
        parents[node] = len(parents)
    return [*parents, -1]


@st.composite
def nested_over(draw: st.DrawFn, vertices: int, depth: int) -> Ints:
    """Labels (depth, vertices), each row 0 … k−1 and refining the one above."""
    rows = [np.arange(vertices)]
    for _ in range(depth):
        count = int(rows[0].max()) + 1
        groups = draw(st.lists(st.integers(0, count - 1), min_size=count, max_size=count))
        rows.insert(0, np.unique(groups, return_inverse=True)[1][rows[0]].astype(np.int64))
    return np.array(rows[:-1])


@st.composite
def placements(draw: st.DrawFn) -> Placed:
    """A graph with an edge, under one to three levels of communities."""
    drawn = draw(edge_lists(least=2).filter(lambda graph: any(one != other for one, other, _ in graph.edges)))
    return Placed(drawn, draw(nested_over(drawn.vertices, draw(st.integers(1, 3)))))
