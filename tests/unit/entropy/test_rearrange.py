"""Pieces of a binary tree in their best shape."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.entropy import oracle
from tests.unit.entropy.generated import EdgeList
from tests.unit.entropy.placed_leaves import measured, trees_of_graphs

from overstory_entropy.binary_tree import BinaryTree
from overstory_entropy.problem import PlacementProblem
from overstory_entropy.regraft import _SUBTREES_A_PIECE, rearranged

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
