"""Local moves: each gains what it announces, and they end where no vertex gains by moving."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.entropy.generated import EdgeList, graph_of
from tests.unit.entropy.placed import Placed, placements

from overstory_entropy.compile import Ints
from overstory_entropy.problem import Levels, PlacementProblem, nested_labels, place, vertices_as_nodes
from overstory_entropy.relocate import relocate

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
    """Every tree in which one vertex is beside another, or alone below a community that another is in."""
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
