"""The layers of the chunk graph, compared with their definitions in plain Python (SeRAG, Eq. 3 to 6)."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory_entropy import Graph
from overstory_systems.serag.chunk_graph import (
    MEANING_ALONE,
    Layer,
    Mentioned,
    fused,
    most_chunks_of_an_entity,
    near_in_documents,
    shared_entities,
    strongest_pairs,
)

Pairs = dict[tuple[int, int], float]

entity_sets = st.lists(st.sets(st.integers(0, 7), max_size=5), max_size=9)


def mentioned(entities: list[set[int]]) -> Mentioned:
    starts = np.zeros(len(entities) + 1, dtype=np.int64)
    np.cumsum([len(each) for each in entities], out=starts[1:])
    return Mentioned(starts, np.array([e for each in entities for e in sorted(each)], dtype=np.int32))


def pairs_of(chunks: int, layer: Layer) -> Pairs:
    assert (np.diff(layer.keys) > 0).all()
    found = {
        divmod(key, chunks): weight for key, weight in zip(layer.keys.tolist(), layer.weights.tolist(), strict=True)
    }
    assert all(one < other for one, other in found)
    return found


def strongest(chunks: int, pairs: Pairs, most: int) -> Pairs:
    """Those among the `most` strongest of either end; of equally strong ones those to the lower number."""
    kept: Pairs = {}
    for chunk in range(chunks):
        own = [(-weight, sum(pair) - chunk, pair) for pair, weight in pairs.items() if chunk in pair]
        kept |= {pair: -weight for weight, _, pair in sorted(own)[:most]}
    return kept


def layer(chunks: int, pairs: Pairs) -> Layer:
    keys = sorted(one * chunks + other for one, other in pairs)
    weights = [pairs[key // chunks, key % chunks] for key in keys]
    return Layer(np.array(keys, dtype=np.int64), np.array(weights, dtype=np.float32))


@given(entity_sets, st.integers(1, 9), st.integers(1, 9))
def test_chunks_share_the_entities_that_are_in_both_by_the_larger_of_the_two(
    entities: list[set[int]], most_chunks: int, most_pairs: int
) -> None:
    held_by = {e: sum(e in each for each in entities) for e in range(8)}
    common = {e for e, held in held_by.items() if held > most_chunks}
    pairs: Pairs = {}
    for other, theirs in enumerate(entities):
        for one, ours in enumerate(entities[:other]):
            if both := (ours & theirs) - common:
                pairs[one, other] = len(both) / max(len(ours), len(theirs))
    found = shared_entities(mentioned(entities), most_chunks=most_chunks, most_pairs=most_pairs)
    n = len(entities)
    assert pairs_of(n, found.layer) == pytest.approx(strongest(n, pairs, most_pairs))
    assert found.too_common == len(common)
    assert found.cut == sum(sum(chunk in pair for pair in pairs) > most_pairs for chunk in range(n))


def test_of_equally_strong_sharers_those_with_the_lower_number_stay() -> None:
    everybody = shared_entities(mentioned([{0}] * 5), most_chunks=5, most_pairs=1)
    assert set(pairs_of(5, everybody.layer)) == {(0, 1), (0, 2), (0, 3), (0, 4)}
    assert everybody.cut == 5


@pytest.mark.parametrize(("chunks", "most"), [(10, 50), (500, 50), (2_000, 200), (50_000, 1_000)])
def test_an_entity_may_be_in_fifty_chunks_or_a_tenth_of_them_up_to_a_limit(chunks: int, most: int) -> None:
    assert most_chunks_of_an_entity(chunks, 1_000) == most
    assert most_chunks_of_an_entity(chunks, 20) == 20


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 25)), max_size=20, unique=True))
def test_nearness_falls_with_the_chunks_between_in_one_document_alone(places: list[tuple[int, int]]) -> None:
    expected: Pairs = {}
    for other, (document, place) in enumerate(places):
        for one, (its, there) in enumerate(places[:other]):
            nearness = exp(-((place - there) ** 2) / 50)
            if its == document and nearness >= 0.1:
                expected[one, other] = nearness
    found = near_in_documents(
        np.array([document for document, _ in places], dtype=np.int64),
        np.array([place for _, place in places], dtype=np.int64),
    )
    assert pairs_of(len(places), found) == pytest.approx(expected, rel=1e-6)


def test_ten_chunks_away_is_near_and_eleven_is_not() -> None:
    found = near_in_documents(np.zeros(12, dtype=np.int64), np.arange(12))
    assert {other - one for one, other in pairs_of(12, found)} == set(range(1, 11))


def test_the_weight_is_the_sum_of_the_parts_by_their_shares() -> None:
    similar, shared = layer(4, {(0, 1): 0.5, (1, 2): 1.0}), layer(4, {(1, 2): 0.25, (2, 3): 1e-6})
    near = layer(4, {(0, 1): 1.0, (0, 3): 0.5})
    graph = fused(4, similar, shared, near)
    found = dict(zip([tuple(ends) for ends in graph.ends().tolist()], graph.weights.tolist(), strict=True))
    assert found == pytest.approx({(0, 1): 0.325, (0, 3): 0.05, (1, 2): 0.5625})  # .45·10⁻⁶ is too weak
    assert graph.similar.tolist() == [0.5, 0.0, 1.0]
    assert graph.shared.tolist() == [0.0, 0.0, 0.25]
    assert graph.near.tolist() == [1.0, 0.5, 0.0]
    engine = graph.as_graph()
    assert (engine.vertices, engine.edges) == (4, 3)
    assert engine.degrees.tolist() == pytest.approx([0.375, 0.8875, 0.5625, 0.05])


def test_by_meaning_alone_the_pairs_are_those_of_the_one_layer() -> None:
    similar, other = layer(3, {(0, 1): 0.5}), layer(3, {(0, 1): 1.0, (1, 2): 1.0})
    graph = fused(3, similar, other, other, MEANING_ALONE)
    assert (graph.ends().tolist(), graph.weights.tolist()) == ([[0, 1]], [0.5])


@pytest.mark.parametrize("chunks", [0, 1])
def test_a_graph_of_nothing_has_no_pairs(chunks: int) -> None:
    nothing = layer(chunks, {})
    shared = shared_entities(mentioned([{1}] * chunks), most_chunks=50, most_pairs=9)
    near = near_in_documents(np.zeros(chunks, dtype=np.int64), np.zeros(chunks, dtype=np.int64))
    graph = fused(chunks, nothing, shared.layer, near)
    assert (len(graph.keys), shared.cut, shared.too_common) == (0, 0, 0)
    assert len(strongest_pairs(graph.as_graph(), 3)) == 0


WEIGHTS = st.dictionaries(
    st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda pair: pair[0] < pair[1]),
    st.sampled_from([0.25, 0.5, 0.75]),
    max_size=20,
)


@given(WEIGHTS, st.integers(1, 4))
def test_what_is_stored_is_the_strongest_of_each_chunk(weights: Pairs, most: int) -> None:
    edges = np.array(list(weights), dtype=np.int64).reshape(-1, 2)
    graph = Graph.from_edges(8, edges, np.array(list(weights.values())))
    found = [divmod(key, 8) for key in strongest_pairs(graph, most).tolist()]
    assert found == sorted(strongest(8, weights, most))
