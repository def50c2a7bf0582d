"""Tables inside documents as text: one line per row, each cell with its column name.

A long table is split into passages between its rows. Each row repeats the header, so that "Price: 2" is found in any
row. Empty cells are left out.
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
"""Rows that are examined to find a header, including captions before it."""

MOST_TABLE_COLUMNS = 1_000
"""Maximum columns or rows that a cell spans, as in browsers."""
_MOST_SPANNED_CELLS = 1_000_000
"""Maximum number of table positions filled by spanning cells; beyond it, each cell takes one position."""

Cell = object
"""A text, number, boolean, date, time, or None."""

_Row = tuple[Cell, ...]


def table_blocks(rows: Iterable[Sequence[Cell]], *, has_header: bool | None = None) -> Iterator[Block]:
    """Yield the rows of a table as blocks, lazily. Empty rows separate the table into parts.

    A row below a header reads "Kind: salt | Price: 2". Without a header it reads "name: value" in a part of two
    columns, otherwise the cells are separated by commas. A part without a header takes over the header of the part
    above.

    Args:
        has_header: whether the first row is the header. None detects it: a row of distinct short texts, as wide as the
            rows below. With two columns, one must have no texts below the header, or the rows are names and values.
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
    """Return a text that is repeated in several rows; "" if it is too long to repeat."""
    return text if len(text) <= _LONGEST_COLUMN_NAME_CHARACTERS else ""


def with_one_header(rows: Sequence[Sequence[Cell]], header_rows: int) -> Sequence[Sequence[Cell]]:
    """Return the rows with several header rows merged into one: the distinct texts of each column."""
    return [_joined(rows[:header_rows]), *rows[header_rows:]] if header_rows > 1 else rows


def _joined(rows: Sequence[Sequence[Cell]]) -> list[str]:
    widest = max(map(len, rows), default=0)
    columns = [[cell_text(row[place]) for row in rows if place < len(row)] for place in range(widest)]
    return [" ".join(dict.fromkeys(filter(None, texts))) for texts in columns]


def row_line(row: Sequence[Cell], names: Sequence[Cell] = (), *, gap: str = CELL_GAP) -> str:
    """Return a row as a line: "Kind: salt | Price: 2". Cells without a column name, and a single cell, stand alone."""
    texts: list[str] = []
    if len(names) > 1 and _filled(row) == 1:
        names = ()
    for place, cell in enumerate(row):
        if text := cell_text(cell):
            name = cell_text(names[place]) if place < len(names) else ""
            texts.append(f"{name}: {text}" if name else text)
    return gap.join(texts)


def cell_text(cell: Cell) -> str:
    """Return a cell on one line: dates in ISO 8601, numbers with 15 digits as in spreadsheets."""
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
    """Yield runs of non-empty rows, lazily; each must be read to its end before the next."""
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
    """Return the index of the header among the first rows of a part, or None.

    It is the first candidate with a number or a date right below it, else the first row if it names at least three
    columns.
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
    """Return True if the first row names all columns but the first one, which names the rows."""
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
    """Return the texts of a row by column; {} if the row cannot be a header."""
    names = {place: cell_text(cell) for place, cell in enumerate(row) if cell_text(cell)}
    are_texts = all(isinstance(row[place], str) and not _is_number(name) for place, name in names.items())
    are_short = all(len(name) <= _LONGEST_COLUMN_NAME_CHARACTERS for name in names.values())
    are_distinct = len({name.casefold() for name in names.values()}) == len(names)
    return names if len(names) > 1 and are_texts and are_short and are_distinct else {}


def _is_typed(rows: Sequence[_Row], column: int) -> bool:
    """Return True if a column has values and none of them is text."""
    cells = [row[column] for row in rows if column < len(row) and cell_text(row[column])]
    return bool(cells) and not any(isinstance(cell, str) and not _is_number(cell) for cell in cells)


def _fits(names: _Row, rows: Sequence[_Row]) -> bool:
    """Return True if rows may belong to the header of the part above: each cell has a column name there."""
    if max(map(_filled, rows)) < 2:
        return False
    return all(
        place < len(names) and (place == 0 or cell_text(names[place]))
        for row in rows
        for place, cell in enumerate(row)
        if cell_text(cell)
    )


def _gap_of(rows: Sequence[_Row]) -> str:
    """Return the separator of cells without a header: a colon for two columns, otherwise a comma."""
    columns = {place for row in rows for place, cell in enumerate(row) if cell is not None and cell_text(cell)}
    return ": " if len(columns) == 2 else ", "


def _filled(row: Sequence[Cell]) -> int:
    return sum(1 for cell in row if cell is not None and cell_text(cell))


def _is_number(text: str) -> bool:
    """Return True if a text is a number, for tables whose cells are all texts, as on slides."""
    return text.strip(" %€$£+-").replace(",", "").replace(".", "").replace(" ", "").isdecimal()


def _hours(duration: timedelta) -> str:
    seconds = int(duration.total_seconds())
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


@dataclass(slots=True)
class TableCell:
    """A cell, and the number of columns and rows it spans."""

    text: str
    columns: int
    rows: int
    is_header: bool


@dataclass(slots=True)
class DataTable:
    """Rows of a data table, and the number of header rows."""

    rows: list[list[TableCell]] = field(default_factory=list[list[TableCell]])
    header_rows: int = 0
    in_head: bool = False

    def end_row(self, cells: list[TableCell]) -> None:
        is_header = self.in_head or all(cell.is_header for cell in cells)
        if self.header_rows == len(self.rows) and is_header and sum(bool(cell.text) for cell in cells) > 1:
            self.header_rows += 1
        self.rows.append(cells)

    def blocks(self) -> Iterator[Block]:
        """Yield a block per row, which repeats the header if there is one."""
        grid = _grid(self.rows)
        if 0 < self.header_rows < len(grid):
            yield from table_blocks(with_one_header(grid, self.header_rows), has_header=True)
        else:
            yield from table_blocks(grid, has_header=False)


def _grid(rows: Sequence[Sequence[TableCell]]) -> list[list[str]]:
    """Return the texts by row and column.

    A cell that spans rows is repeated in each row. A cell that spans columns is in the first, or in each if it is a
    header.
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
