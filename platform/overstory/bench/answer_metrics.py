"""Metrics of answers against gold answers.

Answers are normalised as in SQuAD (Rajpurkar et al. 2016): lower case, without punctuation, without a, an, the. With
several gold answers the best counts, for each metric separately.
"""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)

_LEAST_AGREEING_F1 = 0.5


@dataclass(frozen=True, slots=True)
class AnswerScores:
    """The metrics of one answer, or their means over several.

    Attributes:
        exact: exact match: 1 if the short answer equals a gold answer.
        f1: token F1 of the short answer and a gold answer.
        rouge_l: F1 of their longest common subsequence of words.
        substring: 1 if the whole answer contains the words of a gold answer, contiguous and in order.
        answered: 0 if the question was left unanswered, otherwise 1.
        uncited: 1 if a language model answered without citing a passage, which counts as unanswered.
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
    """The metrics of an answer, each against its best gold answer; all 0 if the question was left unanswered.

    Args:
        short: the short answer.
        text: the whole answer, without the numbers of citations.
        gold: at least one.
    """
    if not answered:
        return AnswerScores(0.0, 0.0, 0.0, 0.0, 0.0, float(uncited))
    said, whole = words(short), words(text)
    wanted = [words(each) for each in gold]
    return AnswerScores(
        exact=max(float(said == each) for each in wanted),
        f1=max(token_f1(said, each) for each in wanted),
        rouge_l=max(rouge_l(said, each) for each in wanted),
        substring=max(stands_in(each, whole) for each in wanted),
        answered=1.0,
    )


def mean_answer_scores(each: Collection[AnswerScores]) -> AnswerScores:
    """The means over questions; NaN without any."""
    return AnswerScores(
        exact=_mean([scores.exact for scores in each]),
        f1=_mean([scores.f1 for scores in each]),
        rouge_l=_mean([scores.rouge_l for scores in each]),
        substring=_mean([scores.substring for scores in each]),
        answered=_mean([scores.answered for scores in each]),
        uncited=_mean([scores.uncited for scores in each]),
    )


def words(text: str) -> list[str]:
    """The words of an answer, normalised as in SQuAD."""
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def token_f1(said: Sequence[str], gold: Sequence[str]) -> float:
    """F1 of two bags of words; 1 if both are empty, 0 if one is."""
    return _f1(sum((Counter(said) & Counter(gold)).values()), said, gold)


def rouge_l(said: Sequence[str], gold: Sequence[str]) -> float:
    """F1 of the longest common subsequence; 1 if both are empty, 0 if one is.

    Source: Lin 2004, with equal weights of precision and recall.
    """
    return _f1(common_subsequence(said, gold), said, gold)


def common_subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    """The length of the longest common subsequence of words. O(first × second)."""
    lengths = [0] * (len(second) + 1)
    for word in first:
        before = 0  # the cell above and to the left
        for at, other in enumerate(second, start=1):
            above = lengths[at]
            lengths[at] = before + 1 if word == other else max(above, lengths[at - 1])
            before = above
    return lengths[-1]


def stands_in(gold: Sequence[str], whole: Sequence[str]) -> float:
    """1 if the whole contains the gold words, contiguous and in order; 0 without gold words."""
    places = range(len(whole) - len(gold) + 1)
    return float(bool(gold) and any(list(whole[at : at + len(gold)]) == list(gold) for at in places))


def agrees(said: str, gold: str) -> bool:
    """Whether a short answer is a gold one: the same words, or one's words in the other, contiguous and in order, where
    they are half of both together (token F1 ≥ `_LEAST_AGREEING_F1`): "Stoker" and "Bram Stoker", "1847" and "in
    1847"."""
    ours, theirs = words(said), words(gold)
    if not ours or not theirs:
        return False
    within = stands_in(ours, theirs) or stands_in(theirs, ours)
    return bool(within) and token_f1(ours, theirs) >= _LEAST_AGREEING_F1


def _f1(shared: int, said: Sequence[str], gold: Sequence[str]) -> float:
    if not said or not gold:
        return float(not said and not gold)
    return 2.0 * shared / (len(said) + len(gold))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan
