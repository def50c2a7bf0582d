"""Joins neighbouring units into pieces: the cheapest way to cut a text, as Knuth breaks a paragraph into lines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from overstory.text.chunking.units import PARAGRAPH_END, Unit

CUT = (0.0, 1.0, 2.0)
"""The cost of a cut at the end of a paragraph, of a sentence, or of neither."""
_PARAGRAPH_END_COST = 0.7
"""The cost of a paragraph end inside a piece."""
_FEW_TOKENS = 32
"""A piece of fewer tokens, or of a quarter of the budget where that is less, costs up to `_MOST_THIN_COST`."""
_MOST_THIN_COST = 2.0


def pack(units: Sequence[Unit], budget: int) -> list[tuple[int, int]]:
    """The pieces' (start, end) that tile the units, each at most `budget` tokens, of least cost altogether.

    A piece costs (tokens / budget)², which is least when the pieces of a paragraph are equally long. O(n · w), w being
    the units that fit in a piece.
    """
    tokens = list(accumulate((u.tokens for u in units), initial=0))
    paragraphs = list(accumulate((u.ends == PARAGRAPH_END for u in units), initial=0))
    few = min(_FEW_TOKENS, budget // 4)
    cheapest, begin = [0.0], [0]
    for j in range(1, len(units) + 1):
        cut = CUT[units[j - 1].ends] if j < len(units) else 0.0
        best, best_i = float("inf"), j - 1
        for i in range(j - 1, -1, -1):
            size = tokens[j] - tokens[i]
            if size > budget and i < j - 1:
                break
            inside = paragraphs[j - 1] - paragraphs[i]
            cost = cheapest[i] + cut + (size / budget) ** 2 + _PARAGRAPH_END_COST * inside + _thin(size, few)
            if cost < best:
                best, best_i = cost, i
        cheapest.append(best)
        begin.append(best_i)
    return _spans(units, begin)


def _thin(size: int, few: int) -> float:
    return _MOST_THIN_COST * (1 - size / few) if size < few else 0.0


def _spans(units: Sequence[Unit], begin: Sequence[int]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    j = len(units)
    while j > 0:
        spans.append((units[begin[j]].start, units[j - 1].end))
        j = begin[j]
    return spans[::-1]
