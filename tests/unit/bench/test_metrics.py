from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.bench import metrics
from overstory.bench.metrics import (
    all_found,
    answer_scores,
    common_subsequence,
    difference_interval,
    mean_answer_scores,
    mean_interval,
    mean_scores,
    ndcg,
    question_scores,
    recall,
    rouge_l,
    scores_by_question,
    stands_in,
    token_f1,
    words,
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


SCORES = st.lists(st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 2 / 3, 1.0]), min_size=1, max_size=60)
COINS = [0.0, 1.0] * 200


@given(SCORES, st.integers(0, 5))
def test_the_interval_lies_among_the_values_and_holds_their_mean(values: list[float], seed: int) -> None:
    interval = mean_interval(values, seed=seed, resamples=500)
    assert min(values) <= interval.low <= interval.high <= max(values)
    assert interval.low - 1e-12 <= interval.mean <= interval.high + 1e-12
    assert interval.mean == pytest.approx(np.mean(values))


def test_it_is_as_wide_as_the_normal_approximation_says() -> None:
    interval = mean_interval(COINS, resamples=20_000)
    assert interval.high - interval.low == pytest.approx(2 * 1.96 * 0.5 / 20, rel=0.05)


def test_it_agrees_with_the_distribution_worked_by_hand() -> None:
    # of two coins, one each way, the means of resamples are 0, ½, 1 with probabilities ¼, ½, ¼
    assert mean_interval([0.0, 1.0], confidence=0.95) == metrics.Interval(mean=0.5, low=0.0, high=1.0)
    assert mean_interval([0.0, 1.0], confidence=0.4) == metrics.Interval(mean=0.5, low=0.5, high=0.5)


@given(SCORES, SCORES)
def test_a_higher_confidence_holds_a_lower_one(values: list[float], others: list[float]) -> None:
    sure = mean_interval(values + others, confidence=0.99, resamples=300)
    less = mean_interval(values + others, confidence=0.8, resamples=300)
    assert sure.low <= less.low <= less.high <= sure.high


def test_it_shrinks_with_the_root_of_the_number_of_questions() -> None:
    few, many = mean_interval(COINS[:40]), mean_interval(COINS * 10)
    assert (few.high - few.low) / (many.high - many.low) == pytest.approx(10.0, rel=0.1)


@given(st.floats(-1.0, 1.0), st.integers(1, 40))
def test_of_equal_values_it_is_a_point(value: float, number: int) -> None:
    interval = mean_interval([value] * number, resamples=50)
    assert interval.low == interval.high
    assert interval.mean == pytest.approx(value)


def test_the_same_seed_gives_the_same_interval_and_another_one_hardly_differs() -> None:
    assert mean_interval(COINS, seed=1) == mean_interval(COINS, seed=1)
    one, other = mean_interval(COINS, seed=1), mean_interval(COINS, seed=2)
    assert (one.low, one.high) != (other.low, other.high)
    assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=0.01)


def test_many_questions_need_little_memory() -> None:
    values = np.random.default_rng(0).random(100_000)
    tracemalloc.start()
    mean_interval(values, resamples=50)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10e6  # all draws at once would take 40 MB, and their values as much


def test_a_difference_is_that_of_the_pairs() -> None:
    ours, theirs = np.array([1.0, 1.0, 0.5, 0.0]), np.array([0.5, 1.0, 0.0, 0.0])
    assert difference_interval(ours, theirs, seed=4) == mean_interval([0.5, 0.0, 0.5, 0.0], seed=4)


def test_a_constant_lead_is_certain_however_much_the_questions_differ() -> None:
    harder = np.linspace(0.0, 0.75, 50)
    lead = difference_interval(harder + 0.25, harder)
    assert (lead.low, lead.mean, lead.high) == pytest.approx((0.25, 0.25, 0.25))


def test_a_difference_the_other_way_round_has_the_other_sign() -> None:
    ours, theirs = COINS[:40], [0.0, 0.0, 1.0, 1.0] * 10
    one, other = difference_interval(ours, theirs), difference_interval(theirs, ours)
    assert (one.low, one.mean, one.high) == pytest.approx((-other.high, -other.mean, -other.low))


def test_values_that_are_no_sample_are_refused() -> None:
    with pytest.raises(ValueError, match=r"got \(0,\)"):
        mean_interval([])
    with pytest.raises(ValueError, match=r"got \(2, 2\)"):
        mean_interval(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="at index 1 is not a finite number"):
        mean_interval([0.0, float("nan"), 1.0])


