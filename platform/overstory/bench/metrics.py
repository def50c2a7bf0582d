"""Metrics of rankings.

R@k is the share of a question's gold documents among the first k, all@k is 1 if all of them are, and nDCG@k weights
each gold document by its relevance over log2(rank + 1), relative to the best order (as trec_eval's `recall_k` and
`ndcg_cut_k`). Gold documents are those with a relevance above 0.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from overstory.bench.qrels import Qrels

Ranking = Sequence[str]
"""Document ids, best first, each once."""

Judged = Mapping[str, int]
"""Document id → relevance, of one question."""


@dataclass(frozen=True, slots=True)
class Scores:
    """The metrics of one question, or their means over several."""

    recall_2: float
    recall_5: float
    recall_10: float
    all_5: float
    ndcg_10: float


def recall(ranking: Ranking, judged: Judged, k: int) -> float:
    """Share of the gold documents among the first k; 0.0 without gold."""
    gold = _gold(judged)
    return len(gold.intersection(ranking[:k])) / len(gold) if gold else 0.0


def all_found(ranking: Ranking, judged: Judged, k: int) -> float:
    """1.0 if every gold document is among the first k, else 0.0; 0.0 without gold."""
    gold = _gold(judged)
    return float(bool(gold) and gold.issubset(ranking[:k]))


def ndcg(ranking: Ranking, judged: Judged, k: int) -> float:
    """Normalised discounted cumulative gain of the first k, with the relevance as gain; 0.0 without gold.

    Source: Järvelin and Kekäläinen 2002, with the logarithm of base 2 from the first rank on, as trec_eval.
    """
    ideal = sorted((score for score in judged.values() if score > 0), reverse=True)
    if not ideal:
        return 0.0
    return _gain([max(judged.get(document, 0), 0) for document in ranking[:k]]) / _gain(ideal[:k])


def question_scores(ranking: Ranking, judged: Judged) -> Scores:
    """The metrics of one question."""
    return Scores(
        recall_2=recall(ranking, judged, 2),
        recall_5=recall(ranking, judged, 5),
        recall_10=recall(ranking, judged, 10),
        all_5=all_found(ranking, judged, 5),
        ndcg_10=ndcg(ranking, judged, 10),
    )


def scores_by_question(rankings: Mapping[str, Ranking], qrels: Qrels) -> dict[str, Scores]:
    """The metrics of each question of `qrels`, in its order; a missing ranking counts as an empty one."""
    return {question: question_scores(rankings.get(question, ()), judged) for question, judged in qrels.items()}


def mean_scores(each: Collection[Scores]) -> Scores:
    """The means over questions; NaN without any."""
    return Scores(
        recall_2=_mean([scores.recall_2 for scores in each]),
        recall_5=_mean([scores.recall_5 for scores in each]),
        recall_10=_mean([scores.recall_10 for scores in each]),
        all_5=_mean([scores.all_5 for scores in each]),
        ndcg_10=_mean([scores.ndcg_10 for scores in each]),
    )


def _gold(judged: Judged) -> frozenset[str]:
    return frozenset(document for document, score in judged.items() if score > 0)


def _gain(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan
