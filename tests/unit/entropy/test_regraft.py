"""Moves of leaves and small subtrees to anywhere in a binary tree."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.entropy import oracle
from tests.unit.entropy.generated import EdgeList
from tests.unit.entropy.placed_leaves import measured, trees_of_graphs

from overstory_entropy.binary_tree import BinaryTree, children_of, in_order
from overstory_entropy.problem import PlacementProblem, vertices_as_nodes
from overstory_entropy.regraft import _LEAVES_A_BLOCK, _SUBTREES_A_PIECE, rearranged, regrafted, small_subtrees


def places(parents: list[int], moving: int) -> Iterator[list[int]]:
    """Every tree that is the same but for where a node, with all below it, hangs; `parents` itself is one."""
    joint = parents[moving]
    sibling = next(node for node, above in enumerate(parents) if above == joint and node != moving)
    without = parents.copy()
    without[sibling] = parents[joint]
    for beside in range(len(parents)):
        if beside != joint and moving not in path(without, beside):
            placed = without.copy()
            placed[joint], placed[beside] = without[beside], joint
            yield placed


def path(parents: list[int], node: int) -> list[int]:
    return [node, *path(parents, parents[node])] if node >= 0 else []


@given(trees_of_graphs(most=10), st.data())
def test_a_subtree_goes_where_it_costs_least(
    case: tuple[EdgeList, PlacementProblem, BinaryTree], data: st.DataObject
) -> None:
    given_graph, problem, tree = case
    moving = data.draw(st.integers(0, len(tree.parents) - 2))
    after, _, _ = regrafted(problem, tree, np.array([moving]))
    least = min(oracle.entropy(*given_graph, placed) for placed in places(tree.parents.tolist(), moving))
    assert measured(given_graph, after) == pytest.approx(least, abs=1e-9)


@given(trees_of_graphs(most=20), st.integers(0, 99))
def test_the_announced_gain_of_many_moves_is_the_measured_one(
    case: tuple[EdgeList, PlacementProblem, BinaryTree], seed: int
) -> None:
    given_graph, problem, tree = case
    order = small_subtrees(tree, 4, np.random.default_rng(seed))
    after, gain, complete = regrafted(problem, tree, order)
    assert complete
    assert gain >= 0.0
    assert measured(given_graph, tree) - measured(given_graph, after) == pytest.approx(gain, abs=1e-9)


@given(trees_of_graphs(most=12), st.integers(0, 99))
def test_moves_come_to_an_end(case: tuple[EdgeList, PlacementProblem, BinaryTree], seed: int) -> None:
    _, problem, tree = case
    random = np.random.default_rng(seed)
    for _ in range(100):
        tree, gain, _ = regrafted(problem, tree, small_subtrees(tree, 4, random))
        if gain == 0.0:
            return
    pytest.fail("still moving")


@given(trees_of_graphs(most=20), st.integers(1, 5))
def test_leaves_come_first_then_the_subtrees_that_are_small_enough(
    case: tuple[EdgeList, PlacementProblem, BinaryTree], largest: int
) -> None:
    given_graph, _, tree = case
    sizes = [len(below) for below in oracle.vertices_below(given_graph.vertices, tree.parents.tolist())]
    order = small_subtrees(tree, largest, np.random.default_rng(0))
    assert sorted(order[: given_graph.vertices].tolist()) == list(range(given_graph.vertices))
    small = [node for node, size in enumerate(sizes) if 1 < size <= largest]
    assert sorted(order[given_graph.vertices :].tolist()) == small


def test_the_leaves_of_a_block_of_a_large_tree_come_one_after_the_other() -> None:
    leaves = 2 * _LEAVES_A_BLOCK
    parents = np.concatenate([np.repeat(leaves + np.arange(leaves - 1), 2), [-1]])  # a tree as low as can be
    tree = in_order(*children_of(parents), 2 * leaves - 2)
    order = small_subtrees(tree, 2, np.random.default_rng(0))
    for visits in (order[:leaves], order[leaves:]):
        blocks = tree.first[visits] // _LEAVES_A_BLOCK
        assert np.count_nonzero(np.diff(blocks)) == 1
        assert (np.diff(tree.first[visits[: len(visits) // 2]]) < 0).any()  # but not in the order of the tree


def test_a_vertex_with_nothing_but_a_loop_leaves_a_community_that_it_makes_dearer() -> None:
    given_graph = EdgeList(4, [(0, 1, 1.0), (1, 2, 1.0), (3, 3, 2.0)])
    tree = in_order(*children_of(np.array([4, 4, 6, 5, 5, 6, -1])), 6)  # 3 stands beside 0 and 1
    after, gain, _ = regrafted(vertices_as_nodes(given_graph.graph()), tree, np.array([3]))
    assert gain > 0.0
    assert after.parents[3] == len(after.parents) - 1


SEED_OF_A_LARGE_PIECE = 4
"""Its first number, .94, lets the first piece have as many subtrees as any."""


@given(trees_of_graphs(most=20), st.integers(0, 99))
def test_the_announced_gain_is_the_measured_one(case: tuple[EdgeList, PlacementProblem, BinaryTree], seed: int) -> None:
    given_graph, problem, tree = case
    random = np.random.default_rng(seed)
    for _ in range(3):
        after, gain = rearranged(problem, tree, random)
        assert gain >= 0.0
        assert measured(given_graph, tree) - measured(given_graph, after) == pytest.approx(gain, abs=1e-9)
        tree = after


@given(trees_of_graphs(most=6))
def test_a_tree_of_one_piece_becomes_the_best_there_is(case: tuple[EdgeList, PlacementProblem, BinaryTree]) -> None:
    given_graph, problem, tree = case
    tree, _ = rearranged(problem, tree, np.random.default_rng(SEED_OF_A_LARGE_PIECE))
    least = oracle.least_entropy(*given_graph, levels=None)
    assert measured(given_graph, tree) == pytest.approx(least, abs=1e-9)


@given(trees_of_graphs(most=_SUBTREES_A_PIECE), st.integers(0, 99))
def test_a_tree_that_is_best_stays_as_it_is(case: tuple[EdgeList, PlacementProblem, BinaryTree], seed: int) -> None:
    _, problem, tree = case
    tree, _ = rearranged(problem, tree, np.random.default_rng(SEED_OF_A_LARGE_PIECE))
    again, gain = rearranged(problem, tree, np.random.default_rng(seed))
    assert gain == 0.0
    assert again.parents.tolist() == tree.parents.tolist()


@given(trees_of_graphs(most=12))
def test_the_same_seed_gives_the_same_tree(case: tuple[EdgeList, PlacementProblem, BinaryTree]) -> None:
    _, problem, tree = case
    once, again = (rearranged(problem, tree, np.random.default_rng(5))[0] for _ in range(2))
    assert once.parents.tolist() == again.parents.tolist()
