"""Splits documents into pieces that fit the embedder's token limit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple

from overstory.model import Document, Heading, TextPiece
from overstory.model.passage_text import PATH_SEPARATOR, passage_text
from overstory.text.languages import foreign_language
from overstory.text.sentences import sentence_starts

CountTokens = Callable[[Sequence[str]], list[int]]

PARAGRAPH_END, SENTENCE_END, INSIDE_SENTENCE = 0, 1, 2
"""Kinds of unit ends, sorted from the best place to cut a text to the worst."""

_UNITS_A_PIECE = 16
"""Adjacent units are merged if together they fill at most 1/16 of a piece, which limits the work of `pack`."""

SENTENCES_COUNTED_AT_ONCE = 512
"""Maximum number of sentences whose tokens are counted in one call, which limits memory use."""

_MOST_TOKENS_OF_A_CHARACTER = 4
"""Maximum number of tokens per character, whatever the tokenizer."""

_MOST_CHARACTERS_OF_A_TOKEN = 16
"""Assumed maximum number of characters per token. Some tokenizers count a megabyte of base64 as one unknown token;
without this maximum, it would not be split."""

_LINE_END = re.compile(r"\n\s*+")
_CLAUSE_END = re.compile(r"[,;:—–]\s++|(?<!\s)\s++(?=[—–(])")
_WORD_END = re.compile(r"\s+")
_UNITS_BLANK_LINE = re.compile(r"(?<!\s)[^\S\n]*+\n[^\S\n]*+\n\s*+$")


class Unit(NamedTuple):
    """A span `text[start:end]` that is not cut further, with its number of tokens and the kind of its end."""

    start: int
    end: int
    tokens: int
    ends: int


OnCounted = Callable[[int], None]
"""Progress callback. It receives the number of characters whose tokens have been counted since the last call."""


def units(
    text: str, start: int, end: int, count: CountTokens, budget: int, on_counted: OnCounted, language: str = ""
) -> list[Unit]:
    """Split `text[start:end]` into units of at most `budget` tokens, without gaps.

    The special tokens that the embedder adds to a text are not counted.
    """
    starts = [start + s for s in sentence_starts(text[start:end], language)]
    return _merged(_Cutter(text, count, budget, on_counted).sized([*starts, end]), budget // _UNITS_A_PIECE)


class _Cutter:
    def __init__(self, text: str, count: CountTokens, budget: int, on_counted: OnCounted) -> None:
        self._text, self._count, self._budget, self._on_counted = text, count, budget, on_counted
        [self._added] = count([""])

    def sized(self, bounds: Sequence[int]) -> Iterator[Unit]:
        for s, e, tokens in self._counted(bounds):
            ends = PARAGRAPH_END if _UNITS_BLANK_LINE.search(self._text, s, e) else SENTENCE_END
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
        """Cut a sentence that is over the budget, which is often a table, a list or code.

        The sentence is cut after lines if possible, else after clauses, else after words, else anywhere.
        """
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
        """Yield the start, end and number of tokens (at least 1) of each text between adjacent bounds.

        If the length of a text shows that it is over the budget, the number is only estimated: counting the tokens of a
        line of 50 MB would take gigabytes of memory, and the line is cut anyway.
        """
        for i in range(0, len(bounds) - 1, SENTENCES_COUNTED_AT_ONCE):
            some = list(pairwise(bounds[i : i + SENTENCES_COUNTED_AT_ONCE + 1]))
            least = [(e - s) // _MOST_CHARACTERS_OF_A_TOKEN for s, e in some]
            counted = [(s, e) for (s, e), tokens in zip(some, least, strict=True) if tokens <= self._budget]
            tokens_of = iter(self._count([self._text[s:e] for s, e in counted]) if counted else [])
            for (s, e), tokens in zip(some, least, strict=True):
                yield s, e, tokens if tokens > self._budget else max(1, next(tokens_of) - self._added, tokens)


def _merged(found: Iterator[Unit], small: int) -> list[Unit]:
    merged: list[Unit] = []
    for unit in found:
        if merged and merged[-1].tokens + unit.tokens <= small:
            before = merged[-1]
            merged[-1] = Unit(before.start, unit.end, before.tokens + unit.tokens, unit.ends)
        else:
            merged.append(unit)
    return merged


CUT = (0.0, 1.0, 2.0)
"""Cost of a cut by kind of place: `CUT[SENTENCE_END]` is the cost of a cut at the end of a sentence."""
_PARAGRAPH_END_COST = 0.7
"""Cost of each end of a paragraph that lies inside a piece."""
_FEW_TOKENS = 32
"""A piece with fewer tokens has an extra cost of up to `_MOST_THIN_COST`. For small budgets, the limit is a quarter of
the budget."""
_MOST_THIN_COST = 2.0


def pack(units: Sequence[Unit], budget: int) -> list[tuple[int, int]]:
    """Group adjacent units into pieces of at most `budget` tokens, and return the (start, end) of each piece.

    The pieces are chosen for the lowest total cost. The cost of a piece is (tokens / budget)², which favours pieces of
    equal length, plus the costs of its cut, of paragraph ends inside it, and of having few tokens. The time is O(n · w)
    for n units, if w units fit in a piece.
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


