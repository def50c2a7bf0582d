from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.bench import metrics
from overstory.bench.metrics import difference_interval, mean_interval

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
    with pytest.raises(ValueError, match=r"have the shape \(0,\)"):
        mean_interval([])
    with pytest.raises(ValueError, match=r"have the shape \(2, 2\)"):
        mean_interval(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="at index 1 is not a finite number"):
        mean_interval([0.0, float("nan"), 1.0])


def test_options_out_of_bounds_are_refused() -> None:
    for confidence in (0.0, 1.0, 95.0, float("nan")):
        with pytest.raises(ValueError, match="must be between 0 and 1"):
            mean_interval(COINS, confidence=confidence)
    with pytest.raises(ValueError, match="0 resamples"):
        mean_interval(COINS, resamples=0)


def test_pairs_need_one_of_each() -> None:
    with pytest.raises(ValueError, match="2 and 3 scores"):
        difference_interval([0.0, 1.0], [0.0, 1.0, 1.0])
