"""Reads tables from passages: rows such as "Name: Ada | City: Ulm", and tables in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from overstory.model.passage_text import PATH_SEPARATOR

CELL_GAP = " | "
"""Text between two cells of a row. Loaders write it; see `overstory_loaders.table_text`."""

_NAME_END = ": "
_LONGEST_COLUMN_NAME_CHARACTERS = 100
_LEAST_NAMED_SHARE = 0.5  # minimum share of a row's cells that begin with a column name
_LEAST_COMMON_SHARE = 0.5
"""Minimum share of a row's columns that a table must have for the row to belong to it. Empty cells are left out of
rows, so two rows of a table may differ. After other text, more than this share is necessary."""
_LEAST_KEYS_SHARE = 0.8
_TOTALS = frozenset({"total", "totals", "grand total", "subtotal", "sum", "gesamt", "summe", "gesamtsumme"}) | {
    *("zwischensumme", "total général", "sous-total", "somme", "suma", "total general"),
}
"""Texts in the first cell of a row that adds up other rows. Such rows are left out."""
_RULE = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?")


class PassageText(NamedTuple):
    """A passage of a document.

    Attributes:
        seq: number of the passage in its document, from 0.
    """

    chunk: str
    seq: int
    heading: str
    text: str


class TableRow(NamedTuple):
    """A row of a table.

    Attributes:
        chunks: ids of the passages that contain the row. A row may continue in the next passage.
        cells: map from column name to text, without empty cells. An unnamed column has the name "".
        line: the row as text.
    """

    chunks: tuple[str, ...]
    cells: Mapping[str, str]
    line: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a document.

    Attributes:
        heading: the heading path above the table. For a workbook, it is the name of the sheet.
        columns: names of the columns that are filled in at least one row, in order.
        also: title and heading of the table that was joined to this one; "" if there is none.
    """

    title: str
    heading: str
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    document: str = ""
    also: str = ""

    @property
    def name(self) -> str:
        """The title and the heading, such as "staff › Sheet1"."""
        own = PATH_SEPARATOR.join(dict.fromkeys(filter(None, (self.title, self.heading))))
        return f"{own} with {self.also}" if self.also else own


def tables_in(passages: Iterable[PassageText], *, title: str = "", document: str = "") -> list[Table]:
    """Return the tables in passages of a document, in the order of the text.

    Rows with totals are left out. Rows below the same heading belong to one table if at least half of their columns are
    the same. If other text stands between them, it must be more than half.

    Args:
        passages: passages in the order of the text. Some may be missing: a row that was cut there is left out.
    """
    found: list[_Growing] = []
    markdown: tuple[str, ...] | None = None
    before: _TableLine | None = None
    follows = False
    for line in _lines(passages):
        text = line.text.strip()
        if _RULE.fullmatch(text) and "|" in text and before is not None:
            markdown = _split(before.text)
        elif markdown is not None and "|" in text:
            cells = dict(zip(markdown, _split(text), strict=False))
            _add(found, line, {name: cell for name, cell in cells.items() if cell}, follows=True)
        else:
            markdown = None
            if cells := row_cells(line.text):
                _add(found, line, cells, follows=follows)
            follows = bool(cells)
        before = line
    return [each.table(title, document) for each in found if each.rows]


def row_cells(line: str) -> dict[str, str]:
    """Return the cells of a row such as "Name: Ada | City: Ulm" by column name; {} for any other line.

    A part without a column name continues the cell before it. Only the first cell may have no column name.
    """
    parts = line.strip().split(CELL_GAP)
    if len(parts) < 2:
        return {}
    cells: dict[str, str] = {}
    named = 0
    last = ""
    for part in parts:
        name, end, text = part.partition(_NAME_END)
        if end and name and text and len(name) <= _LONGEST_COLUMN_NAME_CHARACTERS and name not in cells:
            cells[name] = text.strip()
            last = name
            named += 1
        elif cells:
            cells[last] += CELL_GAP + part
        else:
            cells[""] = part.strip()
    return cells if named and named >= _LEAST_NAMED_SHARE * len(parts) else {}


class _TableLine(NamedTuple):
    chunks: tuple[str, ...]
    heading: str
    text: str


