"""Where lines of a text begin something: a paragraph, an item of a list, what follows a heading or a term."""

from __future__ import annotations

import re
from typing import NamedTuple

_WIDEST_LINE_CHARACTERS = 160
"""Characters; a text with a longer line was not wrapped by its writer, and each of its lines stands for itself."""

_SHORT_LINE_SHARE = 0.6
"""Part of the widest line that a line with its next word must fill, or it ended there on purpose."""

_MARKER = re.compile(r"(?:[-*+•‣◦▪–]|\(?\d{1,3}[.)]|\(?[A-Za-z][)])\s")
_ENDS = (".", ":", ";", "?", "!", "¶")


class Line(NamedTuple):
    """A line that is not blank, without white space around: its first character in the text, columns before it,
    whether it begins something, and whether a blank line is before it."""

    text: str
    start: int
    indent: int
    begins: bool
    apart: bool


def lines(text: str) -> list[Line]:
    """The lines of a text that are not blank.

    A line goes on with the one before if that is filled up to the margin, which is the widest line's end.
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
    """The first characters of the lines that begin something, but for the text's first line."""
    return [line.start for line in lines(text)[1:] if line.begins] if "\n" in text else []


def _begins(words: str, indent: int, before: Line, width: int) -> bool:
    if _MARKER.match(words):
        return True
    first = words.split(None, 1)[0]
    if before.indent + len(before.text) + 1 + len(first) <= _SHORT_LINE_SHARE * width:
        return True
    return abs(indent - before.indent) > 1 and before.text.endswith(_ENDS)
