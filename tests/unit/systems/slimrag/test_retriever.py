"""SlimRAG's scores, solved by hand."""

from __future__ import annotations

import numpy as np
import pytest

from overstory_systems.slimrag.retriever import HitEntity, hit_entities, scores, within

EINSTEIN = HitEntity("Albert Einstein", 1.0, 2, ["a", "b"])
ULM = HitEntity("Ulm", 0.8, 2, ["b", "c"])


def test_a_sentence_counts_its_hit_entities() -> None:
    assert hit_entities([EINSTEIN, ULM]) == {"a": 1, "b": 2, "c": 1}
    assert hit_entities([]) == {}


def test_the_score_is_the_cosine_times_the_factor_and_never_below_zero() -> None:
    vectors = np.array([[1.0, 0.0], [0.6, 0.8], [-1.0, 0.0]], dtype=np.float32)
    question = np.array([1.0, 0.0], dtype=np.float32)
    found = scores(["a", "b", "c"], vectors, question, {"a": 1.0, "b": 2.0, "c": 5.0})
    assert [sentence.id for sentence in found] == ["b", "a", "c"]
    assert [sentence.score for sentence in found] == pytest.approx([1.2, 1.0, 0.0], abs=1e-6)


def test_equal_scores_are_in_the_order_of_their_ids() -> None:
    vectors = np.ones((3, 2), dtype=np.float32)
    found = scores(["c", "a", "b"], vectors, vectors[0], dict.fromkeys("abc", 1.0))
    assert [sentence.id for sentence in found] == ["a", "b", "c"]


def test_a_vector_that_is_missing_scores_nothing() -> None:
    (found,) = scores(["a"], np.zeros((1, 2), np.float32), np.ones(2, np.float32), {"a": 1.0})
    assert found.score == 0.0


@pytest.mark.parametrize(
    ("tokens", "most", "fit"), [([10, 20, 30], 60, 3), ([10, 20, 30], 59, 2), ([100, 1], 50, 1), ([], 50, 0)]
)
def test_the_lowest_sentences_are_dropped_first_but_one_always_stays(tokens: list[int], most: int, fit: int) -> None:
    assert within(tokens, most) == fit