@dataclass(frozen=True, slots=True)
class Section:
    """A section `document.text[start:end]`, which begins with its heading, and its heading path: "Setup › Linux"."""

    start: int
    end: int
    path: str


def sections(document: Document) -> list[Section]:
    """Split a document into its sections, in order and without gaps.

    A heading without text of its own belongs to the next section.
    """
    found: list[Section] = []
    start = 0
    for section in _between_headings(document):
        if section.end < len(document.text) and not _has_body(document.text[section.start : section.end], section.path):
            continue
        found.append(Section(start, section.end, section.path))
        start = section.end
    return found


def _between_headings(document: Document) -> Iterator[Section]:
    end = len(document.text)
    headings = sorted((h for h in document.headings if 0 <= h.start < end), key=lambda h: h.start)
    starts = [heading.start for heading in headings]
    if not starts or starts[0] > 0:
        yield Section(0, starts[0] if starts else end, "")
    above: list[Heading] = []
    for heading, stop in zip(headings, [*starts, end][1:], strict=True):
        while above and above[-1].level >= heading.level:
            above.pop()
        above.append(heading)
        path = PATH_SEPARATOR.join(h.text.strip() for h in above if h.text.strip())
        yield Section(heading.start, stop, path)


def _has_body(text: str, path: str) -> bool:
    below = text.strip().partition("\n")[2] if path else text
    return any(c.isalnum() for c in below)


_WHOLE_SECTION_CHARACTERS_A_TOKEN = 8
"""A section is tried as a single piece only if it has at most this many characters per token of the limit."""

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")


def _ignore(_characters: int) -> None:
    """Do nothing; the default progress callback."""


def split(
    document: Document, count_tokens: CountTokens, limit: int, *, on_counted: OnCounted = _ignore
) -> list[TextPiece]:
    """Split a document into pieces, in order and without gaps; return [] if it has neither title nor text.

    A piece has at most `limit` tokens, including the title and the headings above it (`passage_text`). It ends with a
    paragraph if possible, else with a sentence. A sentence is cut only if it is over the limit: between lines if
    possible, else between clauses, else between words, else anywhere. A piece never crosses a heading, but a heading
    without text stays with the text below it. Long paragraphs are split into pieces of similar length. Short paragraphs
    are merged.

    Args:
        count_tokens: returns the number of tokens in each text, including special tokens (`Embedder.count_tokens`).
        limit: maximum number of tokens in a piece. If the title and headings take more than three quarters of the
            limit, each piece still gets a quarter of the limit for its text, and so exceeds the limit.
        on_counted: progress callback. Each character is counted twice: in its sentence and in its piece.
    """
    if not (document.text.strip() or document.title.strip()):
        return []
    pieces = [
        (section.path, *piece)
        for section in sections(document)
        for piece in _SectionSplit(document, section, count_tokens, limit, on_counted).pieces()
    ]
    return [
        TextPiece(seq, start, end, document.text[start:end], path, tokens)
        for seq, (path, start, end, tokens) in enumerate(pieces)
    ]


Piece = tuple[int, int, int]
"""Start offset, end offset, and number of tokens including title and headings."""


@dataclass(frozen=True, slots=True)
class _SectionSplit:
    document: Document
    section: Section
    count: CountTokens
    limit: int
    on_counted: OnCounted

    def pieces(self) -> Iterator[Piece]:
        start, end = self.section.start, self.section.end
        short = end - start <= _WHOLE_SECTION_CHARACTERS_A_TOKEN * self.limit
        if short and not _BLANK_LINE.search(self.document.text, start, end):
            [tokens] = self._tokens([(start, end)])
            if tokens <= self.limit:
                self.on_counted(2 * (end - start))
                yield start, end, tokens
                return
        [around] = self._tokens([(start, start)])
        budget = max(self.limit - around, self.limit // 4, 1)
        yield from self._packed(start, end, budget, max(self.limit, around + budget), self.on_counted)

    def _packed(self, start: int, end: int, budget: int, allowed: int, on_counted: OnCounted) -> Iterator[Piece]:
        text = self.document.text
        language = foreign_language(self.document.all_metadata)
        spans = pack(units(text, start, end, self.count, budget, on_counted, language), budget)
        for (s, e), tokens in self._sized(spans):
            on_counted(e - s)
            if tokens <= allowed or budget == 1:
                yield s, e, tokens
            else:  # a piece can have more tokens than the sum of its units
                yield from self._packed(s, e, max(1, budget * 3 // 4), allowed, _ignore)

    def _sized(self, spans: list[tuple[int, int]]) -> Iterator[tuple[tuple[int, int], int]]:
        """Yield each span with its number of tokens, counted in batches to limit memory use."""
        for i in range(0, len(spans), SENTENCES_COUNTED_AT_ONCE):
            some = spans[i : i + SENTENCES_COUNTED_AT_ONCE]
            yield from zip(some, self._tokens(some), strict=True)

    def _tokens(self, spans: list[tuple[int, int]]) -> list[int]:
        title, path, text = self.document.title, self.section.path, self.document.text
        return self.count([passage_text(title, path, text[s:e]) for s, e in spans])
