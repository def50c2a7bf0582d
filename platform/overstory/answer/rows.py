"""Rows of tables and lines of settings: sentences of their own, though no full stop ends them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_LEAST_TABLE_ROWS = 2

_CELLS = re.compile(r"\S[ \t]*(?:\||\t)[ \t]*\S")
_KEYED = re.compile(r"\A[ \t]*+(?:[-*•][ \t]+)?[^\s:=|.!?][^:=|.!?\n]{0,60}[:=][ \t]+\S")
_DEFINED = re.compile(r"\A[ \t]*+[^\s|.!?][^|.!?\n]{0,60}[ \t]+[–—-]{1,2}[ \t]+\S")
_SEPARATOR = re.compile(r"[|\t]")
_RULE = re.compile(r"[\s|:+=–—-]*")


def row_texts(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Where the rows of a sentence by punctuation begin and end; the whole one where it is running text."""
    lines = [(match.start(), match.end()) for match in _LINE.finditer(text, start, stop)]
    rows = list(_rows(text, lines))
    if len(lines) < _LEAST_TABLE_ROWS or len(rows) * 2 < len(lines):
        if rows and len(lines) > 1:
            yield from _around(lines, set(rows))
            return
        yield start, stop
        return
    for line in lines:
        if not _RULE.fullmatch(text, line[0], line[1]):
            yield line


def _around(lines: list[tuple[int, int]], rows: set[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Rows on their own, and the running text before, between and after them."""
    begin: int | None = None
    end = 0
    for line in lines:
        if line in rows:
            if begin is not None:
                yield begin, end
            begin = None
            yield line
        else:
            begin, end = (line[0] if begin is None else begin), line[1]
    if begin is not None:
        yield begin, end


def _rows(text: str, lines: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The lines that are rows; no line of a paragraph that goes on in the next, or goes on from the one before, with a
    colon or a dash in it."""
    written = [text[start:stop] for start, stop in lines]
    cells = [_CELLS.search(line) is not None for line in written]
    rows = [has_cells or _says_of_a_key(line) for line, has_cells in zip(written, cells, strict=True)]
    for at, line in enumerate(written):
        goes_on = at + 1 < len(lines) and not rows[at + 1] and _begins_small(written[at + 1])
        from_before = at > 0 and not rows[at - 1] and _begins_small(line) and not _ENDED.search(written[at - 1])
        if cells[at] or (rows[at] and not (goes_on or from_before)):
            yield lines[at]


def _begins_small(line: str) -> bool:
    return line.lstrip()[:1].islower()


_ENDED = re.compile(r"[.:;!?]\s*\Z")
_LINE = re.compile(r"[^\n]+")


def _says_of_a_key(line: str) -> bool:
    return any(pattern.match(line) for pattern in (_KEYED, _DEFINED))


def cells_of(text: str) -> list[str]:
    """The cells of a row; none of running text."""
    cells = [cell.strip(" `*") for cell in _SEPARATOR.split(text.strip().strip("|"))]
    return [cell for cell in cells if cell] if len(cells) > 1 else []
