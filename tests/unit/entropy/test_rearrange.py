"""Pieces of a binary tree in their best shape."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.unit.entropy import oracle
from tests.unit.entropy.generated import EdgeList, binary_parents_over, edge_lists

from overstory_entropy.binary_tree import BinaryTree, children_of, in_order
from overstory_entropy.problem import PlacementProblem, vertices_as_nodes
from overstory_entropy.rearrange import SUBTREES_A_PIECE, rearranged

SEED_OF_A_LARGE_PIECE = 4
"""Its first number, .94, lets the first piece have as many subtrees as any."""


@st.composite
def trees_of_graphs(draw: st.DrawFn, most: int) -> tuple[EdgeList, PlacementProblem, BinaryTree]:
    given_graph = draw(edge_lists(least=2, most=most))
    assume(given_graph.edges)
    parents = np.array(draw(binary_parents_over(given_graph.vertices)))
    return given_graph, vertices_as_nodes(given_graph.graph()), in_order(*children_of(parents), len(parents) - 1)


def measured(given_graph: EdgeList, tree: BinaryTree) -> float:
    return oracle.entropy(*given_graph, tree.parents.tolist())


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


@given(trees_of_graphs(most=SUBTREES_A_PIECE), st.integers(0, 99))
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
