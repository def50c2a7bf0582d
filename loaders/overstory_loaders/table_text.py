"""Converts tables in documents to text, with one line per row and the column name before each cell.

A long table is split into several passages, and a search must find "Price: 2" in each of them. Every row therefore
repeats the column names. Empty cells are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from itertools import islice

from overstory_loaders.blocks import Block

CELL_GAP = " | "
_LONGEST_COLUMN_NAME_CHARACTERS = 100
_ROWS_SEEN_FOR_A_HEADER = 20
"""Number of rows that are examined to find the header. Captions above the header are included."""

MOST_TABLE_COLUMNS = 1_000
"""Maximum number of columns in a table, and of columns that a cell may span. Browsers have the same limit for spans."""
_MOST_SPANNED_CELLS = 1_000_000
"""Maximum number of table positions filled by spanning cells. Once it is reached, cells no longer span others."""

Cell = object
"""The value of a cell: a text, number, boolean, date, time, duration, or None."""

_Row = tuple[Cell, ...]


def table_blocks(rows: Iterable[Sequence[Cell]], *, has_header: bool | None = None) -> Iterator[Block]:
    """Yield the rows of a table as blocks, lazily. Empty rows separate the table into parts.

    The form of a row depends on the header of its part:

    - Below a header, a row reads "Kind: salt | Price: 2".
    - Without a header, a row reads "name: value" if the part has two columns. Otherwise commas separate the cells.
    - A part without a header uses the header of the part above it if that header fits.

    Args:
        has_header: True if the first row is the header; False if there is none. If None, a header is detected. It must
            be a row of distinct short texts that is as wide as the rows below it. In a table with two columns, one of
            them must contain no texts below the header. Otherwise the rows are taken for names and values.
    """
    names: _Row = ()
    for part in _parts(rows):
        seen = list(islice(part, _ROWS_SEEN_FOR_A_HEADER + 1))
        at = _header_of(seen) if has_header is None else 0 if has_header and len(seen) > 1 and not names else None
        if at is not None and not all(repeatable(text) == text for text in map(cell_text, seen[at])):
            at = None
        if at is not None:
            names = seen[at]
        elif not (names and _fits(names, seen)):
            names = ()
        before = seen[: at or 0]
        below = seen if at is None else seen[at + 1 :]
        gap = _gap_of(seen)
        is_first = True
        for row_names, row in [*((_Row(), row) for row in before), *((names, row) for row in below)]:
            yield Block(row_line(row, row_names, gap=CELL_GAP if row_names else gap), tight=not is_first)
            is_first = False
        for row in part:
            yield Block(row_line(row, names, gap=CELL_GAP if names else gap), tight=True)


def repeatable(text: str) -> str:
    """Return a text unchanged if it is short enough to be repeated in several rows; "" otherwise."""
    return text if len(text) <= _LONGEST_COLUMN_NAME_CHARACTERS else ""


def with_one_header(rows: Sequence[Sequence[Cell]], header_rows: int) -> Sequence[Sequence[Cell]]:
    """Return the rows with their header rows merged into one, which joins the distinct texts above each column."""
    return [_joined(rows[:header_rows]), *rows[header_rows:]] if header_rows > 1 else rows


def _joined(rows: Sequence[Sequence[Cell]]) -> list[str]:
    widest = max(map(len, rows), default=0)
    columns = [[cell_text(row[place]) for row in rows if place < len(row)] for place in range(widest)]
    return [" ".join(dict.fromkeys(filter(None, texts))) for texts in columns]


def row_line(row: Sequence[Cell], names: Sequence[Cell] = (), *, gap: str = CELL_GAP) -> str:
    """Return a row as a line such as "Kind: salt | Price: 2".

    A cell is shown without a column name if its column has none, or if it is the only filled cell in the row.
    """
    texts: list[str] = []
    if len(names) > 1 and _filled(row) == 1:
        names = ()
    for place, cell in enumerate(row):
        if text := cell_text(cell):
            name = cell_text(names[place]) if place < len(names) else ""
            texts.append(f"{name}: {text}" if name else text)
    return gap.join(texts)


def cell_text(cell: Cell) -> str:
    """Return a cell as one line of text. Dates are in ISO 8601; numbers have up to 15 digits, as in spreadsheets."""
    match cell:
        case None:
            return ""
        case str():
            return " ".join(cell.split())
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


def _parts(rows: Iterable[Sequence[Cell]]) -> Iterator[Iterator[_Row]]:
    """Yield each sequence of consecutive non-empty rows, lazily. Read each to its end before asking for the next."""
    following = iter(rows)

    def part(first: _Row) -> Iterator[_Row]:
        yield first
        for row in following:
            if _filled(row) == 0:
                return
            yield tuple(row)

    for row in following:
        if _filled(row):
            yield part(tuple(row))


def _header_of(rows: Sequence[_Row]) -> int | None:
    """Return the index of the header among the first rows of a part; None if there is no header.

    The header is the first row of distinct short texts with a number or a date directly below one of them. If there is
    no such row, the first row is the header if it names at least three columns.
    """
    widest = max(map(_filled, rows))
    if _has_corner(rows):
        return 0
    may_be = [place for place, row in enumerate(rows[:-1]) if _filled(row) + 1 >= widest and _names(row)]
    for place in may_be:
        names, below = _names(rows[place]), rows[place + 1 :]
        typed = [column for column in names if _is_typed(below[:1], column)]
        if typed and (len(names) > 2 or any(_is_typed(below, column) for column in typed)):
            return place
    return 0 if may_be[:1] == [0] and len(_names(rows[0])) > 2 else None


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
        and all(isinstance(row[0], str) and cell_text(row[0]) and not _is_number(row[0]) for row in below)
        and any(_filled(row) > 1 for row in below)
    )


def _names(row: _Row) -> dict[int, str]:
    """Return a map from column to text for a row that can be a header; {} for any other row."""
    names = {place: cell_text(cell) for place, cell in enumerate(row) if cell_text(cell)}
    are_texts = all(isinstance(row[place], str) and not _is_number(name) for place, name in names.items())
    are_short = all(len(name) <= _LONGEST_COLUMN_NAME_CHARACTERS for name in names.values())
    are_distinct = len({name.casefold() for name in names.values()}) == len(names)
    return names if len(names) > 1 and are_texts and are_short and are_distinct else {}


def _is_typed(rows: Sequence[_Row], column: int) -> bool:
    cells = [row[column] for row in rows if column < len(row) and cell_text(row[column])]
    return bool(cells) and not any(isinstance(cell, str) and not _is_number(cell) for cell in cells)


def _fits(names: _Row, rows: Sequence[_Row]) -> bool:
    """Return True if some rows may belong to the header of the part above, because it names each of their columns."""
    if max(map(_filled, rows)) < 2:
        return False
    return all(
        place < len(names) and (place == 0 or cell_text(names[place]))
        for row in rows
        for place, cell in enumerate(row)
        if cell_text(cell)
    )


def _gap_of(rows: Sequence[_Row]) -> str:
    columns = {place for row in rows for place, cell in enumerate(row) if cell is not None and cell_text(cell)}
    return ": " if len(columns) == 2 else ", "


def _filled(row: Sequence[Cell]) -> int:
    return sum(1 for cell in row if cell is not None and cell_text(cell))


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
        if self.header_rows == len(self.rows) and is_header and sum(bool(cell.text) for cell in cells) > 1:
            self.header_rows += 1
        self.rows.append(cells)

    def blocks(self) -> Iterator[Block]:
        """Yield a block for each row, which repeats the column names if there is a header."""
        grid = _grid(self.rows)
        if 0 < self.header_rows < len(grid):
            yield from table_blocks(with_one_header(grid, self.header_rows), has_header=True)
        else:
            yield from table_blocks(grid, has_header=False)


def _grid(rows: Sequence[Sequence[TableCell]]) -> list[list[str]]:
    """Return the text at each position of a table, as a list of rows.

    A cell that spans several rows is repeated in each of them. The text of a cell that spans several columns is placed
    in the first of them or, if it is a header, in each of them.
    """
    grid: list[list[str]] = []
    left = _MOST_SPANNED_CELLS
    continued: dict[int, tuple[str, int]] = {}
    for cells in rows:
        row: list[str] = []
        for cell in [*cells, None]:
            while len(row) in continued:
                text, rows_left = continued.pop(len(row))
                left -= 1
                if rows_left > 1 and left > 0:
                    continued[len(row)] = (text, rows_left - 1)
                row.append(text)
            if cell is None:
                break
            columns = max(1, min(cell.columns, MOST_TABLE_COLUMNS - len(row), left))
            left -= columns - 1
            for number in range(columns):
                text = cell.text if cell.is_header or not number else ""
                if cell.rows > 1:
                    continued[len(row)] = (repeatable(text), cell.rows - 1)
                row.append(text)
        grid.append(row)
    return grid
