"""Percentile bootstrap intervals of means over questions.

The questions of a benchmark are a sample of all possible ones. The bootstrap repeatedly draws as many from them, with
replacement: the spread of the means of these draws shows how much the mean depends on the sample.

Source: Efron 1979; the percentile interval is that of Efron and Tibshirani 1993, chapter 13.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

BOOTSTRAP_RESAMPLES = 2_000
_INTERVAL_CONFIDENCE = 0.95

_DRAWS_AT_ONCE = 1 << 18
"""Questions drawn at a time: some 4 MB, for any number of questions and resamples."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and the bounds of its confidence interval."""

    mean: float
    low: float
    high: float


def mean_interval(
    values: Sequence[float] | Floats,
    *,
    confidence: float = _INTERVAL_CONFIDENCE,
    resamples: int = BOOTSTRAP_RESAMPLES,
    seed: int = 0,
) -> Interval:
    """The mean of the values with its percentile bootstrap interval, in the unit of the values.

    The interval is a point if all values are equal or there is only one; then it says nothing about other questions.

    Args:
        values: shape (n,), the score of each question; n ≥ 1.
        confidence: in (0, 1).
        resamples: at least 1. The same values, resamples and seed give the same interval.

    Source: Efron and Tibshirani 1993, section 13.3.
    """
    sample = _checked(values)
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"the confidence is {confidence}; it must be between 0 and 1")
    if resamples < 1:
        raise ValueError(f"{resamples} resamples: at least one is needed")
    means = _resampled_means(sample, resamples, np.random.default_rng(seed))
    tail = (1.0 - confidence) / 2.0
    low, high = np.quantile(means, [tail, 1.0 - tail])
    return Interval(mean=float(sample.mean()), low=float(low), high=float(high))


def difference_interval(
    values: Sequence[float] | Floats,
    others: Sequence[float] | Floats,
    *,
    confidence: float = _INTERVAL_CONFIDENCE,
    resamples: int = BOOTSTRAP_RESAMPLES,
    seed: int = 0,
) -> Interval:
    """The mean of `values − others`, question by question, with its percentile bootstrap interval.

    For two retrievers on the same questions: if the interval excludes 0, one is better beyond the choice of questions.
    It is narrower than two separate intervals suggest, because a hard question is hard for both.

    Args:
        values, others: shape (n,) each; the scores at an index belong to the same question.
        confidence, resamples, seed: as in `mean_interval`.

    Source: Efron and Tibshirani 1993, chapter 13, on the differences of the pairs.
    """
    ours, theirs = _checked(values), _checked(others)
    if ours.size != theirs.size:
        raise ValueError(f"{ours.size} and {theirs.size} scores: paired differences need equally many")
    return mean_interval(ours - theirs, confidence=confidence, resamples=resamples, seed=seed)


def _checked(values: Sequence[float] | Floats) -> Floats:
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or not sample.size:
        raise ValueError(f"scores have the shape {sample.shape}; expected (n,) with n ≥ 1")
    if not np.isfinite(sample).all():
        raise ValueError(f"the score at index {int(np.flatnonzero(~np.isfinite(sample))[0])} is not a finite number")
    return sample


def _resampled_means(sample: Floats, resamples: int, random: np.random.Generator) -> Floats:
    """(n,) -> (resamples,), the means of n values drawn with replacement. O(n · resamples) time."""
    means = np.empty(resamples)
    rows = max(1, _DRAWS_AT_ONCE // sample.size)
    for start in range(0, resamples, rows):
        block = means[start : start + rows]
        block[:] = sample[random.integers(sample.size, size=(block.size, sample.size))].mean(axis=1)
    return means.clip(sample.min(), sample.max())  # the mean of three thirds may be rounded to more than a third
