"""Aggregation: nodes become one, and nothing that they weigh is lost."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.entropy.generated import graph_of
from tests.unit.entropy.placed import Placed, placements

from overstory_entropy.aggregate import aggregate
from overstory_entropy.improve import first_of_each
from overstory_entropy.problem import PlacementProblem, place, spent, vertices_as_nodes
from overstory_entropy.refine import numbered


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
