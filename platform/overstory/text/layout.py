"""Layout of plain text: which lines start a new block, such as a paragraph, heading or list item."""

from __future__ import annotations

import re
from typing import NamedTuple

_WIDEST_LINE_CHARACTERS = 160
"""Maximum length of a line in a hard-wrapped text. In a text with a longer line, each line is a block."""

_SHORT_LINE_SHARE = 0.6
"""If a line and the next word together are shorter than this fraction of the widest line, the line was not wrapped but
ended on purpose."""

_MARKER = re.compile(r"(?:[-*+•‣◦▪–]|\(?\d{1,3}[.)]|\(?[A-Za-z][)])\s")
_ENDS = (".", ":", ";", "?", "!", "¶")


class Line(NamedTuple):
    """A line that is not blank.

    Attributes:
        text: the line without leading and trailing white space.
        start: offset of the first character of `text` in the whole text.
        indent: number of columns before `text`.
        begins: True if the line starts a new block, False if it continues the line before.
        apart: True if a blank line or the beginning of the text comes before.
    """

    text: str
    start: int
    indent: int
    begins: bool
    apart: bool


def lines(text: str) -> list[Line]:
    """Return the lines of a text that are not blank.

    A line starts a new block if it begins like a list item, or if the line before it is blank or too short to have been
    wrapped.
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
