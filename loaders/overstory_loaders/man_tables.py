"""Tables of manual pages: those of tbl(1), and lists of mdoc(7) in columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from overstory_loaders.blocks import Block
from overstory_loaders.table_text import repeatable, table_blocks, with_one_header

MARKED_TAB = re.compile(r"tab\s*\((.)\)")
_MOST_TBL_HEADER_ROWS = 3
"""Rows above the first rule of a table that name the columns; more are a part of it."""

_RULES = frozenset({"_", "=", "\\_"})
_ABOVE = "\\^"
"""A cell that goes on from the row above."""
_COLUMN = re.compile(r"[LlCcRrNnAaSs^]")
_EMPHASIS = frozenset({"Sy", "Em", "Bf"})


def tbl_blocks(lines: Sequence[str], expanded: Callable[[str], str]) -> Iterator[Block]:
    """A line per row, which repeats the header: the rows above the first rule, a first row that alone is bold, or what
    looks like one.

    Args:
        lines: from the options of the table on, as they are in the page.
        expanded: a text of the page without strings and escapes.
    """
    tab = "\t"
    place = 0
    if lines and lines[0].rstrip().endswith(";"):
        found = MARKED_TAB.search(lines[0])
        tab = found[1] if found else tab
        place = 1
    stop = _end_of_format(lines, place)
    layout = [row.strip() for line in lines[place:stop] for row in line.rstrip().removesuffix(".").split(",")]
    header_rows = _marked_header(layout, has_more=any(line.startswith(".T&") for line in lines[stop:]))
    rows: list[list[str]] = []
    for row in _rows(lines[stop:], tab):
        if row is None:
            header_rows = header_rows or (len(rows) if len(rows) <= _MOST_TBL_HEADER_ROWS else 0)
            continue
        above = rows[-1] if rows else []
        cells = [_cell(cell, expanded, above[at] if at < len(above) else "") for at, cell in enumerate(row)]
        if any(cells):
            rows.append(cells)
    header_rows = header_rows if header_rows < len(rows) else 0
    # Most tables of three columns or more have a header that nothing marks.
    yield from table_blocks(with_one_header(rows, header_rows), has_header=header_rows > 0 or None)


def _end_of_format(lines: Sequence[str], place: int) -> int:
    """The line after the one that ends a format, with a full stop."""
    while place < len(lines) and not lines[place].rstrip().endswith("."):
        place += 1
    return place + 1


def _marked_header(layout: Sequence[str], *, has_more: bool) -> int:
    """1 if a format has a rule below the first row, or makes the first row alone bold.

    Args:
        has_more: whether another format follows, as for the rows below a header.
    """
    rows = [row for row in layout if row]
    while rows and not rows[0].strip("_=-| "):
        rows.pop(0)
    if len(rows) < 2:
        return int(has_more and bool(rows) and _is_bold(rows[0]))
    return int(not rows[1].strip("_=-| ") or (_is_bold(rows[0]) and not _is_bold(rows[1])))


def _is_bold(row: str) -> bool:
    """Whether all columns of a format are bold: "lb lbx", "lfB cfB"."""
    columns = [column for column in _COLUMN.split(row.replace("fB", "b").replace("B", "b"))[1:] if column.strip("s^ ")]
    return bool(columns) and all("b" in column for column in columns)


def _rows(lines: Sequence[str], tab: str) -> Iterator[list[str] | None]:
    """The rows of the data, with escapes; None for a rule."""
    place = 0
    cells: list[str] = []
    in_block: list[str] | None = None
    while place < len(lines):
        line = lines[place]
        place += 1
        if in_block is not None:
            if not line.startswith("T}"):
                in_block.append(_without_request(line))
                continue
            cells[-1] += " ".join(in_block)
            in_block = None
            cells += line[2:].split(tab)[1:]
        elif line.startswith(".T&"):
            place = _end_of_format(lines, place)
            continue
        elif line.startswith(".TH") or line.strip() in ("_", "="):
            yield None
            continue
        elif line[:1] in (".", "'"):
            continue
        else:
            cells = line.split(tab)
        if cells and cells[-1].strip() == "T{":
            cells[-1], in_block = "", []
            continue
        yield cells


def _cell(cell: str, expanded: Callable[[str], str], above: str) -> str:
    if cell.strip() == _ABOVE:
        return repeatable(above)
    text = " ".join(expanded(cell).split())
    return "" if text in _RULES else text


def _without_request(line: str) -> str:
    """A line of a text in a table; of a macro its words."""
    return " ".join(line[1:].split()[1:]).replace('"', "") if line[:1] in (".", "'") else line


class ColumnList:
    """The items of a list of mdoc(7) in columns, a row each; its header is a first row that alone is emphasised."""

    def __init__(self) -> None:
        self._rows: list[list[str]] = []
        self._emphasised: list[bool] = []

    def add_row(self, line: str, inline: Callable[[Sequence[str]], str]) -> None:
        """
        Args:
            line: the words of an item, with cells parted by "Ta".
            inline: a text with macros as words.
        """
        cells = [cell.split() for cell in line.split(" Ta ")]
        self._rows.append([inline(cell) for cell in cells])
        self._emphasised.append(all(cell[:1] and cell[0] in _EMPHASIS for cell in cells))

    def add_cell(self, text: str) -> None:
        """A cell on a line of its own."""
        if self._rows:
            self._rows[-1].append(text)
            self._emphasised[-1] = False

    def go_on(self, text: str) -> None:
        """A line that belongs to the last cell."""
        if self._rows:
            self._rows[-1][-1] += f" {text}"

    def blocks(self) -> Iterator[Block]:
        """The rows so far, which are forgotten."""
        rows, emphasised = self._rows, self._emphasised
        self._rows, self._emphasised = [], []
        has_header = len(rows) > 1 and emphasised[0] and not emphasised[1]
        yield from table_blocks(rows, has_header=has_header)
