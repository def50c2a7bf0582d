from __future__ import annotations

import numpy as np
import pytest

from overstory_systems.apr.codebook import _LONGEST_SYMBOL_CHARACTERS, Triple, coded, edge_vectors

LABEL = "Corpus_0123456789abcdef"


def test_the_same_names_are_the_same_symbols_and_the_same_triple_is_one_edge() -> None:
    first, second = coded(
        LABEL,
        [
            Triple("The Danube", "flow through", "Ulm", 0),
            Triple("danube", "Flow  Through", "Ulm", 3),
            Triple("Ulm", "be on", "the Danube", 4),
        ],
    )
    assert (first.head.text, first.sentence) == ("The Danube", 0)
    assert second.tail.id == first.head.id
    assert second.head.id == first.tail.id
    assert first.relation.id != second.relation.id


def test_a_relation_is_no_entity_of_the_same_words_and_corpora_share_no_symbol() -> None:
    (edge,) = coded(LABEL, [Triple("love", "love", "love")])
    assert edge.head.id == edge.tail.id != edge.relation.id
    (other,) = coded("Corpus_fedcba9876543210", [Triple("love", "love", "love")])
    assert other.head.id != edge.head.id
    assert other.id != edge.id


@pytest.mark.parametrize("words", [("", "be", "city"), ("Ulm", " ", "city"), ("Ulm", "be", "")])
def test_a_triple_with_a_part_that_says_nothing_is_left_out(words: tuple[str, str, str]) -> None:
    assert coded(LABEL, [Triple(*words)]) == []


def test_what_is_too_long_for_a_name_is_cut() -> None:
    (edge,) = coded(LABEL, [Triple("Ulm", "be", "word " * 1_000)])
    assert len(edge.tail.text) <= _LONGEST_SYMBOL_CHARACTERS


def test_the_vector_of_an_edge_is_the_direction_of_the_sum_of_its_symbols() -> None:
    edges = coded(LABEL, [Triple("a1", "r1", "b1"), Triple("b1", "r1", "a1")])
    axes = np.eye(3, dtype=np.float32)
    head, relation, tail = edges[0].symbols
    vectors = edge_vectors(edges, {head.id: axes[0], relation.id: axes[1], tail.id: axes[2]}, 3)
    assert vectors == pytest.approx(np.full((2, 3), 3**-0.5))
    assert edge_vectors([], {}, 3).shape == (0, 3)
