"""The multilevel search: what it gains is announced, and nothing is ever lost."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.entropy.generated import graph_of
from tests.unit.entropy.placed import Placed, placements

from overstory_entropy import EncodingTree, Graph
from overstory_entropy.improve import first_of_each, improve, improved
from overstory_entropy.problem import nested_labels, place, spent, vertices_as_nodes
from overstory_entropy.refine import numbered
from overstory_entropy.relocate import relocate

SEEDS = st.integers(0, 2**32 - 1)


@given(placements(), SEEDS)
def test_the_announced_gain_of_a_search_is_the_measured_one(placed: Placed, seed: int) -> None:
    levels = placed.levels()
    gain = improve(placed.problem(), levels, placed.depth, np.random.default_rng(seed))
    after = placed.entropy(nested_labels(levels, placed.depth))
    assert placed.entropy() - after == pytest.approx(gain, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_the_announced_gain_is_the_measured_one_where_whole_communities_move(seed: int) -> None:
    random = np.random.default_rng(seed)
    graph = Graph.from_edges(60, random.integers(0, 60, (150, 2)))
    problem, lowest = vertices_as_nodes(graph), np.arange(60) // 5
    start = np.array([random.integers(0, 3, 12)[lowest], lowest])
    levels = place(problem, np.array([numbered(row)[0] for row in start]))
    gain = improve(problem, levels, 2, random)
    before, after = (EncodingTree.from_labels(graph, *nested).entropy for nested in (start, nested_labels(levels, 2)))
    assert before - after == pytest.approx(gain, abs=1e-9)


@given(placements(), SEEDS)
def test_no_round_makes_the_entropy_rise(placed: Placed, seed: int) -> None:
    random, nested = np.random.default_rng(seed), placed.nested
    for _ in range(4):
        further = improved(placed.problem(), nested, random, rounds=1)
        assert placed.entropy(further) <= placed.entropy(nested) + 1e-9
        nested = further


@given(placements(), SEEDS)
def test_after_a_search_the_slots_hold_what_the_same_communities_would_hold_afresh(placed: Placed, seed: int) -> None:
    levels, problem = placed.levels(), placed.problem()
    improve(problem, levels, placed.depth, np.random.default_rng(seed))
    afresh = place(problem, nested_labels(levels, placed.depth))
    assert spent(levels, problem.total) == pytest.approx(spent(afresh, problem.total), abs=1e-9 * problem.total)
    assert levels.volume[levels.home].tolist() == afresh.volume[afresh.home].tolist()
    assert levels.own[levels.home].tolist() == afresh.own[afresh.home].tolist()
    assert levels.children[levels.home].tolist() == afresh.children[afresh.home].tolist()


def test_halves_that_no_single_vertex_would_leave_are_joined_as_sets() -> None:
    vertices = np.arange(24)
    halves, groups = vertices // 3, vertices // 6
    edges = [(one, other, 1.0 if halves[one] == halves[other] else 0.5) for one, other in combinations(range(24), 2)]
    inside = [edge for edge in edges if groups[edge[0]] == groups[edge[1]]]
    problem = vertices_as_nodes(graph_of(24, inside + [(first, (first + 6) % 24, 0.1) for first in range(0, 24, 6)]))
    assert relocate(problem, place(problem, halves[None]), 1, vertices) == 0.0
    assert improved(problem, halves[None], np.random.default_rng(0)).tolist() == [groups.tolist()]


@given(st.lists(st.integers(0, 5), min_size=1))
def test_the_first_place_of_each_label_is_found(labels: list[int]) -> None:
    numbers = np.unique(labels, return_inverse=True)[1]
    firsts = first_of_each(numbers, int(numbers.max()) + 1)
    assert firsts.tolist() == [numbers.tolist().index(label) for label in range(len(firsts))]
