"""The partition that a search starts from."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from tests.unit.entropy import oracle
from tests.unit.entropy.generated import EdgeList, edge_lists

from overstory_entropy import encode
from overstory_entropy.compile import Ints
from overstory_entropy.encoding import greedy_partition
from overstory_entropy.pairing import paired
from overstory_entropy.problem import vertices_as_nodes


def cuts(node: int, parents: list[int], groups: list[set[int]]) -> Iterator[list[set[int]]]:
    """Every way to cut through a tree below a node: the node as one group, or a cut below each of its children."""
    yield [groups[node]]
    children = [child for child, above in enumerate(parents) if above == node]
    if children:
        for parts in product(*(list(cuts(child, parents, groups)) for child in children)):
            yield [group for part in parts for group in part]


def entropy_of(given_graph: EdgeList, partition: list[set[int]]) -> float:
    vertices, parents = given_graph.vertices, [-1] * (given_graph.vertices + len(partition) + 1)
    for community, group in enumerate(partition):
        parents[vertices + community] = len(parents) - 1
        for vertex in group:
            parents[vertex] = vertices + community
    return oracle.entropy(vertices, given_graph.edges, parents)


def groups_of(labels: Ints) -> list[set[int]]:
    return [{*np.flatnonzero(labels == label).tolist()} for label in np.unique(labels)]


@given(edge_lists(least=2, most=7))
def test_no_other_cut_through_the_same_tree_costs_less(given_graph: EdgeList) -> None:
    assume(given_graph.edges)
    problem = vertices_as_nodes(given_graph.graph())
    parents = paired(problem, np.empty((0, given_graph.vertices), dtype=np.int64)).tolist()
    every = cuts(len(parents) - 1, parents, oracle.vertices_below(given_graph.vertices, parents))
    least = min(entropy_of(given_graph, partition) for partition in every)
    found = entropy_of(given_graph, groups_of(greedy_partition(problem)))
    assert found == pytest.approx(least, abs=1e-9)


def test_two_triangles_are_found() -> None:
    triangles = EdgeList(6, [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0), (3, 4, 1.0), (4, 5, 1.0), (3, 5, 1.0), (2, 3, 0.5)])
    labels = greedy_partition(vertices_as_nodes(triangles.graph()))
    assert groups_of(labels) == [{0, 1, 2}, {3, 4, 5}]


@given(edge_lists(least=2, most=7))
def test_a_second_restart_which_starts_there_never_hurts(given_graph: EdgeList) -> None:
    graph = given_graph.graph()
    assert encode(graph, levels=None, restarts=2).entropy <= encode(graph, levels=None).entropy
