"""The smallest parts of a text that chunks are packed from: sentences, or parts of those that are too long."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from overstory.text.sentences import sentence_starts

CountTokens = Callable[[Sequence[str]], list[int]]

PARAGRAPH_END, SENTENCE_END, INSIDE_SENTENCE = 0, 1, 2
"""Ends of units, from the best place for a cut to the worst."""

_UNITS_A_PIECE = 16
"""Neighbours are one unit as long as they fill no more than this part of a piece, which bounds the packer's work."""

SENTENCES_COUNTED_AT_ONCE = 512
"""Sentences of a long text whose tokens are counted in one call, which bounds memory."""

_MOST_TOKENS_OF_A_CHARACTER = 4
"""No tokenizer in use gives a character more tokens than this."""

_MOST_CHARACTERS_OF_A_TOKEN = 16
"""A token stands for no more characters than this, or a megabyte of base64, one unknown word, were one piece."""

_LINE_END = re.compile(r"\n\s*+")
_CLAUSE_END = re.compile(r"[,;:—–]\s++|(?<!\s)\s++(?=[—–(])")
_WORD_END = re.compile(r"\s+")
_BLANK_LINE = re.compile(r"(?<!\s)[^\S\n]*+\n[^\S\n]*+\n\s*+$")


class Unit(NamedTuple):
    """`text[start:end]`, with how many tokens it has and what ends it."""

    start: int
    end: int
    tokens: int
    ends: int


OnCounted = Callable[[int], None]
"""Called with how many more characters have had their tokens counted."""


def units(
    text: str, start: int, end: int, count: CountTokens, budget: int, on_counted: OnCounted, language: str = ""
) -> list[Unit]:
    """Units that tile `text[start:end]`, none over `budget` tokens (counted without those that embedders add)."""
    starts = [start + s for s in sentence_starts(text[start:end], language)]
    return _merged(_Cutter(text, count, budget, on_counted).sized([*starts, end]), budget // _UNITS_A_PIECE)


class _Cutter:
    def __init__(self, text: str, count: CountTokens, budget: int, on_counted: OnCounted) -> None:
        self._text, self._count, self._budget, self._on_counted = text, count, budget, on_counted
        [self._added] = count([""])

    def sized(self, bounds: Sequence[int]) -> Iterator[Unit]:
        for s, e, tokens in self._counted(bounds):
            ends = PARAGRAPH_END if _BLANK_LINE.search(self._text, s, e) else SENTENCE_END
            if tokens <= self._budget:
                self._on_counted(e - s)
                yield Unit(s, e, tokens, ends)
            else:
                *inside, last = _merged(
                    self._shreds(s, e, (_LINE_END, _CLAUSE_END, _WORD_END)), self._budget // _UNITS_A_PIECE
                )
                yield from inside
                yield last._replace(ends=ends)

    def _shreds(self, start: int, end: int, finer: Sequence[re.Pattern[str]]) -> Iterator[Unit]:
        """A sentence that is too long, which often is a table, code or a list: cut after lines, else after clauses,
        else after words, else anywhere."""
        if finer:
            cuts = [match.end() for match in finer[0].finditer(self._text, start, end)]
        else:
            cuts = list(range(start, end, max(1, self._budget // _MOST_TOKENS_OF_A_CHARACTER)))
        for s, e, tokens in self._counted([start, *(c for c in cuts if start < c < end), end]):
            if tokens <= self._budget or not finer:
                self._on_counted(e - s)
                yield Unit(s, e, tokens, INSIDE_SENTENCE)
            else:
                yield from self._shreds(s, e, finer[1:])

    def _counted(self, bounds: Sequence[int]) -> Iterator[tuple[int, int, int]]:
        """Start, end and tokens (at least 1, more if it is long) of what lies between neighbouring bounds.

        What is over the budget by its length alone is not counted: it is cut anyway, and the tokens of a line of 50 MB
        would take gigabytes.
        """
        for i in range(0, len(bounds) - 1, SENTENCES_COUNTED_AT_ONCE):
            some = list(pairwise(bounds[i : i + SENTENCES_COUNTED_AT_ONCE + 1]))
            least = [(e - s) // _MOST_CHARACTERS_OF_A_TOKEN for s, e in some]
            counted = [(s, e) for (s, e), tokens in zip(some, least, strict=True) if tokens <= self._budget]
            tokens_of = iter(self._count([self._text[s:e] for s, e in counted]) if counted else [])
            for (s, e), tokens in zip(some, least, strict=True):
                yield s, e, tokens if tokens > self._budget else max(1, next(tokens_of) - self._added, tokens)


def _merged(found: Iterator[Unit], small: int) -> list[Unit]:
    """Neighbours as one unit as long as it has at most `small` tokens."""
    merged: list[Unit] = []
    for unit in found:
        if merged and merged[-1].tokens + unit.tokens <= small:
            before = merged[-1]
            merged[-1] = Unit(before.start, unit.end, before.tokens + unit.tokens, unit.ends)
        else:
            merged.append(unit)
    return merged
