"""PARTITION, PRUNE and the choice of nodes: each changes the entropy by what it announces."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.entropy.semantic.planted import SPREAD, Attributed, adjusted_rand, attributed, planted
from tests.unit.entropy.speed import compiled_only

from overstory_entropy import EncodingTree, Graph
from overstory_entropy.errors import GraphError
from overstory_entropy.semantic import Density, partition, prune, prune_node, semantic_structural_entropy
from overstory_entropy.semantic.partition import _DEEPEST_DIVIDED_LEVEL, Divider, partition_all
from overstory_entropy.semantic.prune import best_selection, without_pass_throughs

WEIGHTS = st.sampled_from([0.0, 0.3, 1.0, 5.0])


@given(attributed(), WEIGHTS, st.booleans())
def test_partition_changes_the_entropy_by_what_it_announces(case: Attributed, weight: float, in_blocks: bool) -> None:
    entries = 3 * case.graph.vertices if in_blocks else 10_000
    for node in range(case.tree.leaves, len(case.tree)):
        if (case.tree.children(node) < case.tree.leaves).all():
            step = partition(case.graph, case.tree, case.density, node, weight=weight, kernel_entries=entries)
            assert step.change <= 0.0
            assert step.change == pytest.approx(change(case, step.tree, weight), abs=1e-9)


@given(attributed(), WEIGHTS)
def test_taking_out_a_node_changes_the_entropy_by_what_is_announced(case: Attributed, weight: float) -> None:
    for node in range(case.tree.leaves, case.tree.root):
        step = prune_node(case.graph, case.tree, case.density, node, weight=weight)
        assert len(step.tree) == len(case.tree) - 1
        assert step.change == pytest.approx(change(case, step.tree, weight), abs=1e-9)


@given(attributed(most=14), WEIGHTS, st.integers(1, 4), st.booleans())
def test_prune_reaches_the_height_and_announces_the_change(
    case: Attributed, weight: float, height: int, gaining: bool
) -> None:
    step = prune(case.graph, case.tree, case.density, height=height, weight=weight, gaining=gaining)
    assert step.tree.height <= height
    assert step.change == pytest.approx(change(case, step.tree, weight), abs=1e-9)
    if case.tree.height <= height and not gaining:
        assert step.tree.parents.tolist() == case.tree.parents.tolist()


@given(attributed(), WEIGHTS)
def test_prune_takes_the_cheapest_first(case: Attributed, weight: float) -> None:
    if case.tree.height < 3:
        return
    too_deep = [
        node
        for node in range(case.tree.leaves, case.tree.root)
        if case.tree.depths[case.tree.members(node)].max() == case.tree.height
    ]
    cheapest = min(prune_node(case.graph, case.tree, case.density, node, weight=weight).change for node in too_deep)
    step = prune(case.graph, case.tree, case.density, height=case.tree.height - 1, weight=weight)
    if len(step.tree) == len(case.tree) - 1:
        assert step.change == pytest.approx(cheapest, abs=1e-9)


def test_a_group_that_its_only_child_repeats_costs_nothing_to_prune() -> None:
    # Node 5 is in 6, which groups the same vertices, and 7 adds a vertex to these.
    graph, density = Graph.from_edges(5, []), Density.from_vectors([[3.0], [0.0], [0.0], [0.0], [0.0]], bandwidth=1.0)
    tree = EncodingTree.from_parents(graph, [5, 7, 5, 5, 8, 6, 7, 8, 9, -1])
    cheapest = min(prune_node(graph, tree, density, node).change for node in (5, 6, 7, 8))
    assert cheapest < -1e-4
    assert prune(graph, tree, density, height=tree.height - 1).change == pytest.approx(cheapest, abs=1e-9)


def test_prune_gains_where_a_group_is_worse_than_none() -> None:
    graph = Graph.from_edges(4, [(0, 2), (1, 3)])
    texts = Density.from_vectors([[0.0], [9.0], [0.0], [9.0]], bandwidth=1.0)
    tree = EncodingTree.from_labels(graph, [0, 0, 1, 1])
    step = prune(graph, tree, texts, height=2, gaining=True)
    assert step.tree.height == 1
    assert step.change < -1.0


@given(attributed(), WEIGHTS)
def test_the_entropy_falls_at_every_division(case: Attributed, weight: float) -> None:
    tree, entropy = EncodingTree.from_labels(case.graph), np.inf
    for _ in range(2 * case.graph.vertices):
        now = semantic_structural_entropy(case.graph, tree, case.density, weight=weight)
        assert now < entropy + 1e-9
        entropy = now
        undivided = [
            node for node in range(tree.leaves, len(tree)) if (tree.children(node) < tree.leaves).all() and tree.leaves
        ]
        steps = (partition(case.graph, tree, case.density, node, weight=weight) for node in undivided)
        tree = next((step.tree for step in steps if step.change < 0.0), tree)


@given(attributed(), st.sampled_from([0.3, 1.0]))
def test_of_one_level_the_best_nodes_are_chosen(case: Attributed, weight: float) -> None:
    tree = without_pass_throughs(case.graph, case.tree)
    inner = range(tree.leaves, tree.root)
    chosen = best_selection(case.graph, tree, case.density, 2, weight)
    found = semantic_structural_entropy(case.graph, chosen, case.density, weight=weight)
    for size in range(min(len(inner), 4) + 1):
        for kept in itertools.combinations(inner, size):
            low = prune_all_but(case, tree, set(kept), weight)
            if low.height <= 2:
                least = semantic_structural_entropy(case.graph, low, case.density, weight=weight)
                assert found <= least + 1e-9


@given(attributed(most=12), st.integers(1, 4))
def test_without_texts_no_pruning_beats_the_choice_of_nodes(case: Attributed, height: int) -> None:
    tree = without_pass_throughs(case.graph, case.tree)
    chosen = best_selection(case.graph, tree, case.density, height, 0.0)
    pruned = prune(case.graph, tree, case.density, height=height, weight=0.0).tree
    assert chosen.height <= height
    assert chosen.entropy <= pruned.entropy + 1e-9


def test_connected_components_are_a_free_division() -> None:
    graph = Graph.from_edges(7, [(0, 1), (1, 2), (3, 4), (4, 5)])
    step = partition(graph, EncodingTree.from_labels(graph), np.zeros((7, 1)), 7, weight=0.0)
    assert step.tree.children(step.tree.root).tolist() == [6, 7, 8]
    assert step.change == pytest.approx(-1.0)


def test_texts_divide_vertices_without_edges() -> None:
    graph = Graph.from_edges(6, np.empty((0, 2), dtype=np.int64))
    texts = Density.from_vectors([[0.0], [9.0], [0.1], [9.1], [0.2], [9.2]], bandwidth=1.0)
    step = partition(graph, EncodingTree.from_labels(graph), texts, 6)
    assert step.tree.labels(1).tolist() == [6, 7, 6, 7, 6, 7]


@compiled_only
def test_a_large_node_is_divided_in_blocks_and_counted() -> None:
    case = planted(0)
    density = Density.from_vectors(case.vectors, bandwidth=SPREAD)
    divider = Divider(case.graph, density, 1.0, np.random.default_rng(0), kernel_entries=180 * 60)
    tree = partition_all(divider)
    assert divider.capped.in_blocks >= 1
    assert adjusted_rand(best_selection(case.graph, tree, density, 2, 1.0).labels(1), case.groups) > 0.6


def test_a_node_that_is_too_deep_is_left_whole_and_counted() -> None:
    graph = Graph.from_edges(4, [(0, 1), (2, 3)])
    chain = EncodingTree.from_parents(graph, [4] * 4 + [5 + level for level in range(_DEEPEST_DIVIDED_LEVEL)] + [-1])
    divider = Divider(graph, Density.from_vectors(np.zeros((4, 1))), 0.0, np.random.default_rng(0))
    assert len(partition_all(divider, chain)) == len(chain)
    assert divider.capped.too_deep == 1


@compiled_only
def test_partition_of_1500_points_is_exact() -> None:
    case = planted(1, circles=20, topics=5)
    density = Density.from_vectors(case.vectors, bandwidth=SPREAD)
    tree = EncodingTree.from_labels(case.graph)
    step = partition(case.graph, tree, density, tree.root)
    after = semantic_structural_entropy(case.graph, step.tree, density)
    assert after - semantic_structural_entropy(case.graph, tree, density) == pytest.approx(step.change, abs=1e-9)


def test_a_node_with_internal_children_or_a_leaf_cannot_be_divided() -> None:
    graph = Graph.from_edges(4, [(0, 1), (2, 3)])
    tree = EncodingTree.from_labels(graph, [0, 0, 1, 1])
    for node in (tree.root, 0, -1, len(tree)):
        with pytest.raises(GraphError, match=f"node {node} "):
            partition(graph, tree, np.zeros((4, 1)), node)


def test_neither_the_root_nor_a_leaf_can_be_taken_out() -> None:
    graph = Graph.from_edges(4, [(0, 1), (2, 3)])
    tree = EncodingTree.from_labels(graph, [0, 0, 1, 1])
    for node in (tree.root, 3):
        with pytest.raises(GraphError, match=f"node {node} cannot be removed"):
            prune_node(graph, tree, np.zeros((4, 1)), node)


def test_a_tree_without_height_cannot_be_asked_for() -> None:
    graph = Graph.from_edges(2, [(0, 1)])
    with pytest.raises(GraphError, match="height must be at least 1, got 0"):
        prune(graph, EncodingTree.from_labels(graph), np.zeros((2, 1)), height=0)


def change(case: Attributed, after: EncodingTree, weight: float) -> float:
    """Return the difference in entropy between two trees, computed from scratch."""
    before, now = (
        semantic_structural_entropy(case.graph, tree, case.density, weight=weight) for tree in (case.tree, after)
    )
    return now - before


def prune_all_but(case: Attributed, tree: EncodingTree, kept: set[int], weight: float) -> EncodingTree:
    """The tree of some of the internal nodes."""
    groups = [set(tree.members(node).tolist()) for node in kept]
    while True:
        inner = range(tree.leaves, tree.root)
        out = [node for node in inner if set(tree.members(node).tolist()) not in groups]
        if not out:
            return tree
        tree = prune_node(case.graph, tree, case.density, out[0], weight=weight).tree
