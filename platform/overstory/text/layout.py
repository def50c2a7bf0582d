"""Line structure of plain text: lines that start a paragraph, a list item, or the text below a heading or a term."""

from __future__ import annotations

import re
from typing import NamedTuple

_WIDEST_LINE_CHARACTERS = 160
"""A text with a longer line is not hard-wrapped, so each of its lines is a block."""

_SHORT_LINE_SHARE = 0.6
"""A line shorter than this share of the widest line, even with the next word added, ended there on purpose."""

_MARKER = re.compile(r"(?:[-*+•‣◦▪–]|\(?\d{1,3}[.)]|\(?[A-Za-z][)])\s")
_ENDS = (".", ":", ";", "?", "!", "¶")


class Line(NamedTuple):
    """A line with text, stripped of white space.

    Attributes:
        start: offset of the line's first character in the text.
        indent: number of columns before the text.
        begins: True if the line starts a new block instead of continuing the line before.
        apart: True if a blank line comes before.
    """

    text: str
    start: int
    indent: int
    begins: bool
    apart: bool


def lines(text: str) -> list[Line]:
    """Return the lines of a text that are not blank.

    A line continues the one before if that line is filled up to the margin, the end of the widest line.
    """
    raw = text.split("\n")
    width = max(len(line.rstrip()) for line in raw)
    found: list[Line] = []
    offset, apart = 0, True
    for line in raw:
        words = line.strip()
        if words:
            indent = len(line) - len(line.lstrip())
            begins = apart or width > _WIDEST_LINE_CHARACTERS or _begins(words, indent, found[-1], width)
            found.append(Line(words, offset + indent, indent, begins, apart))
        apart = not words
        offset += len(line) + 1
    return found


def block_starts(text: str) -> list[int]:
    """Return the offsets of all lines that start a new block, except the first line of the text."""
    return [line.start for line in lines(text)[1:] if line.begins] if "\n" in text else []


def _begins(words: str, indent: int, before: Line, width: int) -> bool:
    if _MARKER.match(words):
        return True
    first = words.split(None, 1)[0]
    if before.indent + len(before.text) + 1 + len(first) <= _SHORT_LINE_SHARE * width:
        return True
    return abs(indent - before.indent) > 1 and before.text.endswith(_ENDS)
