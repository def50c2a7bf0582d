from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.bench.metrics import (
    all_found,
    mean_scores,
    ndcg,
    question_scores,
    recall,
    scores_by_question,
)


def test_recall_is_the_share_of_the_gold_among_the_first() -> None:
    gold = {"a": 1, "b": 1, "x": 0}
    assert recall(["a", "x", "b"], gold, 2) == 0.5
    assert recall(["a", "x", "b"], gold, 3) == 1.0
    assert recall(["x"], gold, 2) == 0.0


def test_all_means_every_gold_document() -> None:
    gold = {"a": 1, "b": 2, "x": 0}
    assert all_found(["a", "x", "b"], gold, 2) == 0.0
    assert all_found(["a", "x", "b"], gold, 3) == 1.0


def test_ndcg_worked_by_hand() -> None:
    # gains 0, 1, 2 at ranks 1, 2, 3: 1/log2(3) + 2/log2(4) = 1.63093; best order: 2/log2(2) + 1/log2(3) = 2.63093
    assert ndcg(["x", "a", "b"], {"a": 1, "b": 2, "c": 0, "x": -1}, 10) == pytest.approx(1.6309298 / 2.6309298)


def test_without_gold_nothing_is_found() -> None:
    for judged in ({}, {"a": 0}):
        assert (recall(["a"], judged, 5), all_found(["a"], judged, 5), ndcg(["a"], judged, 5)) == (0.0, 0.0, 0.0)


def test_a_question_without_a_ranking_counts_as_found_nothing() -> None:
    each = scores_by_question({"q1": ["a"]}, {"q1": {"a": 1}, "q2": {"a": 1}})
    assert [(question, scores.recall_2) for question, scores in each.items()] == [("q1", 1.0), ("q2", 0.0)]
    scores = mean_scores(each.values())
    assert (scores.recall_2, scores.all_5, scores.ndcg_10) == (0.5, 0.5, 0.5)


@given(st.permutations([f"d{number}" for number in range(15)]), st.integers(1, 12))
def test_scores_lie_in_the_unit_interval_and_recall_grows_with_depth(ranking: list[str], gold: int) -> None:
    scores = question_scores(ranking, {f"d{number}": 1 + number % 3 for number in range(gold)})
    assert 0.0 <= scores.recall_2 <= scores.recall_5 <= scores.recall_10 <= 1.0
    assert scores.all_5 == float(scores.recall_5 == 1.0)
    assert 0.0 <= scores.ndcg_10 <= 1.0 + 1e-12
