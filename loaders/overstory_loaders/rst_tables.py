"""The tables of reStructuredText as rows of cells: drawn as a grid, parted by columns, or listed by a directive."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from overstory_loaders.table_text import repeatable

_MOST_TABLE_HEADER_ROWS = 10
"""Of a table in reStructuredText; one that declares more has none."""

_BORDER = re.compile(r"=+(?:[ \t]+=+)+[ \t]*$")
_RULE = re.compile(r"[=-]+(?:[ \t]+[=-]+)*[ \t]*$")
_EDGES = re.compile(r"\+[-=]+(?=\+)")
_WIDE_FILL = "\0"
"""Stands behind a character that is two columns wide, so that places in a line are columns."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The cells of a table.

    Attributes:
        header_rows: how many of the first rows name the columns.
    """

    rows: list[list[str]]
    header_rows: int = 0


def simple_table(lines: Sequence[str]) -> Rows:
    """A table whose columns are those of its first line of "=". A line without a first cell goes on with a row."""
    lines = [_by_columns(line) for line in lines]
    starts = [found.start() for found in re.finditer(r"=+", lines[0])]
    rows: list[list[str]] = []
    header_rows = 0
    goes_on = False
    for line in lines[1:-1]:
        if not line or _RULE.match(line):
            if _BORDER.match(line) and not header_rows:
                header_rows = len(rows)
            goes_on = False
            continue
        cells = _cells_at(line, starts)
        if goes_on and not cells[0]:  # a row without a first cell goes on with the one above
            rows[-1] = [f"{one} {other}".strip() for one, other in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(cells)
        goes_on = True
    return _checked(rows, header_rows)


def _cells_at(line: str, starts: Sequence[int]) -> list[str]:
    """The cells of a line by its columns. A text that goes on through the gap before a column is in several columns."""
    cells: list[str] = []
    first = begin = 0
    for place, (start, stop) in enumerate(pairwise([*starts, len(line) + 1])):
        if place and line[start - 1 : start].strip() and line[start : start + 1].strip():
            cells.append("")
            cells[first] = line[begin:stop]
        else:
            first, begin = place, start
            cells.append(line[start:stop])
    return [_plain(cell) for cell in cells]


def grid_table(lines: Sequence[str]) -> Rows:
    """A table in a grid. A cell that goes over several rows stands in each, if it is short; one over several columns in
    the first, or, in the header, in each."""
    lines = [_by_columns(line) for line in lines]
    edges = sorted({place for line in lines for found in _EDGES.finditer(line) for place in found.span()})
    width = len(edges) - 1
    current = [[""] for _ in range(width)]
    spans = list(range(width))
    drawn: list[tuple[list[list[str]], list[int]]] = []
    header_rows = 0
    for line in lines[1:]:
        pieces = [line[start + 1 : stop] for start, stop in pairwise(edges)]
        ruled = [_is_rule(piece, "-") or _is_rule(piece, "=") for piece in pieces]
        if any(ruled) and "+" in line:
            drawn.append((current, spans))
            if not header_rows and all(_is_rule(piece, "=") for piece in pieces):
                header_rows = len(drawn)
            current = [[""] if is_ruled else cell for cell, is_ruled in zip(current, ruled, strict=True)]
            spans = list(range(width))
            continue
        for column, (start, stop) in enumerate(pairwise(edges)):
            if column and line[start : start + 1] not in ("|", "+"):
                spans[column] = spans[column - 1]
                current[spans[column]].append(line[start:stop])
            else:
                current[column].append(" " + line[start + 1 : stop])
    rows: list[list[str]] = []
    above: list[list[str]] = []
    for number, (cells, first) in enumerate(drawn):
        texts = [_plain("".join(cell)) for cell in cells]
        if above:
            texts = [repeatable(t) if c is a else t for t, c, a in zip(texts, cells, above, strict=True)]
        above = cells
        in_each = number < header_rows
        rows.append([texts[first[at]] if in_each else text if first[at] == at else "" for at, text in enumerate(texts)])
    return _checked(rows, header_rows)


def list_table(options: Mapping[str, str], body: Sequence[str]) -> Rows:
    """The content of `list-table`: a list of lists."""
    rows: list[list[str]] = []
    for line in body:
        text = line.strip()
        if re.match(r"\* +-", line):
            rows.append([text[1:].lstrip().removeprefix("-").strip()])
        elif rows and re.match(r" +-(?: |$)", line) and len(line) - len(line.lstrip()) <= 4:
            rows[-1].append(text[1:].strip())
        elif rows and rows[-1]:
            rows[-1][-1] += f" {text}"
    return _checked(rows, _number(options.get("header-rows", "")))


def csv_table(options: Mapping[str, str], body: Sequence[str]) -> Rows:
    """The content of `csv-table`."""
    delimiter = options.get("delim", ",").strip()
    delimiter = {"tab": "\t", "space": " "}.get(delimiter, delimiter[:1] or ",")
    header = [options["header"]] if options.get("header") else []
    lines = [*header, *(line for line in body if line)]
    try:
        rows = list(csv.reader(lines, delimiter=delimiter, skipinitialspace=True))
    except csv.Error:
        return Rows([[line] for line in lines])
    return _checked(rows, len(header) + _number(options.get("header-rows", "")))


def _checked(rows: list[list[str]], header_rows: int) -> Rows:
    filled = [row for row in rows if any(row)]
    above = sum(any(row) for row in rows[:header_rows])
    return Rows(filled, above if above < len(filled) and above <= _MOST_TABLE_HEADER_ROWS else 0)


def _is_rule(piece: str, mark: str) -> bool:
    return bool(piece) and not piece.strip(mark)


def _number(text: str) -> int:
    return int(text) if text.strip().isdecimal() and len(text) < 4 else 0


def _by_columns(line: str) -> str:
    """A line in which each place is a column, as editors show it."""
    if line.isascii():
        return line
    return "".join(f"{each}{_WIDE_FILL}" if unicodedata.east_asian_width(each) in "WF" else each for each in line)


def _plain(text: str) -> str:
    return " ".join(text.replace(_WIDE_FILL, "").split())
