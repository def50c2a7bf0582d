"""Measures of answers, on cases solved by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.bench.metrics import (
    answer_scores,
    common_subsequence,
    mean_answer_scores,
    rouge_l,
    stands_in,
    token_f1,
    words,
)

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
