"""A passage in a few lines: the words of the question in bold, the sentence that has most of them underlined.

`click.echo` leaves the styles out where no terminal shows them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

from overstory.display import printable
from overstory.model import Hit


def passage_lines(hit: Hit, *, width: int, most: int) -> list[str]:
    """The part of a passage to show, at most so many lines: from its beginning, or from the sentence that matched best
    where that would be cut off."""
    start, _ = hit.excerpt(width * most)
    lines: list[str] = []
    line, length = ("… ", 2) if start else ("", 0)
    for word, plain in _words(hit, start, width):
        if length and length + 1 + plain > width:
            lines.append(line.rstrip())
            line, length = "", 0
            if len(lines) == most:
                lines[-1] += " …"
                return lines
        gap = "" if not length or line.endswith(" ") else " "
        line, length = line + gap + word, length + len(gap) + plain
    return [*lines, line] if length else lines


def _words(hit: Hit, start: int, width: int) -> Iterator[tuple[str, int]]:
    """The words from a character on with their styles, and how long each is without them; long ones in pieces."""
    stop = len(hit.text)
    marked = hit.pieces(start, stop)
    at, piece_start = 0, start
    for match in re.finditer(rf"\S{{1,{width}}}", hit.text[start:]):
        first, last = match.start() + start, match.end() + start
        word, plain = "", 0
        while piece_start + len(marked[at].text) <= first:
            piece_start += len(marked[at].text)
            at += 1
        each, each_start = at, piece_start
        while each < len(marked) and each_start < last:
            piece = marked[each]
            shown = printable(hit.text[max(first, each_start) : min(last, each_start + len(piece.text))])
            plain += len(shown)
            styled = piece.word or piece.sentence
            word += (
                click.style(shown, bold=piece.word or None, underline=piece.sentence or None)
                if styled and shown
                else shown
            )
            each_start += len(piece.text)
            each += 1
        if plain:
            yield word, plain
