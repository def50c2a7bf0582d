"""Numbering of binary trees, what their nodes pay, and what is left of them as encoding trees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.entropy import oracle
from tests.unit.entropy.generated import EdgeList, binary_parents_over, edge_lists, graph_of

from overstory_entropy.binary_tree import (
    NO_NODE,
    BinaryTree,
    children_of,
    in_order,
    paired,
    volumes_and_own,
    without_idle_nodes,
)
from overstory_entropy.compile import Ints
from overstory_entropy.problem import vertices_as_nodes


def graphs_with_edges() -> st.SearchStrategy[EdgeList]:
    return edge_lists(least=2, most=12).filter(lambda given_graph: bool(given_graph.edges))


def renumbered(parents: list[int], random: np.random.Generator) -> tuple[BinaryTree, list[int]]:
    """`in_order` of the same tree with its internal nodes numbered anyhow, and the parents in that numbering."""
    leaves = (len(parents) + 1) // 2
    number = np.concatenate([np.arange(leaves), leaves + random.permutation(leaves - 1), [NO_NODE]])
    shuffled = np.full(len(parents), NO_NODE, dtype=np.int64)
    shuffled[number[:-1]] = number[parents]
    return in_order(*children_of(shuffled), int(np.argmin(shuffled))), shuffled.tolist()


@given(st.integers(2, 12).flatmap(binary_parents_over), st.integers(0, 99))
def test_a_tree_in_order_has_the_same_groups_and_parents_above_their_children(parents: list[int], seed: int) -> None:
    tree, shuffled = renumbered(parents, np.random.default_rng(seed))
    leaves = (len(parents) + 1) // 2
    below = oracle.vertices_below(leaves, tree.parents.tolist())
    assert sorted(map(sorted, below)) == sorted(map(sorted, oracle.vertices_below(leaves, shuffled)))
    assert (tree.parents[:-1] > np.arange(len(parents) - 1)).all()
    for node in range(leaves, len(parents)):
        assert tree.parents[tree.left[node]] == tree.parents[tree.right[node]] == node


@given(st.integers(2, 12).flatmap(binary_parents_over), st.integers(0, 99))
def test_the_leaves_of_a_node_stand_side_by_side_those_of_its_left_child_first(parents: list[int], seed: int) -> None:
    tree, _ = renumbered(parents, np.random.default_rng(seed))
    leaves = (len(parents) + 1) // 2
    for node, below in enumerate(oracle.vertices_below(leaves, tree.parents.tolist())):
        places = sorted(int(tree.first[leaf]) for leaf in below)
        assert places == list(range(int(tree.first[node]), int(tree.first[node]) + len(below)))
        if node >= leaves:
            assert tree.first[tree.left[node]] < tree.first[tree.right[node]]


@given(graphs_with_edges(), st.data())
def test_what_the_nodes_own_says_what_the_tree_saves(given_graph: EdgeList, data: st.DataObject) -> None:
    parents = data.draw(binary_parents_over(given_graph.vertices))
    problem = vertices_as_nodes(given_graph.graph())
    volume, own = volumes_and_own(problem, np.array(parents))
    paid = own > 0.0
    saved = own[paid] @ np.log2(volume[paid] / problem.total) / (problem.total or 1.0)
    flat = [given_graph.vertices] * given_graph.vertices + [-1]
    difference = oracle.entropy(*given_graph, parents) - oracle.entropy(*given_graph, flat)
    assert saved == pytest.approx(difference, abs=1e-9)


@given(graphs_with_edges(), st.data())
def test_nodes_that_save_nothing_go_and_the_entropy_stays(given_graph: EdgeList, data: st.DataObject) -> None:
    parents = data.draw(binary_parents_over(given_graph.vertices))
    kept = without_idle_nodes(vertices_as_nodes(given_graph.graph()), np.array(parents))
    assert (kept[:-1] > np.arange(len(kept) - 1)).all()
    assert oracle.entropy(*given_graph, kept.tolist()) == pytest.approx(oracle.entropy(*given_graph, parents), abs=1e-9)


@given(graphs_with_edges(), st.data())
def test_an_isolated_vertex_ends_under_a_node_that_others_need(given_graph: EdgeList, data: st.DataObject) -> None:
    kept = without_idle_nodes(
        vertices_as_nodes(given_graph.graph()), np.array(data.draw(binary_parents_over(given_graph.vertices)))
    )
    joined = {end for one, other, _ in given_graph.edges if one != other for end in (one, other)}
    for vertex in {*range(given_graph.vertices)} - joined:
        above = int(kept[vertex])
        assert above == len(kept) - 1 or oracle.vertices_below(given_graph.vertices, kept.tolist())[above] & joined


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
