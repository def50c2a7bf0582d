"""The multilevel search: what it gains is announced, and nothing is ever lost."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.entropy.generated import EdgeList, graph_of
from tests.unit.entropy.placed import Placed, placements

from overstory_entropy import EncodingTree, Graph
from overstory_entropy.compile import Ints
from overstory_entropy.improve import first_of_each, improve, improved, numbered, refine, relocate
from overstory_entropy.problem import Levels, PlacementProblem, nested_labels, place, spent, vertices_as_nodes

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


def refined(placed: Placed, data: st.DataObject) -> Ints:
    order = data.draw(st.permutations(range(placed.drawn.vertices)))
    return refine(placed.problem(), placed.levels(), np.array(order))[0]


@given(placements(), st.data())
def test_sets_lie_inside_communities(placed: Placed, data: st.DataObject) -> None:
    sets = refined(placed, data)
    for label in np.unique(sets):
        assert len(np.unique(placed.nested[-1][sets == label])) == 1


@given(placements(), st.data())
def test_sets_are_connected(placed: Placed, data: st.DataObject) -> None:
    sets = refined(placed, data)
    for label in np.unique(sets).tolist():
        members = np.flatnonzero(sets == label).tolist()
        assert reached(members[0], {*members}, placed) == {*members}


def reached(start: int, members: set[int], placed: Placed) -> set[int]:
    """The members that edges between members lead to."""
    found = {start}
    while True:
        pairs = [{one, other} for one, other, _ in placed.drawn.edges if {one, other} <= members]
        further = {vertex for pair in pairs if pair & found for vertex in pair}
        if further <= found:
            return found
        found |= further


@given(placements(), st.data())
def test_sets_as_communities_in_place_of_theirs_cost_no_more_than_single_vertices(
    placed: Placed, data: st.DataObject
) -> None:
    apart = np.concatenate([placed.nested[:-1], numbered(np.arange(placed.drawn.vertices))[0][None]])
    sets = np.concatenate([placed.nested[:-1], refined(placed, data)[None]])
    assert placed.entropy(sets) <= placed.entropy(apart) + 1e-9


def test_a_community_of_two_triangles_falls_into_both() -> None:
    edges = [(0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0), (3, 4, 1.0), (4, 5, 1.0), (5, 3, 1.0), (2, 3, 0.1), (6, 7, 9.0)]
    problem = vertices_as_nodes(graph_of(8, edges))
    sets, count = refine(problem, place(problem, np.array([[0, 0, 0, 0, 0, 0, 1, 1]])), np.arange(8))
    assert (sets.tolist(), count) == ([0, 0, 0, 1, 1, 1, 2, 2], 3)


def test_a_set_stops_growing_where_one_more_node_would_cost_more_than_it_saves() -> None:
    star = [(0, leaf, 1.0) for leaf in range(1, 20)]
    problem = vertices_as_nodes(graph_of(20, star))
    sets, count = refine(problem, place(problem, np.zeros((1, 20), dtype=np.int64)), np.arange(20)[::-1].copy())
    assert np.count_nonzero(sets == sets[0]) == 10
    assert count == 11


@given(st.lists(st.integers(0, 20), min_size=1))
def test_labels_are_numbered_in_the_order_in_which_they_appear(labels: list[int]) -> None:
    numbers, count = numbered(np.array(labels))
    seen = list(dict.fromkeys(labels))
    assert numbers.tolist() == [seen.index(label) for label in labels]
    assert count == len(seen)


TRIANGLES = [(0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0), (3, 4, 1.0), (4, 5, 1.0), (5, 3, 1.0), (2, 3, 1.0)]


@given(placements(), st.data())
def test_the_announced_gain_of_the_moves_is_the_measured_one(placed: Placed, data: st.DataObject) -> None:
    levels, problem = placed.levels(), placed.problem()
    waiting = data.draw(st.lists(st.integers(0, placed.drawn.vertices - 1), unique=True))
    gain = relocate(problem, levels, placed.depth, np.array(waiting, dtype=np.int64)) / problem.total
    after = placed.entropy(nested_labels(levels, placed.depth))
    assert gain >= 0.0
    assert placed.entropy() - after == pytest.approx(gain, abs=1e-9)


@given(placements())
def test_after_the_moves_the_slots_hold_what_the_same_communities_would_hold_afresh(placed: Placed) -> None:
    levels, problem = placed.levels(), placed.problem()
    relocate(problem, levels, placed.depth, np.arange(placed.drawn.vertices))
    afresh = place(problem, nested_labels(levels, placed.depth))
    assert paths(levels, placed.depth) == paths(afresh, placed.depth)
    assert np.count_nonzero(levels.level >= 0) == np.count_nonzero(afresh.level >= 0)


def paths(levels: Levels, depth: int) -> list[list[tuple[float, ...]]]:
    """Volume, children and X of the community above each node at every level, the lowest first; of the root, no X."""
    slots, found = levels.home, []
    for _ in range(depth):
        found.append([levels.volume[slots], levels.children[slots], levels.own[slots]])
        slots = levels.parent[slots]
    found.append([levels.volume[slots], levels.children[slots]])
    return [[tuple(column.tolist()) for column in columns] for columns in found]


@given(placements())
def test_a_pass_without_a_move_leaves_no_vertex_that_would_gain(placed: Placed) -> None:
    levels, problem = placed.levels(), placed.problem()
    while relocate(problem, levels, placed.depth, np.arange(placed.drawn.vertices)) > 0.0:
        pass
    settled = nested_labels(levels, placed.depth)
    least = min(placed.entropy(tree) for tree in with_a_vertex_elsewhere(settled))
    assert least >= placed.entropy(settled) - 1e-9


def with_a_vertex_elsewhere(nested: Ints) -> list[Ints]:
    """Return every tree in which one vertex moved next to another, or alone below a community of another."""
    depth, vertices = nested.shape
    moved: list[Ints] = []
    for vertex in range(vertices):
        for other in range(vertices):
            for shared in range(depth + 1):
                tree = nested.copy()
                tree[:shared, vertex] = nested[:shared, other]
                tree[shared:, vertex] = vertices
                moved.append(np.array([np.unique(row, return_inverse=True)[1] for row in tree]))
    return moved


def test_single_vertices_join_their_neighbours() -> None:
    problem, levels = alone(4, [(0, 1, 1.0), (2, 3, 1.0), (1, 2, 0.1)])
    relocate(problem, levels, 1, np.arange(4))
    assert nested_labels(levels, 1).tolist() == [[0, 0, 1, 1]]


def test_a_vertex_in_the_wrong_triangle_leaves_it_when_it_alone_is_asked() -> None:
    problem = vertices_as_nodes(graph_of(6, TRIANGLES))
    levels = place(problem, np.array([[0, 0, 1, 1, 1, 1]]))
    assert relocate(problem, levels, 1, np.array([2])) > 0.0
    assert nested_labels(levels, 1).tolist() == [[0, 0, 0, 1, 1, 1]]


def test_nobody_moves_when_nobody_waits() -> None:
    problem, levels = alone(6, TRIANGLES)
    assert relocate(problem, levels, 1, np.arange(0)) == 0.0


def test_vertices_without_edges_to_others_stay_alone() -> None:
    problem, levels = alone(4, [(0, 1, 1.0), (2, 2, 5.0)])
    relocate(problem, levels, 1, np.arange(4))
    assert nested_labels(levels, 1).tolist() == [[0, 0, 1, 2]]


def test_a_vertex_that_has_only_loops_leaves_the_community_that_it_swells() -> None:
    problem = vertices_as_nodes(graph_of(5, [(0, 1, 1.0), (2, 3, 1.0), (4, 4, 1.0)]))
    levels = place(problem, np.array([[0, 0, 0, 0, 0], [0, 0, 1, 1, 0]]))
    assert relocate(problem, levels, 2, np.array([4])) > 0.0
    assert nested_labels(levels, 2).tolist() == [[0, 0, 0, 0, 1], [0, 0, 1, 1, 2]]


def alone(vertices: int, edges: list[tuple[int, int, float]]) -> tuple[PlacementProblem, Levels]:
    """A problem with every vertex in a community of its own."""
    problem = vertices_as_nodes(EdgeList(vertices, edges).graph())
    return problem, place(problem, np.arange(vertices)[None])
