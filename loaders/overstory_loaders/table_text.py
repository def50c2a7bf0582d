"""Converts tables in documents to text, with one line per row and the column name before each cell.

A long table is split into several passages, and a search must find "Price: 2" in each of them. Every row therefore
repeats the column names. Empty cells are left out. Tables of names and values have no column names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from itertools import chain, islice
from typing import NamedTuple

from overstory_loaders.blocks import Block

CELL_GAP = " | "
_COLONS = ":："
_LONGEST_COLUMN_NAME_CHARACTERS = 100
_ROWS_SEEN_FOR_A_HEADER = 20
"""Number of rows that are examined to find the header. Captions above the header are included."""
_LONGEST_SHORT_VALUE_CHARACTERS = 40
"""A text in the first row that is longer than this is the value of a pair, not the name of a column."""

MOST_TABLE_COLUMNS = 1_000
"""Maximum number of columns in a table, and of columns that a cell may span. Browsers have the same limit for spans."""
_MOST_SPANNED_CELLS = 1_000_000
"""Maximum number of table positions filled by spanning cells. Once it is reached, cells no longer span others."""

Cell = object
"""The value of a cell: a text, number, boolean, date, time, duration, `Covered`, or None."""

_Row = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Covered:
    """A position that a cell to its left covers. It counts as empty, but a header names it with the cell's text."""

    by: Cell


def table_blocks(
    rows: Iterable[Sequence[Cell]], *, header_rows: int | None = None, is_certain: bool = True
) -> Iterator[Block]:
    """Yield the rows of a table as blocks, lazily. Empty rows separate the table into parts.

    The form of a row depends on its part:

    - Below a header, a row reads "Kind: salt | Price: 2". Names that no row repeats are on a line of their own.
    - In a part of names and values, a row reads "name: value".
    - In other parts, commas separate the cells. If some are empty, the letter of its column precedes each cell.
    - A part without a header uses the header of the part above it if that header fits, or the last row of a part
      of a few rows that names its columns.

    Args:
        header_rows: number of rows in the header; 0 if there is none. If None, a header is detected: a row of short
            texts above numbers or dates, or a first row of at least three distinct short texts.
        is_certain: False if tables of the format often mark rows as a header that are not one.
    """
    names: tuple[str, ...] = ()
    before_gap: tuple[str, ...] = ()
    for part in _parts(rows):
        seen = list(islice(part, max(_ROWS_SEEN_FOR_A_HEADER, header_rows or 0) + 1))
        header = None if header_rows and names else _header_of(seen, header_rows, is_certain=is_certain)
        if header is not None:
            names = header.names
        elif not (names and _fits(names, seen)):
            names = before_gap if header_rows is None and before_gap and _are_named_by(before_gap, seen) else ()
        before_gap = _column_names(seen[-1:], None) if header is None and len(seen) < 4 and _names(seen[-1]) else ()
        before, below = (seen[: header.start], seen[header.end :]) if header else ([], seen)
        line = _line_form(below, names)
        lines = [_line_form(before, ())(row) for row in before]
        if header and (unused := _unused(names, below)):
            lines.append(CELL_GAP.join(unused))
        for number, text in enumerate(chain(lines, map(line, chain(below, part)))):
            yield Block(text, tight=number > 0)


def cell_blocks(
    cells: Sequence[Sequence[Sequence[Block]]],
    rows: Sequence[Sequence[Cell]],
    *,
    has_structure: bool,
    header_rows: int | None,
    is_certain: bool = True,
) -> Iterator[Block]:
    """Yield the rows of a table in a text or on a slide or, if it is used for layout, the blocks of each cell.

    A table is used for layout if it contains structure or has only one row or column. It also is if it has neither a
    header nor names and values, and a cell has several blocks.

    Args:
        cells: the blocks in each cell.
        rows: the same table for `table_blocks`, with one line of text per cell.
        has_structure: True if a cell contains headings or tables.
    """
    has_paragraphs = any(len(blocks) > 1 for row in cells for blocks in row)
    if (
        has_structure
        or len(cells) < 2
        or max(map(len, cells)) < 2
        or (has_paragraphs and not _has_names(rows, header_rows, is_certain=is_certain))
    ):
        yield from (block for row in cells for blocks in row for block in blocks)
    else:
        yield from table_blocks(rows, header_rows=header_rows, is_certain=is_certain)


def _has_names(rows: Sequence[Sequence[Cell]], header_rows: int | None, *, is_certain: bool) -> bool:
    seen = [tuple(row) for row in rows if _filled(row)][: _ROWS_SEEN_FOR_A_HEADER + 1]
    columns = sorted({place for row in seen for place in _filled(row)})
    are_pairs = len(columns) == 2 and all(_may_be_repeated(cell_text(row[columns[0]])) for row in seen if row)
    return are_pairs or (bool(seen) and _header_of(seen, header_rows, is_certain=is_certain) is not None)


def repeatable(text: str) -> str:
    """Return a text unchanged if it is short enough to be repeated in several rows; "" otherwise."""
    return text if len(text) <= _LONGEST_COLUMN_NAME_CHARACTERS else ""


def row_line(row: Sequence[Cell], names: Sequence[Cell] = ()) -> str:
    """Return a row as a line such as "Kind: salt | Price: 2".

    A cell is shown without a column name if its column has none, or if it is the only filled cell in the row and in the
    first column.
    """
    texts = {place: text for place, cell in enumerate(row) if (text := cell_text(cell))}
    named = () if _is_caption(list(texts), names) else names
    return CELL_GAP.join(
        f"{name}: {text}" if place < len(named) and (name := cell_text(named[place])) else text
        for place, text in texts.items()
    )


def cell_text(cell: Cell) -> str:
    """Return a cell as one line of text. Dates are in ISO 8601; numbers have up to 15 digits, as in spreadsheets."""
    match cell:
        case None | Covered():
            return ""
        case str():
            text = " ".join(cell.split())
            return text if text.strip(_COLONS) else ""  # some tables have a column of colons between names and values
        case bool():
            return "true" if cell else "false"
        case float():
            return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else f"{cell:.15g}"
        case datetime():
            is_day = cell.time() == time(0) and cell.tzinfo is None
            return cell.date().isoformat() if is_day else cell.isoformat()
        case date() | time():
            return cell.isoformat()
        case timedelta():
            return _hours(cell)
        case _:
            return " ".join(str(cell).split())


def column_letter(place: int) -> str:
    """Return the name of a column in spreadsheets: "A" for 0, "AA" for 26."""
    letters = ""
    while place >= 0:
        place, letter = divmod(place, 26)
        letters = chr(ord("A") + letter) + letters
        place -= 1
    return letters


def _parts(rows: Iterable[Sequence[Cell]]) -> Iterator[Iterator[_Row]]:
    """Yield each sequence of consecutive non-empty rows, lazily. Read each to its end before asking for the next."""
    following = iter(rows)

    def part(first: _Row) -> Iterator[_Row]:
        yield first
        for row in following:
            if not _filled(row):
                return
            yield tuple(row)

    for row in following:
        if _filled(row):
            yield part(tuple(row))


def _line_form(seen: Sequence[_Row], names: Sequence[str]) -> Callable[[_Row], str]:
    """Return the function that writes a row of a part, given the first rows of the part and its column names."""
    columns = sorted({place for row in seen for place in _filled(row)})
    if names:
        shown = [*names, *[""] * (columns[-1] + 1 - len(names) if columns else 0)]
        unnamed = [place for place in columns if not shown[place]]
        for place in unnamed if len(unnamed) > 1 else ():  # a single one is known by its position
            shown[place] = column_letter(place)
        return lambda row: row_line(row, shown)
    if len(columns) == 2 and any(_is_worded(row[place]) for row in seen for place in columns if place < len(row)):
        return lambda row: _pair(row, columns[0])
    first = columns[0] if columns else 0
    has_gaps = any(_has_gap(row, first) for row in seen)
    return lambda row: _lettered(row) if has_gaps or _has_gap(row, first) else _listed(row)


def _pair(row: _Row, label: int) -> str:
    name = cell_text(row[label]) if label < len(row) else ""
    rest = ", ".join(text for place, cell in enumerate(row) if place != label and (text := cell_text(cell)))
    if not (name and rest):
        return name or rest
    return f"{name.rstrip(_COLONS).rstrip()}: {rest}" if _may_be_repeated(name) else f"{name}, {rest}"


def _lettered(row: _Row) -> str:
    return row_line(row, [column_letter(place) for place in range(len(row))])


def _listed(row: _Row) -> str:
    """Return the cells of a row, separated by commas. A cell that ends with a colon names the next cell."""
    line = ""
    for text in filter(None, map(cell_text, row)):
        line += (" " if line.endswith(tuple(_COLONS)) else ", " if line else "") + text
    return line


def _has_gap(row: _Row, first: int) -> bool:
    filled = _filled(row)
    return len(filled) > 0 and filled != [first] and filled != list(range(first, first + len(filled)))


def _is_caption(filled: Sequence[int], names: Sequence[Cell]) -> bool:
    """Return True if the only filled cell of a row is in the first column, or in the first that has a name."""
    named = next((place for place, name in enumerate(names) if cell_text(name)), 0)
    return len(names) > 1 and len(filled) == 1 and filled[0] <= named


def _unused(names: Sequence[str], rows: Sequence[_Row]) -> list[str]:
    """Return the column names that no row repeats, because their column is empty or its cells are captions."""
    used = {place for row in rows if not _is_caption(filled := _filled(row), names) for place in filled}
    return list(dict.fromkeys(name for place, name in enumerate(names) if name and place not in used))


class _Header(NamedTuple):
    """The header of a part: its rows from `start` to before `end`, and the name of each column, which may be ""."""

    start: int
    end: int
    names: tuple[str, ...]


def _header_of(rows: Sequence[_Row], marked: int | None, *, is_certain: bool) -> _Header | None:
    """Return the header among the first rows of a part; None if there is no header.

    Args:
        marked: number of rows that the format marks as header; None if it marks none.
    """
    if marked == 0:
        return None
    if marked is None:
        at = _detected(rows)
        if at is None:
            return None
        start, end = at, at + 1
    else:
        start = next((place for place, row in enumerate(rows[:marked]) if _filled(row) != [0]), marked)
        end = marked
        if start == end or end == len(rows):
            return None
        if not is_certain and not _has_corner(rows[start:]) and _are_pairs(rows[start:], is_marked=True):
            return None
    if marked is None or not is_certain:
        while start and _continues(rows[start - 1], rows[start]):
            start -= 1
        while end + 1 < len(rows) and _continues(rows[end - 1], rows[end]):
            end += 1
    groups = rows[start - 1] if marked is None and start and _are_groups(rows[start - 1], rows[start]) else None
    names = _column_names(rows[start:end], groups)
    return _Header(start - (groups is not None), end, names) if all(map(_may_be_repeated, names)) else None


def _may_be_repeated(name: str) -> bool:
    return repeatable(name) == name


def _column_names(rows: Sequence[_Row], groups: _Row | None) -> tuple[str, ...]:
    """Return the distinct texts above each column, joined. Columns with equal names also get their letter."""
    names: list[str] = []
    for place in range(max(map(len, rows))):
        texts = [_heading(row[place]) for row in rows if place < len(row)]
        names.append(" ".join(dict.fromkeys(filter(None, texts))).rstrip(_COLONS).rstrip())
    if groups is not None:
        equal = set(_equal(names))
        group = ""
        for place, name in enumerate(names):
            group = cell_text(groups[place]) or group if place < len(groups) else group
            names[place] = f"{group} {name}".strip() if place in equal else name
    spanned = {place: None for place, cell in enumerate(rows[-1]) if isinstance(cell, Covered)}
    for place in _equal(["" if place in spanned else name for place, name in enumerate(names)]):
        names[place] = f"{names[place]} ({column_letter(place)})"
    for place in spanned:
        names[place] = names[place - 1]
    return tuple(names)


def _equal(names: Sequence[str]) -> list[int]:
    count = Counter(name.casefold() for name in names if name)
    return [place for place, name in enumerate(names) if count[name.casefold()] > 1]


def _heading(cell: Cell) -> str:
    return cell_text(cell.by if isinstance(cell, Covered) else cell)


