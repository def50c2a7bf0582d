"""Refinement: sets that hold together, each inside a community."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.entropy.generated import graph_of
from tests.unit.entropy.placed import Placed, placements

from overstory_entropy.compile import Ints
from overstory_entropy.problem import place, vertices_as_nodes
from overstory_entropy.refine import numbered, refine


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
