"""How well an answer's words are the gold answer's.

Answers are compared as SQuAD does (Rajpurkar et al. 2016): in small letters, without punctuation, without a, an, the.
Of several gold answers the best counts, for each measure by itself.
"""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)

Compare = Callable[[Sequence[str], Sequence[str]], float]


@dataclass(frozen=True, slots=True)
class AnswerScores:
    """The measures of one answer, or their means over several.

    Attributes:
        exact: 1 if the short answer is a gold answer.
        f1: of the words that the short answer and a gold answer share.
        rouge_l: F1 of their longest common subsequence of words.
        substring: 1 if the words of a gold answer stand, together and in order, in the whole answer.
        answered: 1 unless the answer is that there is none.
    """

    exact: float
    f1: float
    rouge_l: float
    substring: float
    answered: float


def answer_scores(short: str, text: str, gold: Collection[str], *, answered: bool = True) -> AnswerScores:
    """The measures of an answer, each by the gold answer that is best for it; 0 where nothing was answered.

    Args:
        short: the answer alone.
        text: the whole of it, without the numbers of citations.
        gold: at least one.
    """
    if not answered:
        return AnswerScores(0.0, 0.0, 0.0, 0.0, 0.0)
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
    )


def words(text: str) -> list[str]:
    """The words of an answer, as SQuAD compares them."""
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def token_f1(said: Sequence[str], gold: Sequence[str]) -> float:
    """F1 of two bags of words; 1 where both are empty, 0 where one is."""
    return _f1(sum((Counter(said) & Counter(gold)).values()), said, gold)


def rouge_l(said: Sequence[str], gold: Sequence[str]) -> float:
    """F1 of the longest common subsequence; 1 where both are empty, 0 where one is.

    Source: Lin 2004, with equal weights of precision and recall.
    """
    return _f1(common_subsequence(said, gold), said, gold)


def common_subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    """The length of the longest sequence of words that both have in this order. O(first × second)."""
    lengths = [0] * (len(second) + 1)
    for word in first:
        before = 0  # of the row above, one to the left
        for at, other in enumerate(second, start=1):
            above = lengths[at]
            lengths[at] = before + 1 if word == other else max(above, lengths[at - 1])
            before = above
    return lengths[-1]


def stands_in(gold: Sequence[str], whole: Sequence[str]) -> float:
    """1 if the gold words stand in the whole, together and in order, as words; 0 where there are none."""
    places = range(len(whole) - len(gold) + 1)
    return float(bool(gold) and any(list(whole[at : at + len(gold)]) == list(gold) for at in places))


def _f1(shared: int, said: Sequence[str], gold: Sequence[str]) -> float:
    if not said or not gold:
        return float(not said and not gold)
    return 2.0 * shared / (len(said) + len(gold))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan
