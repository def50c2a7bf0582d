"""Communities in slots: what they hold is what the definitions say of the same tree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.entropy import oracle
from tests.unit.entropy.generated import EdgeList, edge_lists, graph_of
from tests.unit.entropy.placed import Placed, parents_of, placements

from overstory_entropy import flat_entropy
from overstory_entropy.improve import first_of_each, numbered
from overstory_entropy.problem import (
    FREE_LEVEL,
    ROOT_SLOT,
    PlacementProblem,
    aggregate,
    logarithm,
    nested_labels,
    place,
    spent,
    vertices_as_nodes,
)


@given(placements())
def test_what_the_communities_save_is_the_difference_to_the_flat_tree(placed: Placed) -> None:
    saved = -spent(placed.levels(), placed.problem().total) / placed.problem().total
    assert flat_entropy(placed.drawn.graph()) - saved == pytest.approx(placed.entropy(), abs=1e-8)


@given(placements())
def test_every_community_has_the_volume_of_its_vertices_and_the_weight_that_meets_in_it(placed: Placed) -> None:
    levels, unit = placed.levels(), oracle.volume(placed.drawn.edges, {*range(placed.drawn.vertices)})
    unit /= placed.problem().total
    vertices = range(placed.drawn.vertices)
    below = oracle.vertices_below(placed.drawn.vertices, parents_of(placed.nested))
    for vertex in vertices:
        slot = int(levels.home[vertex])
        for row in reversed(range(placed.depth)):
            group = {other for other in vertices if placed.nested[row, other] == placed.nested[row, vertex]}
            assert levels.volume[slot] * unit == pytest.approx(oracle.volume(placed.drawn.edges, group))
            assert levels.own[slot] * unit == pytest.approx(own(placed, row, group), abs=1e-5)
            assert group in below
            assert levels.level[slot] == row + 1
            slot = int(levels.parent[slot])
        assert slot == ROOT_SLOT


def own(placed: Placed, row: int, group: set[int]) -> float:
    """Twice the weight inside a group of a row that is inside none of the row below."""
    finer = placed.nested[row + 1] if row + 1 < placed.depth else np.arange(placed.drawn.vertices)
    return 2.0 * sum(
        weight for one, other, weight in placed.drawn.edges if {one, other} <= group and finer[one] != finer[other]
    )


@given(placements())
def test_every_slot_counts_what_is_directly_below_it(placed: Placed) -> None:
    levels = placed.levels()
    used = np.flatnonzero(levels.level > 0)
    above = np.concatenate([levels.home, levels.parent[used]])
    assert levels.children.tolist() == np.bincount(above, minlength=len(levels.children)).tolist()
    assert (levels.level[used] == levels.level[levels.parent[used]] + 1).all()
    assert (levels.level[levels.children == 0] == FREE_LEVEL).all()


@given(placements())
def test_communities_come_back_as_the_labels_that_named_them(placed: Placed) -> None:
    expected = [numbered(row)[0].tolist() for row in placed.nested]
    assert nested_labels(placed.levels(), placed.depth).tolist() == expected


def test_every_vertex_may_be_alone_at_every_level() -> None:
    problem = vertices_as_nodes(graph_of(3, [(0, 1, 1.0), (1, 2, 1.0)]))
    levels = place(problem, np.array([[0, 1, 2]] * 4))
    assert levels.volume[levels.home].tolist() == problem.volumes.tolist()
    assert spent(levels, problem.total) == 0.0


@given(edge_lists())
def test_weights_are_counted_in_whole_units(drawn: EdgeList) -> None:
    problem = vertices_as_nodes(drawn.graph())
    for numbers in (problem.weights, problem.volumes):
        assert numbers.tolist() == np.rint(numbers).tolist()
    assert problem.total == problem.volumes.sum() < 2.0**53


@given(edge_lists())
def test_weights_multiplied_by_a_power_of_two_are_the_same_problem(drawn: EdgeList) -> None:
    multiplied = graph_of(drawn.vertices, [(one, other, weight * 2.0**40) for one, other, weight in drawn.edges])
    problem, same = vertices_as_nodes(drawn.graph()), vertices_as_nodes(multiplied)
    assert same.weights.tolist() == problem.weights.tolist()
    assert same.volumes.tolist() == problem.volumes.tolist()


def test_a_weight_far_below_the_others_still_weighs_one_unit() -> None:
    problem = vertices_as_nodes(graph_of(3, [(0, 1, 1e-200), (1, 2, 1e200)]))
    assert problem.weights.tolist() == [1.0, 1.0, 2.0**49, 2.0**49]


def test_the_logarithm_of_no_volume_is_zero() -> None:
    assert (logarithm(0.0), logarithm(8.0)) == (0.0, 3.0)


def merged(problem: PlacementProblem, data: st.DataObject) -> tuple[PlacementProblem, list[int]]:
    nodes = len(problem.volumes)
    labels, count = numbered(np.array(data.draw(st.lists(st.integers(0, 4), min_size=nodes, max_size=nodes))))
    return aggregate(problem, labels, count), labels.tolist()


@given(placements(), st.data())
def test_merging_keeps_the_volume_and_the_weight(placed: Placed, data: st.DataObject) -> None:
    problem = placed.problem()
    whole, _ = merged(problem, data)
    assert whole.volumes.sum() == problem.volumes.sum()
    assert whole.weights.sum() + whole.inside.sum() == problem.weights.sum() + problem.inside.sum()


@given(placements(), st.data())
def test_the_weight_between_two_sets_is_that_between_their_nodes(placed: Placed, data: st.DataObject) -> None:
    problem = placed.problem()
    whole, labels = merged(problem, data)
    between = np.zeros((len(whole.volumes), len(whole.volumes)))
    for node, label in enumerate(labels):
        for entry in range(int(problem.indptr[node]), int(problem.indptr[node + 1])):
            between[label, labels[int(problem.neighbours[entry])]] += problem.weights[entry]
    sources = np.repeat(np.arange(len(whole.volumes)), np.diff(whole.indptr))
    found = np.diag(whole.inside)
    found[sources, whole.neighbours] = whole.weights
    assert found.tolist() == between.tolist()
    assert len(whole.weights) == np.count_nonzero(between - np.diag(np.diag(between)))


@given(placements(), st.data())
def test_merging_twice_is_merging_at_once(placed: Placed, data: st.DataObject) -> None:
    problem = placed.problem()
    first, labels = merged(problem, data)
    second, groups = merged(first, data)
    at_once = aggregate(problem, np.array([groups[label] for label in labels]), len(second.volumes))
    assert at_once.volumes.tolist() == second.volumes.tolist()
    assert at_once.inside.tolist() == second.inside.tolist()
    assert at_once.weights.sum() == second.weights.sum()


@given(placements())
def test_communities_cost_the_same_over_their_lowest_as_over_the_vertices(placed: Placed) -> None:
    problem, lowest = placed.problem(), placed.nested[-1]
    count = int(lowest.max()) + 1
    whole = aggregate(problem, lowest, count)
    above = place(whole, placed.nested[:, first_of_each(lowest, count)])
    assert spent(above, whole.total) == spent(placed.levels(), problem.total)


def test_a_set_keeps_the_weight_between_its_nodes_as_its_inside() -> None:
    problem = vertices_as_nodes(graph_of(3, [(0, 1, 1.0), (1, 2, 2.0), (1, 1, 0.5)]))
    whole = aggregate(problem, np.array([0, 0, 1]), 2)
    unit = problem.total / 7.0
    assert np.rint(whole.inside / unit).tolist() == [2.0, 0.0]
    assert np.rint(whole.weights / unit).tolist() == [2.0, 2.0]
    assert np.rint(whole.volumes / unit).tolist() == [5.0, 2.0]
