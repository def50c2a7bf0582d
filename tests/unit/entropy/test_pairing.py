"""The tree of greedy joins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.entropy import oracle
from tests.unit.entropy.generated import EdgeList, edge_lists, graph_of

from overstory_entropy.compile import Ints
from overstory_entropy.pairing import paired
from overstory_entropy.problem import vertices_as_nodes


def graphs_with_edges() -> st.SearchStrategy[EdgeList]:
    return edge_lists(least=2, most=12).filter(lambda given_graph: bool(given_graph.edges))


def parents_of(given_graph: EdgeList, *nested: list[int]) -> Ints:
    fences = np.array(nested, dtype=np.int64).reshape(len(nested), given_graph.vertices)
    return paired(vertices_as_nodes(given_graph.graph()), fences)


def groups(given_graph: EdgeList, parents: Ints) -> list[set[int]]:
    return oracle.vertices_below(given_graph.vertices, parents.tolist())


def is_connected(given_graph: EdgeList, group: set[int]) -> bool:
    reached = {min(group)}
    for _ in group:
        for one, other, _ in given_graph.edges:
            if {one, other} <= group and {one, other} & reached:
                reached |= {one, other}
    return reached == group


@given(graphs_with_edges())
def test_every_internal_node_has_two_children_and_a_number_above_theirs(given_graph: EdgeList) -> None:
    parents = parents_of(given_graph)
    assert (parents[:-1] > np.arange(len(parents) - 1)).all()
    assert (np.bincount(parents[:-1])[given_graph.vertices :] == 2).all()


@given(graphs_with_edges(), st.data())
def test_a_connected_community_is_one_node_before_anything_joins_it(given_graph: EdgeList, data: st.DataObject) -> None:
    coarse = data.draw(st.lists(st.integers(0, 2), min_size=given_graph.vertices, max_size=given_graph.vertices))
    fine = [3 * above + data.draw(st.integers(0, 2)) for above in coarse]
    below = groups(given_graph, parents_of(given_graph, coarse, fine))
    for labels in (coarse, fine):
        for label in {*labels}:
            community = {vertex for vertex, its in enumerate(labels) if its == label}
            assert not is_connected(given_graph, community) or community in below


def test_what_is_closest_is_joined_first() -> None:
    path = EdgeList(4, [(0, 1, 1.0), (1, 2, 5.0), (2, 3, 1.0)])
    # w / (d · d): 1/(1·6) at both ends, 5/(6·6) in the middle
    assert {0, 1} in groups(path, parents_of(path))
    assert {2, 3} in groups(path, parents_of(path))


@pytest.mark.parametrize(
    "edges",
    [
        [(vertex, (vertex + 1) % 60, 1.0) for vertex in range(60)],
        [(one, other, 1.0) for one in range(30) for other in range(one)],
        [(0, leaf, 1.0) for leaf in range(1, 60)],
        [(vertex, vertex + 1, 1.0 + vertex) for vertex in range(59)],
    ],
    ids=["ring", "complete", "star", "ever closer"],
)
def test_graphs_of_which_few_nodes_name_each_other_are_joined_all_the_same(edges: list[oracle.Edge]) -> None:
    vertices = 1 + max(max(one, other) for one, other, _ in edges)
    parents = paired(vertices_as_nodes(graph_of(vertices, edges)), np.empty((0, vertices), dtype=np.int64))
    assert (np.bincount(parents[:-1])[vertices:] == 2).all()


def test_components_are_put_together_in_a_low_tree() -> None:
    parents = parents_of(EdgeList(66, [(0, 1, 1.0)]))
    depth = 0
    node = 0
    while parents[node] >= 0:
        node, depth = int(parents[node]), depth + 1
    assert depth == 8  # the pair is one of 65 components
