from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.retrieve.entity_paths.expansion import Way, cheapest, is_ambiguous, is_name, ways


@pytest.mark.parametrize(
    ("key", "type_", "df", "parsed", "full", "name", "ambiguous"),
    [
        ("lars ulrich", "PERSON", 9, 8, False, True, False),
        ("ulrich", "PERSON", 9, 8, False, True, True),
        ("metallica", "", 9, 0, True, True, False),
        ("germany", "GPE", 9, 9, False, True, False),
        ("league", "", 41, 0, False, False, True),
        ("south", "LOC", 52, 2, False, False, False),
        ("1998", "", 30, 0, False, False, True),
        ("the", "", 30, 30, True, False, False),
        ("march 1998", "DATE", 3, 3, False, False, False),
    ],
)
def test_what_paths_go_through(
    *, key: str, type_: str, df: int, parsed: int, full: bool, name: bool, ambiguous: bool
) -> None:
    row = {"key": key, "type": type_, "df": df, "parsed": parsed, "full": full}
    assert is_name(row) == name
    assert is_ambiguous(row) == ambiguous


Edges = Iterable[tuple[str, str]]


def graph(edges: Edges) -> dict[str, set[str]]:
    neighbours: dict[str, set[str]] = {"A": set(), "B": set()}
    for one, other in edges:
        neighbours.setdefault(one, set()).add(other)
        neighbours.setdefault(other, set()).add(one)
    return neighbours


def found(edges: Edges, costs: dict[str, float], steps: int) -> list[tuple[float, Way]]:
    return list(ways(graph(edges), costs, "A", "B", steps=steps))


def test_the_cheapest_way_comes_first() -> None:
    edges = [("A", "x"), ("x", "B"), ("A", "y"), ("y", "B")]
    assert found(edges, {"x": 0.5, "y": 0.25}, 2) == [(0.25, ("A", "y", "B")), (0.5, ("A", "x", "B"))]


def test_a_way_has_exactly_so_many_steps() -> None:
    edges = [("A", "B"), ("A", "x"), ("x", "y"), ("y", "B")]
    costs = {"x": 0.5, "y": 0.25}
    assert [[way for _, way in found(edges, costs, steps)] for steps in (1, 2, 3, 4)] == [
        [("A", "B")],
        [],
        [("A", "x", "y", "B")],
        [],
    ]


def test_a_name_without_a_cost_is_on_no_way() -> None:
    assert found([("A", "hub"), ("hub", "B")], {}, 2) == []


def test_a_name_that_can_be_left_out_makes_a_detour() -> None:
    edges = [("A", "x"), ("x", "y"), ("A", "y"), ("y", "B")]
    costs = {"x": 0.1, "y": 0.1}
    assert [way for _, way in found(edges, costs, 2)] == [("A", "y", "B")]
    assert found(edges, costs, 3) == []


def test_ends_that_are_neighbours_have_other_ways_too() -> None:
    edges = [("A", "B"), ("A", "x"), ("x", "B")]
    assert found(edges, {"x": 0.1}, 2) == [(0.1, ("A", "x", "B"))]


def test_what_no_way_of_a_length_is_below() -> None:
    assert cheapest(1, 0.25) == 1.0
    assert cheapest(3, 0.25) == 3.5


NAMES = "uvwx"
PAIRS = [(a, b) for a in "A" + NAMES + "B" for b in "A" + NAMES + "B" if a < b]


@given(
    edges=st.sets(st.sampled_from(PAIRS)),
    costs=st.fixed_dictionaries({name: st.sampled_from([0.125, 0.25, 0.5]) for name in NAMES}),
    steps=st.integers(1, 5),
)
def test_all_ways_are_found_in_the_order_of_their_costs(
    edges: set[tuple[str, str]], costs: dict[str, float], steps: int
) -> None:
    neighbours = graph(edges)

    def is_way(way: Way) -> bool:
        chords = {
            (a, b)
            for i, a in enumerate(way)
            for b in way[i + 2 :]
            if b in neighbours.get(a, ()) and (a, b) != ("A", "B")
        }
        return all(b in neighbours.get(a, ()) for a, b in pairwise(way)) and not chords

    every = (("A", *between, "B") for between in permutations(NAMES, steps - 1))
    expected = {way: sum(costs[name] for name in way[1:-1]) for way in every if is_way(way)}
    result = found(edges, costs, steps)
    assert {way: cost for cost, way in result} == expected
    assert [cost for cost, _ in result] == sorted(expected.values())
