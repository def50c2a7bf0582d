"""Entities whose names are like those of a question, by the default embedder."""

from __future__ import annotations

import numpy as np
import pytest
from tests.fakes import HashingEmbedder

from overstory.embed.minilm import MiniLmEmbedder
from overstory.graph.client import Row
from overstory.text.names.keys import entity_key
from overstory_systems.serag.names import (
    _MOST_SIMILAR_NAMES,
    _SIMILAR_NAME_COSINE,
    NamedEntities,
    NameVectors,
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
