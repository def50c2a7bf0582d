from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.entropy.generated import EdgeList, edge_lists

from overstory.entropy import Graph
from overstory.entropy.graph_changes import changed
from overstory.errors import GraphError


def same(one: Graph, other: Graph) -> bool:
    return (
        one.indptr.tolist() == other.indptr.tolist()
        and one.neighbours.tolist() == other.neighbours.tolist()
        and np.allclose(one.weights, other.weights)
        and np.allclose(one.loops, other.loops)
        and np.allclose(one.degrees, other.degrees)
        and bool(np.isclose(one.volume, other.volume))
    )


@given(edge_lists(least=1), st.data())
def test_a_changed_graph_is_the_one_built_from_the_changed_edges(given: EdgeList, data: st.DataObject) -> None:
    add = data.draw(st.integers(0, 3))
    vertices = given.vertices + add
    ends = st.integers(0, vertices - 1)
    drawn = data.draw(st.lists(st.tuples(ends, ends, st.sampled_from([0.0, 1.0, 2.5])), max_size=10))
    sets = {(min(one, other), max(one, other)): weight for one, other, weight in drawn}
    gone = data.draw(st.sets(st.integers(0, given.vertices - 1)))
    sets = {pair: weight for pair, weight in sets.items() if not gone & {*pair}}

    result = changed(
        given.graph(), add=add, edges=list(sets) or np.empty((0, 2), int), weights=list(sets.values()), remove=[*gone]
    )

    weights: dict[tuple[int, int], float] = {}
    for one, other, weight in given.edges:
        pair = min(one, other), max(one, other)
        weights[pair] = weights.get(pair, 0.0) + weight
    weights |= sets
    stay = [vertex for vertex in range(vertices) if vertex not in gone]
    number = {vertex: place for place, vertex in enumerate(stay)}
    rows = [(number[a], number[b], weight) for (a, b), weight in weights.items() if a in number and b in number]
    expected = Graph.from_edges(
        len(stay), np.array([row[:2] for row in rows]).reshape(-1, 2).astype(int), [row[2] for row in rows]
    )
    assert same(result, expected)


def test_the_graph_that_was_given_stays_as_it_is() -> None:
    graph = Graph.from_edges(3, [(0, 1), (1, 2), (2, 2)], [1.0, 2.0, 3.0])
    changed(graph, add=1, edges=[(0, 1), (2, 2), (3, 0)], weights=[0.0, 1.0, 1.0], remove=[1][:0])
    assert same(graph, Graph.from_edges(3, [(0, 1), (1, 2), (2, 2)], [1.0, 2.0, 3.0]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"add": -1}, "-1 vertices cannot be added"),
        ({"remove": [3]}, "vertex 3 is to be removed, and the graph has 3 vertices"),
        ({"remove": [-1]}, "vertex -1 is to be removed, and the graph has 3 vertices"),
        ({"remove": [0.5]}, "vertices to remove have the shape (1,) and type float64; expected integers"),
        ({"add": 1, "remove": [3]}, "vertex 3 is to be removed, and the graph has 3 vertices"),
        ({"edges": [(0, 3)]}, "row 0 of the edges is (0, 3), and the graph has 3 vertices"),
        ({"edges": [(0, 1), (1, 0)]}, "row 1 of the edges sets (1, 0) a second time"),
        ({"edges": [(0, 2), (0, 1)], "remove": [1]}, "row 1 of the edges is (0, 1), one of which is to be removed"),
        ({"edges": [(0, 1)], "weights": [-1.0]}, "row 0 of the weights is -1.0; expected a finite number ≥ 0"),
    ],
)
def test_a_change_that_cannot_be_made_is_refused(change: dict[str, object], message: str) -> None:
    graph = Graph.from_edges(3, [(0, 1), (1, 2)])
    with pytest.raises(GraphError) as caught:
        changed(graph, **change)  # type: ignore[arg-type]
    assert str(caught.value) == message
