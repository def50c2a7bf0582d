"""Documents into pieces that an embedder takes whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from overstory.model import Document, Heading, TextPiece
from overstory.model.passage_text import PATH_SEPARATOR, passage_text
from overstory.text.chunking.units import PARAGRAPH_END, SENTENCES_COUNTED_AT_ONCE, CountTokens, OnCounted, Unit, units
from overstory.text.languages import foreign_language

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


@dataclass(frozen=True, slots=True)
class Section:
    """`document.text[start:end]`; the heading itself is its first line. `path` reads "Setup › Linux"."""

    start: int
    end: int
    path: str


def sections(document: Document) -> list[Section]:
    """The sections that tile a document, in order; headings without a body stay with the section after them."""
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
    """Whether a section says something below its heading; a line that underlines it says nothing."""
    below = text.strip().partition("\n")[2] if path else text
    return any(c.isalnum() for c in below)


_WHOLE_SECTION_CHARACTERS_A_TOKEN = 8
"""A section of more than this many characters a token of the limit is not tried whole."""

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")


def _ignore(_characters: int) -> None:
    """Nobody wants to know how much was counted."""


def split(
    document: Document, count_tokens: CountTokens, limit: int, *, on_counted: OnCounted = _ignore
) -> list[TextPiece]:
    """The document in pieces that tile its text, in order; [] for one with neither title nor text.

    With its title and headings (`passage_text`) a piece has at most `limit` tokens. It ends where a paragraph ends,
    else where a sentence does; only a sentence over the limit is itself cut, between clauses, else words, else
    anywhere. No piece goes past a heading, except that a heading without a body stays with what follows it. A
    paragraph that does not fit gives pieces of about equal length; paragraphs of a few words are joined.

    Args:
        count_tokens: tokens of each text, those that the embedder adds included (`Embedder.count_tokens`).
        limit: if title and headings take more than three quarters of it, pieces get a quarter each and overrun.
        on_counted: hears of every character of the text twice: in a sentence, and in a piece.
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
"""Start, end, tokens with title and headings."""


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
            else:  # the tokens of the parts were fewer than those of the whole
                yield from self._packed(s, e, max(1, budget * 3 // 4), allowed, _ignore)

    def _sized(self, spans: list[tuple[int, int]]) -> Iterator[tuple[tuple[int, int], int]]:
        """Spans with their tokens. Only some of a long text are counted in one call, which bounds memory."""
        for i in range(0, len(spans), SENTENCES_COUNTED_AT_ONCE):
            some = spans[i : i + SENTENCES_COUNTED_AT_ONCE]
            yield from zip(some, self._tokens(some), strict=True)

    def _tokens(self, spans: list[tuple[int, int]]) -> list[int]:
        title, path, text = self.document.title, self.section.path, self.document.text
        return self.count([passage_text(title, path, text[s:e]) for s, e in spans])
