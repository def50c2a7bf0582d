"""Metrics for rankings and answers, with confidence intervals over questions.

A gold document is a document with a relevance above 0. These are the metrics for the ranking of one question:

- R@k: the fraction of the gold documents that are among the first k documents. It equals trec_eval's `recall_k`.
- all@k: 1 if all gold documents are among the first k documents, else 0.
- nDCG@k: the sum of relevance / log2(rank + 1) over the first k documents, divided by the highest possible sum. It
  equals trec_eval's `ndcg_cut_k`.
"""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from overstory.bench.dataset import Qrels

S = TypeVar("S", "Scores", "AnswerScores")
Ranking = Sequence[str]
"""Distinct document ids, best first."""

Judged = Mapping[str, int]
"""Map from document ids to their relevance for one question."""


@dataclass(frozen=True, slots=True)
class Scores:
    """The ranking metrics of one question, or their means over several questions."""

    recall_2: float
    recall_5: float
    recall_10: float
    all_5: float
    ndcg_10: float


def recall(ranking: Ranking, judged: Judged, k: int) -> float:
    """Return the fraction of the gold documents that are among the first k; 0.0 if there are no gold documents."""
    gold = _gold(judged)
    return len(gold.intersection(ranking[:k])) / len(gold) if gold else 0.0


def all_found(ranking: Ranking, judged: Judged, k: int) -> float:
    """Return 1.0 if all gold documents are among the first k, else 0.0. If there are no gold documents, return 0.0."""
    gold = _gold(judged)
    return float(bool(gold) and gold.issubset(ranking[:k]))


def ndcg(ranking: Ranking, judged: Judged, k: int) -> float:
    """Return the normalised discounted cumulative gain of the first k documents; 0.0 if there are no gold documents.

    The gain of a document is its relevance. As in trec_eval, the gain is divided by log2(rank + 1) from the first rank
    on.

    Source: Järvelin and Kekäläinen 2002.
    """
    ideal = sorted((score for score in judged.values() if score > 0), reverse=True)
    if not ideal:
        return 0.0
    return _gain([max(judged.get(document, 0), 0) for document in ranking[:k]]) / _gain(ideal[:k])


def question_scores(ranking: Ranking, judged: Judged) -> Scores:
    return Scores(
        recall_2=recall(ranking, judged, 2),
        recall_5=recall(ranking, judged, 5),
        recall_10=recall(ranking, judged, 10),
        all_5=all_found(ranking, judged, 5),
        ndcg_10=ndcg(ranking, judged, 10),
    )


def scores_by_question(rankings: Mapping[str, Ranking], qrels: Qrels) -> dict[str, Scores]:
    """Return a map from the id of each question in `qrels` to its metrics, in the order of `qrels`.

    A question without a ranking is scored as if nothing had been found.

    Args:
        rankings: map from question ids to the ranked document ids.
    """
    return {question: question_scores(rankings.get(question, ()), judged) for question, judged in qrels.items()}


def mean_scores(each: Collection[Scores]) -> Scores:
    """Return the mean of each metric over all questions; NaN if there are no questions."""
    return _means(Scores, each)


def _means(kind: type[S], each: Collection[S]) -> S:
    return kind(**{field.name: _mean([getattr(one, field.name) for one in each]) for field in fields(kind)})


def _gold(judged: Judged) -> frozenset[str]:
    return frozenset(document for document, score in judged.items() if score > 0)


def _gain(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


# The functions below compare answers with gold answers.
#
# Answers are normalised as in SQuAD (Rajpurkar et al. 2016): converted to lower case, with punctuation and the words
# "a", "an" and "the" removed. If there are several gold answers, each metric uses the gold answer with the best score.

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)

_LEAST_AGREEING_F1 = 0.5


@dataclass(frozen=True, slots=True)
class AnswerScores:
    """The metrics of one answer, or their means over several answers.

    Attributes:
        exact: 1 if the short answer equals a gold answer, else 0.
        f1: token F1 between the short answer and a gold answer.
        rouge_l: ROUGE-L F1 between the short answer and a gold answer.
        substring: 1 if the full answer contains a gold answer as a sequence of consecutive words, else 0.
        uncited: 1 if a language model answered without citing a passage, else 0. Such a question counts as unanswered.
    """

    exact: float
    f1: float
    rouge_l: float
    substring: float
    answered: float
    uncited: float = 0.0


def answer_scores(
    short: str, text: str, gold: Collection[str], *, answered: bool = True, uncited: bool = False
) -> AnswerScores:
    """Return the metrics of an answer, each computed for the best matching gold answer.

    If the question was not answered, all metrics except `uncited` are 0.

    Args:
        text: the full answer, without citations.
        gold: the gold answers; must not be empty.
    """
    if not answered:
        return AnswerScores(0.0, 0.0, 0.0, 0.0, 0.0, float(uncited))
    given, whole = words(short), words(text)
    wanted = [words(each) for each in gold]
    return AnswerScores(
        exact=max(float(given == each) for each in wanted),
        f1=max(token_f1(given, each) for each in wanted),
        rouge_l=max(rouge_l(given, each) for each in wanted),
        substring=max(stands_in(each, whole) for each in wanted),
        answered=1.0,
    )


