"""Entities whose names are like those of a question, by the default embedder."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from tests.fakes import HashingEmbedder

from overstory.embed.minilm import MiniLmEmbedder
from overstory.graph.client import Row
from overstory.text.names.keys import entity_key
from overstory_systems.serag.candidates import (
    _MOST_SIMILAR_NAMES,
    _SIMILAR_NAME_COSINE,
    ChunkEdge,
    NamedEntities,
    NamedEntity,
    NameVectors,
    Nearness,
    entity_bonus,
    nearness,
    similar_entities,
)


def asked(*names: str) -> NamedEntities:
    return NamedEntities(entities=[], names=names)


def row(name: str, chunks: list[tuple[str, int]] | None = None) -> Row:
    return {"id": name.lower(), "key": entity_key(name), "name": name, "chunks": chunks or [("c", 1)]}


@pytest.fixture(scope="module")
def embedder() -> MiniLmEmbedder:
    return MiniLmEmbedder()


def test_a_name_that_is_like_one_of_the_question_counts_by_how_like_it_is(embedder: MiniLmEmbedder) -> None:
    rows = [row("New York City"), row("City of New York", [("c", 2), ("d", 1)]), row("Mexico City")]
    own, like, other = embedder.embed([each["name"] for each in rows])
    assert own @ like > _SIMILAR_NAME_COSINE > own @ other
    (found,) = similar_entities(rows, asked("New York City"), NameVectors(embedder), 100)
    assert (found.name, found.counts) == ("City of New York", {"c": 2, "d": 1})
    assert found.similarity == pytest.approx(float(own @ like), abs=1e-5)
    assert 0.0 < found.idf < 1.0


def test_only_names_that_share_a_word_are_compared_and_each_is_embedded_once() -> None:
    embedder = HashingEmbedder(64)
    names = NameVectors(embedder)
    rows = [row("The Bell"), row("River of Ulm"), *(row(f"Ulm {n}") for n in range(2 * _MOST_SIMILAR_NAMES))]
    for _ in range(2):
        similar_entities(rows, asked("the Ulm of Kings"), names, 100)
    assert len(embedder.embedded) == len(set(embedder.embedded)) == 1 + _MOST_SIMILAR_NAMES
    assert "The Bell" not in embedder.embedded


def test_vectors_of_names_are_in_order_and_the_longest_unused_are_forgotten() -> None:
    embedder = HashingEmbedder(64)
    names = NameVectors(embedder, most=2)
    expected = HashingEmbedder(64).embed(["Ulm", "Bern", "Ulm"])
    np.testing.assert_array_equal(names.of(["Ulm", "Bern", "Ulm"]), expected)
    names.of(["Ulm"])
    names.of(["Linz"])  # Bern goes
    names.of(["Ulm", "Linz", "Bern"])
    assert embedder.embedded == ["Ulm", "Bern", "Linz", "Bern"]


def test_a_question_without_names_is_like_none() -> None:
    assert similar_entities([row("Ulm")], asked(), NameVectors(HashingEmbedder(8)), 10) == []


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