def _detected(rows: Sequence[_Row]) -> int | None:
    """Return the index of the last row of a header that the format does not mark; None if there is no header.

    It is the first row of short texts with a number or a date directly below one of them. If there is no such row, it
    is the first row if it names at least three columns differently, or spans several columns of the next row.
    """
    if _has_corner(rows):
        return 0
    if len({place for row in rows for place in _filled(row)}) == 2:
        at = next((place for place, row in enumerate(rows) if len(_filled(row)) == 2), len(rows))
        return None if _are_pairs(rows[at:], is_marked=False) else at
    widest = max(len(_filled(row)) for row in rows)
    may_be = [
        place
        for place, row in enumerate(rows[:-1])
        if len(_filled(row)) + sum(isinstance(cell, Covered) for cell in row) + 1 >= widest and _names(row)
    ]
    for place in may_be:
        names, below = _names(rows[place]), rows[place + 1 :]
        typed = [column for column in names if _is_typed(below[:1], column)]
        if typed and (len(names) > 2 or any(_is_typed(below, column) for column in typed)):
            return place
    if may_be[:1] != [0]:
        return None
    names = _names(rows[0])
    is_distinct = len({name.casefold() for name in names.values()}) == len(names)
    return 0 if (len(names) > 2 and is_distinct) or _continues(rows[0], rows[1]) else None


def _continues(upper: _Row, lower: _Row) -> bool:
    """Return True if the cells of `upper` that span several columns are headings above the names in `lower`."""
    spanned = {place for place, cell in enumerate(upper) if isinstance(cell, Covered)}
    spanned |= {place - 1 for place in spanned}
    filled = [place for place, cell in enumerate(lower) if _heading(cell)]
    if not spanned or len(_filled(upper)) < 2 or not spanned <= set(filled):
        return False
    others = [(upper[place], lower[place]) for place in filled if place not in spanned and place < len(upper)]
    return all(cell_text(above) in ("", cell_text(below)) for above, below in others) and all(
        _is_name(heading) or _is_year(heading) for heading in map(_heading, (lower[place] for place in spanned))
    )


def _are_groups(upper: _Row, lower: _Row) -> bool:
    """Return True if `upper` tells equal names in `lower` apart, each text up to the next one."""
    names = list(_names(lower).values())
    groups = _filled(upper)
    return (
        len(_equal(names)) > 0
        and 1 < len(groups) < len(names)
        and all(_is_name(upper[place]) or _is_year(upper[place]) for place in groups)
    )


def _has_corner(rows: Sequence[_Row]) -> bool:
    """Return True if the first row names all columns except the first, and the first column names the other rows."""
    first, below = rows[0], rows[1:]
    names = [cell_text(cell) for cell in first[1:]]
    return (
        len(names) > 0
        and not cell_text(first[0])
        and all(names)
        and len(set(names)) == len(names)
        and all(len(name) <= _LONGEST_COLUMN_NAME_CHARACTERS for name in names)
        and len(below) > 0
        and all(_is_name(row[0]) for row in below)
        and any(len(_filled(row)) > 1 for row in below)
    )


def _are_pairs(rows: Sequence[_Row], *, is_marked: bool) -> bool:
    """Return True if a part consists of names on the left and values on the right, without a header.

    Under a header, each column has values of one kind, and the header is no such value. So these are signs of pairs: a
    colon after the names, a first value that no column would be called, and values of several kinds. Without a sign, a
    marked header is believed. Below a header that is not marked, the values must be of one kind other than text, the
    first column must have no names or the same ones again, or only the header must be in lower case.
    """
    columns = sorted({place for row in rows for place in _filled(row)})
    if rows and len(columns) != 2:
        return False
    full = [(row[columns[0]], row[columns[1]]) for row in rows if len(_filled(row)) == 2]
    if len(full) < 2 or not all(map(_is_name, full[0])):
        return True
    names, values = [cell_text(name) for name, _ in full], [cell_text(value) for _, value in full]
    if all(name.endswith(tuple(_COLONS)) for name in names):
        return True
    has_names = any(_kind(name) == _TEXT for name, _ in full[1:])
    if has_names and _is_value(values[0], names):
        return True
    kinds = {kind for _, value in full[1:] if (kind := _kind(value))}
    if len(kinds) > 1 and has_names:
        return True
    if is_marked:
        return False
    are_written_apart = names[0].islower() and values[0].islower() and not any(map(str.islower, names[1:] + values[1:]))
    is_header = not has_names or kinds != {_TEXT} or len(set(names)) < len(names) or are_written_apart
    return not is_header


