"""Documents into pieces that an embedder takes whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from overstory.model import Document, TextPiece
from overstory.model.passage_text import passage_text
from overstory.text.chunking.packing import pack
from overstory.text.chunking.sections import Section, sections
from overstory.text.chunking.units import SENTENCES_COUNTED_AT_ONCE, CountTokens, OnCounted, units
from overstory.text.languages import foreign_language

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