@dataclass(slots=True)
class _Growing:
    heading: str
    columns: dict[str, None]
    rows: list[TableRow]

    def fits(self, heading: str, cells: Mapping[str, str], *, follows: bool) -> bool:
        common = sum(name in self.columns for name in cells) / max(1, len(cells))
        enough = common >= _LEAST_COMMON_SHARE if follows else common > _LEAST_COMMON_SHARE
        return heading == self.heading and enough

    def table(self, title: str, document: str) -> Table:
        return Table(title, self.heading, tuple(self.columns), tuple(self.rows), document)


def _add(tables: list[_Growing], line: _TableLine, cells: Mapping[str, str], *, follows: bool) -> None:
    table = next((each for each in reversed(tables) if each.fits(line.heading, cells, follows=follows)), None)
    if table is None:
        table = _Growing(line.heading, {}, [])
        tables.append(table)
    if next(iter(cells.values()), "").rstrip(":").casefold() in _TOTALS:
        return
    table.columns |= dict.fromkeys(cells)
    table.rows.append(TableRow(line.chunks, cells, line.text.strip()))


def _lines(passages: Iterable[PassageText]) -> Iterator[_TableLine]:
    """Yield the lines of passages. A line that was cut between two passages is joined again."""
    cut: tuple[_TableLine, int] | None = None
    for passage in passages:
        lines = passage.text.split("\n")
        if cut is not None:
            line, seq = cut
            if passage.seq == seq + 1 and passage.heading == line.heading:
                joined = _TableLine((*line.chunks, passage.chunk), line.heading, line.text + lines[0])
                lines = lines[1:]
                if not lines:
                    cut = joined, passage.seq
                    continue
                yield joined
            elif passage.seq == seq + 1:
                yield line
        for text in lines[:-1]:
            yield _TableLine((passage.chunk,), passage.heading, text)
        cut = (_TableLine((passage.chunk,), passage.heading, lines[-1]), passage.seq) if lines[-1] else None
    if cut is not None:
        yield cut[0]


def _split(line: str) -> tuple[str, ...]:
    return tuple(cell.strip(" \t`*") for cell in line.strip().strip("|").split("|"))


def joined_tables(left: Table, right: Table) -> Table | None:
    """Return two tables joined on a key of the second; None if the first has no column with such keys.

    A key is a column of `right` with distinct texts. The column of `left` has the same name, or at least four fifths of
    its texts are keys. A row without a partner is left out. If both tables have a column, the text in `left` is kept,
    unless it is the code that was looked up in `right`.
    """
    keys = {column: by_key for column in right.columns if (by_key := _by_key(right.rows, column))}
    for column in left.columns:
        texts = {row.cells[column].casefold() for row in left.rows if column in row.cells}
        for key, by_key in keys.items():
            common = sum(text in by_key for text in texts)
            if common and (column == key or (len(texts) > 1 and common >= _LEAST_KEYS_SHARE * len(texts))):
                rows = tuple(_joined_rows(left.rows, column, by_key, {key} if column != key else frozenset()))
                columns = tuple(dict.fromkeys(name for row in rows for name in row.cells))
                return Table(left.title, left.heading, columns, rows, left.document, also=right.name)
    return None


def _by_key(rows: Sequence[TableRow], key: str) -> dict[str, TableRow]:
    """Return the rows by their text in a column; {} if it contains numbers, or if two rows have the same text."""
    found: dict[str, TableRow] = {}
    for row in rows:
        text = row.cells.get(key, "").casefold()
        if text in found or text.replace(".", "").replace(",", "").isdecimal():
            return {}
        if text:
            found[text] = row
    return found


def _joined_rows(
    rows: Iterable[TableRow], column: str, by_key: Mapping[str, TableRow], hidden: Set[str]
) -> Iterator[TableRow]:
    """Yield the rows with the cells of their partners, except those in `hidden` columns."""
    for row in rows:
        other = by_key.get(row.cells.get(column, "").casefold())
        if other is not None:
            chunks = tuple(dict.fromkeys((*row.chunks, *other.chunks)))
            cells = {name: cell for name, cell in other.cells.items() if name not in hidden}
            own = {name: cell for name, cell in row.cells.items() if name not in cells or name != column}
            yield TableRow(chunks, {**cells, **own}, row.line)
