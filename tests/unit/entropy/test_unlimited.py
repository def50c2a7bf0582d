"""Trees without a limit of height, from the outside."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.unit.entropy import oracle
from tests.unit.entropy.generated import EdgeList, edge_lists, graph_of
from tests.unit.entropy.speed import PLAIN_PYTHON, compiled_only

from overstory_entropy import EncodingTree, Graph, encode, structural_entropy


def star(leaves: int) -> Graph:
    return graph_of(leaves + 1, [(0, leaf, 1.0) for leaf in range(1, leaves + 1)])


def tiny_graph(random: np.random.Generator) -> EdgeList:
    vertices = int(random.integers(2, 7))
    ends = random.integers(0, vertices, (int(random.integers(1, 3 * vertices)), 2)).tolist()
    weights = random.choice([0.5, 1.0, 1.0, 2.0, 3.25], len(ends)).tolist()
    return EdgeList(vertices, [(one, other, weight) for (one, other), weight in zip(ends, weights, strict=True)])


def test_three_restarts_find_the_best_tree_of_every_tiny_graph_and_one_of_almost_every() -> None:
    random = np.random.default_rng(6)
    graphs = [tiny_graph(random) for _ in range(20 if PLAIN_PYTHON else 100)]
    least = np.array([oracle.least_entropy(*given_graph, levels=None) for given_graph in graphs])
    for restarts, share in ((1, 0.99), (3, 1.0)):
        found = np.array([encode(each.graph(), levels=None, restarts=restarts).entropy for each in graphs])
        assert np.mean(found <= least + 1e-9) >= share


@given(edge_lists(most=12), st.integers(0, 9))
def test_no_tree_of_one_or_two_levels_costs_less(given_graph: EdgeList, seed: int) -> None:
    graph = given_graph.graph()
    two, one = (encode(graph, levels=levels, seed=seed).entropy for levels in (2, 1))
    assert encode(graph, levels=None, seed=seed).entropy <= min(one, two) + 1e-9


@given(edge_lists(most=12))
def test_the_entropy_is_what_the_definition_gives(given_graph: EdgeList) -> None:
    graph = given_graph.graph()
    tree = encode(graph, levels=None)
    assert tree.entropy == pytest.approx(oracle.entropy(*given_graph, tree.parents.tolist()), abs=1e-9)
    assert structural_entropy(graph, tree) == tree.entropy


@given(edge_lists(most=12), st.integers(-30, 30))
def test_the_tree_does_not_depend_on_the_unit_of_the_weights(given_graph: EdgeList, power: int) -> None:
    scaled = [(one, other, weight * 2.0**power) for one, other, weight in given_graph.edges]
    tree = encode(graph_of(given_graph.vertices, scaled), levels=None)
    assert tree.parents.tolist() == encode(given_graph.graph(), levels=None).parents.tolist()


@given(edge_lists(most=12), st.integers(0, 9))
def test_the_same_seed_gives_the_same_tree(given_graph: EdgeList, seed: int) -> None:
    once, again = (encode(given_graph.graph(), levels=None, seed=seed) for _ in range(2))
    assert once.parents.tolist() == again.parents.tolist()


@given(edge_lists(most=12))
@example(EdgeList(9, [(0, 1, 1.0), (1, 2, 1.0), (1, 3, 0.5), (5, 6, 0.5)]))
def test_a_vertex_without_edges_is_a_leaf_under_the_root(given_graph: EdgeList) -> None:
    graph = given_graph.graph()
    tree = encode(graph, levels=None)
    for vertex in np.flatnonzero(graph.degrees == 0.0):
        assert tree.parents[vertex] == tree.root


def test_the_leaves_of_a_star_join_its_centre_one_after_the_other() -> None:
    graph = star(30)
    one_by_one = [31, *range(31, 61), *range(32, 61), -1]
    tree = encode(graph, levels=None)
    assert tree.height == 30
    assert tree.entropy == pytest.approx(EncodingTree.from_parents(graph, one_by_one).entropy, abs=1e-9)


@compiled_only
def test_what_could_not_be_tried_in_a_tree_too_deep_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="overstory_entropy"):
        assert encode(star(13_000), levels=None).height == 13_000
    assert "subtree moves were skipped" in caplog.text
