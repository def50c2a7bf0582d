"""SeRAG's scores, solved by hand."""

from __future__ import annotations

from math import log

import pytest

from overstory_systems.serag.scoring import ChunkEdge, NamedEntity, Nearness, entity_bonus, nearness

EINSTEIN = NamedEntity("Albert Einstein", 1.0, 0.5, {"a": 3, "b": 1})
ULM = NamedEntity("Ulm", 0.9, 1.0, {"b": 7})


def test_the_bonus_is_the_log_of_the_similar_entities_that_a_chunk_says() -> None:
    bonus = entity_bonus([EINSTEIN, ULM], idf_weighted=False)
    assert bonus == pytest.approx({"a": log(1 + log(4)), "b": log(1 + log(2) + 0.9 * log(8))})
    assert entity_bonus([], idf_weighted=False) == {}


def test_a_name_that_many_chunks_say_counts_less_where_that_is_weighed() -> None:
    bonus = entity_bonus([EINSTEIN, ULM], idf_weighted=True)
    assert bonus == pytest.approx({"a": log(1 + 0.5 * log(4)), "b": log(1 + 0.5 * log(2) + 0.9 * log(8))})


def test_a_chunk_owes_most_to_the_best_beside_it() -> None:
    edges = [ChunkEdge("a", "x", 1.0), ChunkEdge("b", "x", 0.5), ChunkEdge("b", "y", 0.25), ChunkEdge("a", "b", 0.5)]
    found = nearness({"a": 0.5, "b": 1.5}, edges)
    assert found == {"x": Nearness(0.75, "b"), "y": Nearness(0.375, "b"), "b": Nearness(0.25, "a")}