def test_options_out_of_bounds_are_refused() -> None:
    for confidence in (0.0, 1.0, 95.0, float("nan")):
        with pytest.raises(ValueError, match="must be between 0 and 1"):
            mean_interval(COINS, confidence=confidence)
    with pytest.raises(ValueError, match="got 0"):
        mean_interval(COINS, resamples=0)


def test_pairs_need_one_of_each() -> None:
    with pytest.raises(ValueError, match="got 2 and 3"):
        difference_interval([0.0, 1.0], [0.0, 1.0, 1.0])


some_words = st.lists(st.sampled_from("abcd"), max_size=8)


def test_words_are_compared_as_squad_does() -> None:
    assert words("The Anglican Communion!") == ["anglican", "communion"]
    assert words("U.S. of A.") == ["us", "of"]  # as SQuAD does: the article goes, whatever it was
    assert words("an  apple-pie") == ["applepie"]


def test_f1_is_of_shared_words_with_their_number() -> None:
    # 2 shared of 4 said and 3 gold: P = 2/4, R = 2/3, F1 = 4/7
    assert token_f1(["a", "b", "c", "a"], ["a", "b", "d"]) == pytest.approx(4 / 7)
    assert token_f1(["a"], ["b"]) == 0.0
    assert (token_f1([], []), token_f1([], ["a"])) == (1.0, 0.0)


def test_rouge_l_is_of_the_longest_common_subsequence() -> None:
    # "police killed the gunman" and "police kill the gunman": police the gunman, P = R = 3/4 (Lin 2004)
    assert rouge_l(["police", "kill", "the", "gunman"], ["police", "killed", "the", "gunman"]) == 0.75
    # "the gunman kill police": the gunman, 2/4 (Lin 2004)
    assert rouge_l(["the", "gunman", "kill", "police"], ["police", "killed", "the", "gunman"]) == 0.5
    # a c d of a b c d and a c b d: 3; P = 3/4, R = 3/5 with one word more
    assert rouge_l(list("abcd"), list("acbde")) == pytest.approx(2 * 3 / 9)


def subsequence_by_recursion(first: list[str], second: list[str]) -> int:
    if not first or not second:
        return 0
    if first[0] == second[0]:
        return 1 + subsequence_by_recursion(first[1:], second[1:])
    return max(subsequence_by_recursion(first[1:], second), subsequence_by_recursion(first, second[1:]))


@given(some_words, some_words)
def test_the_common_subsequence_is_the_longest(first: list[str], second: list[str]) -> None:
    assert common_subsequence(first, second) == subsequence_by_recursion(first, second)


@given(some_words, some_words)
def test_no_order_of_words_is_better_than_the_words(first: list[str], second: list[str]) -> None:
    assert rouge_l(first, second) <= token_f1(first, second)


def test_a_gold_answer_stands_in_an_answer_as_words() -> None:
    assert stands_in(["new", "york"], ["it", "is", "in", "new", "york", "city"]) == 1.0
    assert stands_in(["york"], ["yorkshire", "pudding"]) == 0.0
    assert stands_in(["york", "new"], ["new", "york"]) == 0.0
    assert stands_in([], ["york"]) == 0.0


def test_each_measure_takes_the_gold_answer_that_is_best_for_it() -> None:
    scores = answer_scores(
        "Stanley Hall", "It was Stanley Hall, of Clark.", ["G. Stanley Hall", "Stanley Hall", "Hall"]
    )
    assert (scores.exact, scores.f1, scores.rouge_l, scores.substring, scores.answered) == (1, 1, 1, 1, 1)


def test_only_the_substring_is_looked_for_in_the_whole_answer() -> None:
    scores = answer_scores("He was born there.", "He was born there. Ulm is on the Danube.", ["Ulm"])
    assert (scores.exact, scores.f1, scores.substring) == (0.0, 0.0, 1.0)


def test_what_is_not_answered_scores_nothing() -> None:
    assert answer_scores("Ulm", "Ulm", ["Ulm"], answered=False) == answer_scores("", "", ["x"], answered=False)


def test_means_are_over_questions() -> None:
    mean = mean_answer_scores([answer_scores("Ulm", "Ulm", ["Ulm"]), answer_scores("", "", ["x"], answered=False)])
    assert (mean.exact, mean.answered) == (0.5, 0.5)
    assert math.isnan(mean_answer_scores([]).exact)
