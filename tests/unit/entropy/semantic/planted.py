"""Graphs whose vertices have texts: some with groups planted in them, some from hypothesis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.unit.entropy.generated import edge_lists, parents_over

from overstory_entropy import EncodingTree, Graph
from overstory_entropy.compile import Floats, Ints
from overstory_entropy.semantic import Density

SPREAD = 0.4
"""A bandwidth that reaches over one topic of `planted` and not to the next."""


@dataclass(frozen=True)
class Planted:
    """A graph in which each group is a circle of acquaintances that writes about one topic.

    Attributes:
        graph: the edges follow the circles, and are blind to the topics.
        vectors: follow the topics, and are blind to the circles.
        groups: shape (n,): circle and topic together.
    """

    graph: Graph
    vectors: Floats
    groups: Ints


def planted(seed: int, *, circles: int = 4, topics: int = 3, size: int = 15, noise: float = 0.3) -> Planted:
    """Each pair of one circle is joined with probability .8, any other with .03; topics lie √2 apart."""
    random = np.random.default_rng(seed)
    circle, topic = np.divmod(np.repeat(np.arange(circles * topics), size), topics)
    likely = np.where(circle[:, None] == circle, 0.8, 0.03)
    edges = np.argwhere(np.triu(random.random(likely.shape) < likely, 1))
    dimensions = 16
    about = np.eye(topics, dimensions)[topic] + noise / 4.0 * random.standard_normal((len(topic), dimensions))
    return Planted(Graph.from_edges(len(topic), edges), about, circle * topics + topic)


def adjusted_rand(one: NDArray[np.int64], other: NDArray[np.int64]) -> float:
    """1 for the same partition, about 0 for two that have nothing to do with each other. Hubert and Arabie 1985."""
    _, first = np.unique(one, return_inverse=True)
    _, second = np.unique(other, return_inverse=True)
    both = np.zeros((first.max() + 1, second.max() + 1))
    np.add.at(both, (first, second), 1.0)
    together, in_one, in_other = (_pairs(counts) for counts in (both, both.sum(axis=1), both.sum(axis=0)))
    expected = in_one * in_other / _pairs(np.array([len(one)]))
    return float((together - expected) / ((in_one + in_other) / 2.0 - expected))


def _pairs(counts: NDArray[np.float64] | NDArray[np.int64]) -> float:
    return float((counts * (counts - 1) / 2.0).sum())


@dataclass(frozen=True)
class Attributed:
    """A graph, the density over its vertices, a tree, and the edges and parents they were made of."""

    edges: list[tuple[int, int, float]]
    graph: Graph
    density: Density
    tree: EncodingTree


@st.composite
def attributed(draw: st.DrawFn, *, most: int = 9) -> Attributed:
    """Loops, parallel edges, isolated vertices, copies among the vectors, pass-through nodes in the tree."""
    listed = draw(edge_lists(least=1, most=most))
    values = st.sampled_from([-1.0, 0.0, 0.5, 2.0])
    rows = st.lists(values, min_size=2, max_size=2)
    vectors = draw(st.lists(rows, min_size=listed.vertices, max_size=listed.vertices))
    graph = listed.graph()
    tree = EncodingTree.from_parents(graph, draw(parents_over(listed.vertices)))
    return Attributed(listed.edges, graph, Density.from_vectors(vectors), tree)
