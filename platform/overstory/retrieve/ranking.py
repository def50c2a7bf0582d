"""Ranking by score."""

from __future__ import annotations

import operator
from collections.abc import Mapping


def best_of(scores: Mapping[str, float], k: int) -> list[str]:
    """The `k` ids with the highest scores; ties in the order of the ids."""
    ranked = sorted(zip(map(operator.neg, scores.values()), scores, strict=True))
    return [id_ for _, id_ in ranked[:k]]
