"""Graphs that hypothesis makes up, with loops, parallel edges, several components and isolated vertices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from tests.unit.entropy.oracle import Edge

from overstory_entropy import Graph


class EdgeList(NamedTuple):
    """A graph as the oracle reads it."""

    vertices: int
    edges: list[Edge]

    def graph(self) -> Graph:
        """The same as the engine reads it."""
        return graph_of(self.vertices, self.edges)


def graph_of(vertices: int, edges: Sequence[Edge]) -> Graph:
    """The engine's graph of the oracle's edges."""
    ends = np.array([(one, other) for one, other, _ in edges], dtype=np.int64).reshape(-1, 2)
    return Graph.from_edges(vertices, ends, [weight for _, _, weight in edges])


WEIGHTS = st.sampled_from([0.5, 1.0, 1.0, 1.0, 2.0, 3.25]) | st.floats(1e-3, 1e3)
"""Equal ones often: ties are where an order decides."""


@st.composite
def edge_lists(draw: st.DrawFn, least: int = 1, most: int = 8) -> EdgeList:
    """A graph of `least` to `most` vertices."""
    vertices = draw(st.integers(least, most))
    ends = st.integers(0, max(vertices - 1, 0))
    edges = st.lists(st.tuples(ends, ends, WEIGHTS), max_size=3 * most if vertices else 0)
    return EdgeList(vertices, draw(edges))


@st.composite
def parents_over(draw: st.DrawFn, vertices: int) -> list[int]:
    """Some tree over these vertices, leaves at any depth, internal nodes with one child included."""
    parents, tops = [-1] * vertices, list(range(vertices))
    for _ in range(draw(st.integers(0, vertices))):
        gathered = draw(st.lists(st.sampled_from(tops), min_size=1, unique=True))
        _gather(parents, gathered)
        tops = [node for node, parent in enumerate(parents) if parent < 0]
    _gather(parents, tops)
    return parents


def _gather(parents: list[int], children: list[int]) -> None:
    for child in children:
        parents[child] = len(parents)
    parents.append(-1)


@st.composite
def binary_parents_over(draw: st.DrawFn, vertices: int) -> list[int]:
    """Some tree over these vertices whose internal nodes have two children."""
    parents, tops = [-1] * vertices, list(range(vertices))
    while len(tops) > 1:
        pair = [tops.pop(draw(st.integers(0, len(tops) - 1))) for _ in range(2)]
        tops.append(len(parents))
        _gather(parents, pair)
    return parents