def _is_value(text: str, names: Sequence[str]) -> bool:
    """Return True if a text in the first row is rather the value of the first name than the name of a column.

    It contains an address or, unlike the first name, digits; is long; consists of several capitalised words as names of
    people do; or is not capitalised although all names are.
    """
    has_digits = any(map(str.isdigit, text)) and not any(map(str.isdigit, names[0]))
    if has_digits or "@" in text or "://" in text:
        return True
    if len(text) > _LONGEST_SHORT_VALUE_CHARACTERS or text.endswith((".", "!", "?")):
        return True
    if text[:1].islower() and all(name[:1].isupper() for name in names):
        return True
    return _is_capitalised(text) and not _is_capitalised(names[0])


def _is_capitalised(text: str) -> bool:
    words = [word for word in text.split() if word[:1].isalpha()]
    return len(words) > 1 and not text.isupper() and all(word[:1].isupper() for word in words)


_TEXT = "text"
_DATE = re.compile(r"\d{1,4}([-./])\d{1,2}\1\d{1,4}(?:[T ][\d:.]+)?")
_MEASURE = re.compile(r"[^\w\s]?\s*[+-]?\d[\d.,\s]*(?P<unit>\D{0,12})")


def _kind(cell: Cell) -> str:
    """Return the kind of a value: "date", "number", "number" and its unit, "code", or "text"; "" if it has no words."""
    if isinstance(cell, (datetime, date, time, timedelta)):
        return "date"
    text = cell_text(cell)
    if isinstance(cell, bool) or not any(map(str.isalnum, text)):
        return "truth" if isinstance(cell, bool) else ""
    if not isinstance(cell, str):
        return "number"
    if _DATE.fullmatch(text):
        return "date"
    if found := _MEASURE.fullmatch(text):
        return f"number {found['unit'].strip()}".strip()
    return "code" if any(map(str.isdigit, text)) and " " not in text else _TEXT


def _is_name(cell: Cell) -> bool:
    """Return True if a cell is a text other than a number."""
    return isinstance(cell, str) and bool(cell_text(cell)) and not _is_number(cell_text(cell))


def _is_worded(cell: Cell) -> bool:
    return not isinstance(cell, (int, float)) and bool(text := cell_text(cell)) and not _is_number(text)


def _is_year(cell: Cell) -> bool:
    text = cell_text(cell)
    return len(text) == 4 and text.isdecimal() and "1900" <= text < "2100"


def _names(row: _Row) -> dict[int, str]:
    """Return a map from column to text for a row that can be a header; {} for any other row."""
    names = {place: cell_text(row[place]) for place in _filled(row)}
    texts = list(names.values())
    before_values = [
        not after.endswith(tuple(_COLONS))
        for text, after in zip(texts, [*texts[1:], ":"], strict=True)
        if text.endswith(tuple(_COLONS))
    ]
    if before_values and all(before_values):  # each colon is followed by the value of its name: "To:", "Ada"
        return {}
    are_texts = all(_is_name(row[place]) for place in names)
    return names if len(names) > 1 and are_texts and all(map(_may_be_repeated, names.values())) else {}


def _is_typed(rows: Sequence[_Row], column: int) -> bool:
    cells = [row[column] for row in rows if column < len(row) and cell_text(row[column])]
    return bool(cells) and not any(isinstance(cell, str) and not _is_number(cell) for cell in cells)


def _fits(names: Sequence[str], rows: Sequence[_Row]) -> bool:
    """Return True if some rows may belong to the header of the part above, because it names each of their columns."""
    columns = sorted({place for row in rows for place in _filled(row)})
    first = next(place for place, name in enumerate(names) if name)
    if max(len(_filled(row)) for row in rows) < 2 or (len(columns) == 2 and columns[0] > first):
        return False  # for example the sums below an invoice, which are pairs in its last columns
    if any(cell_text(row[place]) == names[place] for row in rows for place in _filled(row) if place < len(names)):
        return False  # the same table again
    return all(place < len(names) and (place == 0 or names[place]) for place in columns)


