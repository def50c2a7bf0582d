"""Which communities are bridged, and how a bridge is stored."""

from __future__ import annotations

import numpy as np

from overstory_entropy import Graph
from overstory_systems.hirag.communities import _BRIDGE_PARTNERS, CommunityBridge, pairs_to_bridge


def test_a_community_is_bridged_with_those_it_touches_and_those_it_is_like_in_turn() -> None:
    labels = np.repeat([10, 11, 12, 13], 2)
    graph = Graph.from_edges(8, [(0, 1), (0, 2), (2, 3), (4, 5), (6, 7)], [1.0, 0.5, 1.0, 1.0, 1.0])
    vectors = np.eye(4, dtype=np.float32)[np.repeat([0, 1, 0, 2], 2)]
    pairs = pairs_to_bridge(graph, labels, np.array([10, 11, 12, 13]), vectors)
    assert {(10, 11), (10, 12)} <= pairs
    assert all(one < other for one, other in pairs)


def test_pairs_are_bounded_by_communities_times_partners() -> None:
    count = 60
    random = np.random.default_rng(5)
    ends = [(one, other) for one in range(count) for other in range(one)]
    graph = Graph.from_edges(count, ends, random.random(len(ends)) + 0.1)
    vectors = random.normal(size=(count, 8)).astype(np.float32)
    pairs = pairs_to_bridge(graph, np.arange(count), np.arange(count), vectors)
    assert count <= len(pairs) <= count * _BRIDGE_PARTNERS
    strongest = max(range(len(ends)), key=lambda place: _weight(graph, *ends[place]))
    assert (ends[strongest][1], ends[strongest][0]) in pairs


def _weight(graph: Graph, one: int, other: int) -> float:
    row = slice(graph.indptr[one], graph.indptr[one + 1])
    return float(graph.weights[row][graph.neighbours[row] == other][0])


def test_communities_outside_those_looked_at_have_no_part_in_it() -> None:
    labels = np.array([10, 10, 11, 12, 9])
    graph = Graph.from_edges(5, [(0, 4), (1, 3), (2, 3), (0, 2)], [9.0, 9.0, 1.0, 1.0])
    assert pairs_to_bridge(graph, labels, np.array([10, 11]), np.ones((5, 2), dtype=np.float32)) == {(10, 11)}


def test_a_stored_bridge_goes_from_the_lower_id_to_the_higher_one_and_so_does_its_way() -> None:
    bridge = CommunityBridge(0, 1, ("0:a", "0:b", "0:c"), ("A", "B", "C"), 1.5)
    assert bridge.row(["x", "y"], str.upper) == {
        "from": "x",
        "to": "y",
        "names": ["A", "B", "C"],
        "refs": ["0:a", "0:b", "0:c"],
        "entities": ["0:A", "0:B", "0:C"],
        "cost": 1.5,
        "hops": 2,
    }
    turned = bridge.row(["y", "x"], str.upper)
    assert (turned["from"], turned["to"], turned["names"], turned["refs"]) == (
        "x",
        "y",
        ["C", "B", "A"],
        ["0:c", "0:b", "0:a"],
    )