def mean_answer_scores(each: Collection[AnswerScores]) -> AnswerScores:
    """Return the mean of each metric over all questions; NaN if there are no questions."""
    return _means(AnswerScores, each)


def words(text: str) -> list[str]:
    """Split an answer into words, normalised as in SQuAD."""
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def token_f1(given: Sequence[str], gold: Sequence[str]) -> float:
    """Return the F1 score of two bags of words. It is 1 if both are empty, and 0 if only one of them is empty."""
    return _f1(sum((Counter(given) & Counter(gold)).values()), given, gold)


def rouge_l(given: Sequence[str], gold: Sequence[str]) -> float:
    """Return the F1 score of the longest common subsequence of two lists of words (ROUGE-L).

    The score is 1 if both lists are empty, and 0 if only one of them is empty.

    Source: Lin 2004, with equal weight given to precision and recall.
    """
    return _f1(common_subsequence(given, gold), given, gold)


def common_subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    """Return the length of the longest common subsequence of two lists of n and m words, in O(n · m) time."""
    lengths = [0] * (len(second) + 1)
    for word in first:
        before = 0  # the cell diagonally above: the length for both prefixes without their last words
        for at, other in enumerate(second, start=1):
            above = lengths[at]
            lengths[at] = before + 1 if word == other else max(above, lengths[at - 1])
            before = above
    return lengths[-1]


def stands_in(gold: Sequence[str], whole: Sequence[str]) -> float:
    """Return 1 if `whole` contains the words of `gold` consecutively, else 0. If `gold` is empty, return 0."""
    places = range(len(whole) - len(gold) + 1)
    return float(bool(gold) and any(list(whole[at : at + len(gold)]) == list(gold) for at in places))


def agrees(given: str, gold: str) -> bool:
    """Return True if a short answer agrees with a gold answer, such as "Stoker" with "Bram Stoker".

    One of the two must contain the other as a sequence of consecutive words, and their token F1 must be at least 0.5.
    """
    ours, theirs = words(given), words(gold)
    if not ours or not theirs:
        return False
    within = stands_in(ours, theirs) or stands_in(theirs, ours)
    return bool(within) and token_f1(ours, theirs) >= _LEAST_AGREEING_F1


def _f1(shared: int, given: Sequence[str], gold: Sequence[str]) -> float:
    if not given or not gold:
        return float(not given and not gold)
    return 2.0 * shared / (len(given) + len(gold))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


# The functions below compute percentile bootstrap intervals for means over questions.
#
# The questions of a benchmark are a sample of all possible questions. The bootstrap draws many samples of the same size
# from these questions, with replacement. The spread of the sample means shows how much the mean depends on the choice
# of questions.
#
# Sources: Efron 1979; for the percentile interval, Efron and Tibshirani 1993, chapter 13.

BOOTSTRAP_RESAMPLES = 2_000
_INTERVAL_CONFIDENCE = 0.95

_DRAWS_AT_ONCE = 1 << 18
"""Number of values drawn at a time, or one complete sample if that is larger. They take about 4 MB of memory."""

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
    """Return the mean of the values with its percentile bootstrap interval.

    If all values are equal, the interval is a single point. This does not imply that other questions would have the
    same score.

    Args:
        values: score of each question, shape (n,), n ≥ 1.
        confidence: confidence level of the interval, between 0 and 1.
        resamples: number of bootstrap samples, at least 1.
        seed: random seed. With the same values, resamples and seed, the interval is the same.

    Source: Efron and Tibshirani 1993, section 13.3.
    """
    sample = _checked(values)
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence}")
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, got {resamples}")
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
    """Return the mean of `values − others` with its percentile bootstrap interval.

    Use this function to compare two retrievers on the same questions. If the interval excludes 0, the choice of
    questions is unlikely to explain the difference. The interval is usually narrower than two separate intervals
    suggest, because a question that is hard for one retriever tends to be hard for the other.

    Args:
        values, others: scores of the two retrievers, shape (n,) each. Equal indices belong to the same question.
        confidence, resamples, seed: see `mean_interval`.

    Source: Efron and Tibshirani 1993, chapter 13, applied to paired differences.
    """
    ours, theirs = _checked(values), _checked(others)
    if ours.size != theirs.size:
        raise ValueError(f"values and others must have the same size, got {ours.size} and {theirs.size}")
    return mean_interval(ours - theirs, confidence=confidence, resamples=resamples, seed=seed)


def _checked(values: Sequence[float] | Floats) -> Floats:
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or not sample.size:
        raise ValueError(f"scores must have the shape (n,) with n ≥ 1, got {sample.shape}")
    if not np.isfinite(sample).all():
        raise ValueError(f"the score at index {int(np.flatnonzero(~np.isfinite(sample))[0])} is not a finite number")
    return sample


def _resampled_means(sample: Floats, resamples: int, random: np.random.Generator) -> Floats:
    """Return the mean of each bootstrap sample, shape (resamples,). Takes O(n · resamples) time for n values."""
    means = np.empty(resamples)
    rows = max(1, _DRAWS_AT_ONCE // sample.size)
    for start in range(0, resamples, rows):
        block = means[start : start + rows]
        block[:] = sample[random.integers(sample.size, size=(block.size, sample.size))].mean(axis=1)
    return means.clip(sample.min(), sample.max())  # because of rounding, a mean may lie just outside this range