def _are_named_by(names: Sequence[str], rows: Sequence[_Row]) -> bool:
    """Return True if the last row of the part above is the header of some rows, although an empty row follows it."""
    typed = [place for place in _filled(rows[0]) if _is_typed(rows, place)]
    return _fits(names, rows) and any(place < len(names) and names[place] for place in typed)


def _filled(row: Sequence[Cell]) -> list[int]:
    return [place for place, cell in enumerate(row) if cell is not None and cell_text(cell)]


def _is_number(text: str) -> bool:
    """Return True if a text is a number. In some tables, for example on slides, even numbers are stored as texts."""
    return text.strip(" %€$£+-").replace(",", "").replace(".", "").replace(" ", "").isdecimal()


def _hours(duration: timedelta) -> str:
    seconds = int(duration.total_seconds())
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


@dataclass(slots=True)
class TableCell:
    """A cell, with the number of columns and rows that it spans."""

    text: str
    columns: int
    rows: int
    is_header: bool


@dataclass(slots=True)
class DataTable:
    """A table of data that is read row by row.

    Attributes:
        in_head: True while the rows in the head of the table are read.
    """

    rows: list[list[TableCell]] = field(default_factory=list[list[TableCell]])
    header_rows: int = 0
    in_head: bool = False

    def end_row(self, cells: list[TableCell]) -> None:
        is_header = self.in_head or all(cell.is_header for cell in cells)
        if (
            self.header_rows == len(self.rows)
            and is_header
            and (_has_several(cells) or not any(map(_has_several, self.rows)))
        ):
            self.header_rows += 1
        self.rows.append(cells)

    def blocks(self) -> Iterator[Block]:
        """Yield a block for each row, which repeats the column names if there is a header."""
        yield from table_blocks(_grid(self.rows), header_rows=self.header_rows)


def _has_several(cells: Sequence[TableCell]) -> bool:
    return sum(bool(cell.text) for cell in cells) > 1


def _grid(rows: Sequence[Sequence[TableCell]]) -> list[list[Cell]]:
    """Return the cell at each position of a table, as a list of rows.

    A cell that spans several rows is repeated in each of them. One that spans several columns is in the first of them
    and covers the others.
    """
    merged = MergedCells()
    grid: list[list[Cell]] = []
    for cells in rows:
        row: list[Cell] = []
        for cell in cells:
            while merged.covers(len(row)):
                row.append(None)
            merged.add(len(row), cell.columns, cell.rows, cell.text)
            row.append(cell.text)
            row += [None] * (min(cell.columns, MOST_TABLE_COLUMNS) - 1)
        grid.append(merged.filled(row))
    return grid


class MergedCells:
    """Fills the positions that cells over several rows or columns cover, while the rows of a table are read."""

    def __init__(self) -> None:
        self._spans: dict[int, tuple[Cell, int]] = {}
        self._left = _MOST_SPANNED_CELLS

    def add(self, place: int, columns: int, rows: int, value: Cell) -> None:
        """Add a cell that begins in the next row that is filled."""
        if columns > 1 or rows > 1:
            for number in range(max(1, min(columns, MOST_TABLE_COLUMNS - place))):
                self._spans[place + number] = (Covered(value) if number else value, rows)

    def covers(self, place: int) -> bool:
        """Return True if a cell that was added covers a column of the next row."""
        return place in self._spans

    def filled(self, row: list[Cell]) -> list[Cell]:
        """Return the next row with its covered positions filled. A row without cells of its own stays empty."""
        is_empty = not _filled(row)
        for place, (value, rows) in list(self._spans.items()):
            row += [None] * (place + 1 - len(row))
            if not is_empty and self._left > 0:
                row[place] = value
                self._left -= 1
            short = value if isinstance(value, Covered) or not isinstance(value, str) else repeatable(value)
            self._spans[place] = (short, rows - 1)
            if rows <= 1:
                del self._spans[place]
        return row
