"""Ranking by score."""

from __future__ import annotations

from collections.abc import Mapping


def best_of(scores: Mapping[str, float], k: int) -> list[str]:
    """The `k` ids with the highest scores; ties in the order of the ids."""
    return sorted(scores, key=lambda id_: (-scores[id_], id_))[:k]
