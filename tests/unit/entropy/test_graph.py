"""Edge lists become graphs: what is added up, what is kept apart, and what is refused by its row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import ArrayLike
from tests.unit.entropy import oracle
from tests.unit.entropy.generated import EdgeList, edge_lists

from overstory_entropy import Graph
from overstory_entropy.errors import GraphError


def rows_of(graph: Graph) -> dict[tuple[int, int], float]:
    """The weight of each pair in each direction."""
    sources = np.repeat(np.arange(graph.vertices), np.diff(graph.indptr)).tolist()
    return dict(zip(zip(sources, graph.neighbours.tolist(), strict=True), graph.weights.tolist(), strict=True))


@given(edge_lists(least=0))
def test_a_graph_holds_every_pair_in_both_directions_with_its_weights_added_up(drawn: EdgeList) -> None:
    graph = drawn.graph()
    expected: dict[tuple[int, int], float] = {}
    for one, other, weight in drawn.edges:
        if one != other:
            expected[one, other] = expected[other, one] = expected.get((one, other), 0.0) + weight
    assert rows_of(graph) == pytest.approx(expected)
    assert graph.edges == len(expected) // 2


@given(edge_lists())
def test_degrees_and_volume_count_a_loop_twice(drawn: EdgeList) -> None:
    graph = drawn.graph()
    degrees = [oracle.volume(drawn.edges, {vertex}) for vertex in range(drawn.vertices)]
    assert graph.degrees == pytest.approx(degrees)
    assert graph.volume == pytest.approx(sum(degrees))


@given(edge_lists())
def test_rows_are_ascending_and_both_directions_equal_to_the_last_bit(drawn: EdgeList) -> None:
    graph = drawn.graph()
    rows = rows_of(graph)
    assert list(rows) == sorted(rows)
    assert all(weight == rows[other, one] for (one, other), weight in rows.items())


@given(edge_lists())
def test_a_list_of_both_directions_gives_the_graph_of_one(drawn: EdgeList) -> None:
    once = drawn.graph()
    both = rows_of(once) | {(vertex, vertex): loop for vertex, loop in enumerate(once.loops.tolist())}
    twice = Graph.from_edges(drawn.vertices, list(both), list(both.values()), symmetric=True)
    assert rows_of(twice) == rows_of(once)
    assert twice.loops.tolist() == once.loops.tolist()


def test_directions_that_float32_rounded_apart_are_given_their_mean() -> None:
    there, back = np.float32(0.1), np.nextafter(np.float32(0.1), np.float32(1.0))
    graph = Graph.from_edges(2, [(0, 1), (1, 0)], [there, back], symmetric=True)
    assert graph.weights.tolist() == [(float(there) + float(back)) / 2] * 2


def test_parallel_rows_of_a_symmetric_list_are_added_up_before_they_are_compared() -> None:
    graph = Graph.from_edges(2, [(0, 1), (0, 1), (1, 0)], [1.0, 2.0, 3.0], symmetric=True)
    assert graph.weights.tolist() == [3.0, 3.0]


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("edges", [[], np.empty((0, 2), dtype=np.int64), np.empty((0, 2))])
@pytest.mark.parametrize("vertices", [0, 1, 3])
def test_a_graph_without_edges_is_a_graph(vertices: int, edges: ArrayLike, symmetric: bool) -> None:
    graph = Graph.from_edges(vertices, edges, [], symmetric=symmetric)
    assert (graph.vertices, graph.edges, graph.volume) == (vertices, 0, 0.0)


def test_rows_of_weight_zero_are_no_edges() -> None:
    assert Graph.from_edges(3, [(0, 1), (1, 2)], [0.0, 1.0]).edges == 1
    assert Graph.from_edges(3, [(0, 1)], [0.0], symmetric=True).edges == 0


@pytest.mark.parametrize("ends", [np.int8, np.uint16, np.int32, np.uint32, np.int64, np.uint64, ">i4"])
@pytest.mark.parametrize("numbers", [np.float16, np.float32, np.float64, np.int32, np.bool_])
def test_any_type_of_integers_and_numbers_gives_the_same_graph(ends: str, numbers: str) -> None:
    edges, weights = np.array([(0, 1), (1, 2)], dtype=ends), np.array([1, 1], dtype=numbers)
    assert rows_of(Graph.from_edges(3, edges, weights)) == rows_of(Graph.from_edges(3, [(0, 1), (1, 2)]))


def test_arrays_that_cannot_be_written_or_are_not_contiguous_are_read_as_they_are() -> None:
    edges, weights = np.array([(0, 1, 9), (1, 2, 9)]).T[:2].T, np.array([1.0, 9.0, 2.0])[::2]
    edges.flags.writeable = weights.flags.writeable = False
    assert rows_of(Graph.from_edges(3, edges, weights)) == {(0, 1): 1.0, (1, 0): 1.0, (1, 2): 2.0, (2, 1): 2.0}


def test_the_given_arrays_stay_as_they_were() -> None:
    edges, weights = np.array([(0, 1), (1, 0)], dtype=np.int32), np.array([1.0, 1.0 + 1e-9])
    Graph.from_edges(2, edges, weights, symmetric=True)
    assert weights.tolist() == [1.0, 1.0 + 1e-9]


def test_a_graph_shows_its_size() -> None:
    assert repr(Graph.from_edges(3, [(0, 1), (2, 2)])) == "Graph(3 vertices, 1 edges, volume 4)"


@pytest.mark.parametrize(
    ("vertices", "edges", "weights", "message"),
    [
        (-1, [], [], "a graph of -1 vertices"),
        (2**31, [], [], "a graph of 2147483648 vertices"),
        (2, [(0, 1), (1, 2), (5, 5)], None, r"row 1 of the edges is \(1, 2\), but the graph has 2 vertices"),
        (2, [(0, 1), (0, -1)], None, r"row 1 of the edges is \(0, -1\)"),
        (0, [(0, 0)], None, r"row 0 of the edges"),
        (2, [(0, 1, 1)], None, r"shape \(1, 3\)"),
        (2, [0, 1], None, r"shape \(2,\)"),
        (2, np.empty((0, 3)), None, r"shape \(0, 3\)"),
        (2, [(0.0, 1.0)], None, "type float64"),
        (2, [(0, 2**64)], None, "type object"),
        (2, [(0, 1), (1,)], None, "edges are not an array"),
        (2, [(0, 1), (0, 1)], [1.0], r"weights have the shape \(1,\); expected \(2,\)"),
        (2, [(0, 1)], 1.0, r"shape \(\)"),
        (2, [], [1.0], r"shape \(1,\); expected \(0,\)"),
        (2, [(0, 1), (0, 1)], [1.0, -2.0], "row 1 of the weights is -2.0"),
        (2, [(0, 1), (0, 1)], [np.nan, -2.0], "row 0 of the weights is nan"),
        (2, [(0, 1)], [np.inf], "row 0 of the weights is inf"),
        (2, [(0, 1)], ["heavy"], "weights are of type <U5"),
        (2, [(0, 1)], [1j], "weights are of type complex128"),
        (2, [(0, 1), (0, 1)], [1e308, 1e308], "too large for float64"),
        (1, [(0, 0)], [1e308], "too large for float64"),
    ],
)
def test_what_makes_no_graph_is_refused_by_its_row(
    vertices: int, edges: ArrayLike, weights: ArrayLike | None, message: str
) -> None:
    with pytest.raises(GraphError, match=message):
        Graph.from_edges(vertices, edges, weights)


@pytest.mark.parametrize(
    ("edges", "weights", "message"),
    [
        ([(0, 1), (1, 0), (1, 2)], [1.0, 1.0, 4.0], r"row 2 of the edges is \(1, 2\): .* is 4.0, back 0.0"),
        ([(2, 2), (2, 0), (0, 2)], [1.0, 1.0, 2.0], r"row 1 of the edges is \(2, 0\): .* is 1.0, back 2.0"),
        ([(0, 1), (0, 1), (1, 0)], [1.0, 1.0, 1.0], r"row 0 of the edges is \(0, 1\): .* is 2.0, back 1.0"),
        ([(0, 1), (1, 0)], [1.0, 0.0], r"row 0 .* back 0.0"),
    ],
)
def test_a_list_that_promises_both_directions_and_lacks_one_is_refused_by_its_row(
    edges: ArrayLike, weights: ArrayLike, message: str
) -> None:
    with pytest.raises(GraphError, match=message):
        Graph.from_edges(3, edges, weights, symmetric=True)
