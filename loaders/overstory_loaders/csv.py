"""Loads CSV and TSV tables: one document per row if there is a text column, otherwise one document per table."""

from __future__ import annotations

from collections.abc import Iterator

from overstory.errors import BrokenSource
from overstory.model import Annotation, Document
from overstory.model.metadata import value_of
from overstory.protocols import OnBroken
from overstory_loaders.blocks import clean_title, join_blocks
from overstory_loaders.files import address, empty, has_suffix, stem
from overstory_loaders.graph_tables import is_table_of_graph
from overstory_loaders.records import ROWS, Fields, Record, documents
from overstory_loaders.table_text import table_blocks
from overstory_loaders.tables import (
    TABLE_SUFFIXES,
    table_cells,
    table_header,
    table_lines,
    table_rows,
)
from overstory_loaders.text_encoding import bad_byte, not_utf8

SUFFIXES = TABLE_SUFFIXES


class CsvLoader:
    """Loader for tables with a header line.

    The delimiter is detected: it is the one that splits the header into columns that include a text column or, if
    there is none, into the most columns.
    """

    name = "csv"

    def recognises(self, source: str) -> bool:
        """Return True for CSV and TSV files, compressed or not, unless they are the tables of a graph."""
        return has_suffix(source, SUFFIXES) and not is_table_of_graph(source)

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Annotation]:
        """Yield one document per row, or one document for the entire table if no column contains texts.

        `records.Fields` lists the column names that are recognised.
        """
        header, _ = table_header(table_lines(source, _ignore), source, _has_text)
        if not _has_text(header.names):
            yield _sheet(source, on_broken)
            return
        yield from documents(_records(source, on_broken), source=address(source), fields=ROWS, on_broken=on_broken)


def _records(source: str, on_broken: OnBroken) -> Iterator[Record]:
    typed = _typed_columns(source)
    lines = table_lines(source, on_broken)
    header, _ = table_header(lines, source, _has_text)
    for row, place in table_rows(lines, header.delimiter, source, on_broken):
        try:
            cells = table_cells(header, row, place)
        except BrokenSource as error:
            on_broken(error)
        else:
            yield Record(place, {name: value_of(str(cell)) if name in typed else cell for name, cell in cells.items()})
    if lines.filled == 1:
        raise empty(source, "it has a header and no rows")


def _typed_columns(source: str) -> set[str]:
    """Return the names of the columns whose cells are all numbers, or all true or false.

    A number that would lose digits, such as "007" or "1.10", counts as text. Broken rows are ignored here, because they
    are reported when the table is read again.
    """
    lines = table_lines(source, _ignore)
    header, _ = table_header(lines, source, _has_text)
    parts = {name for names in (Fields().text, Fields().title, Fields().id) for name in names}
    types: dict[str, type | None] = {name: None for name in header.names if name and name.casefold() not in parts}
    for row, place in table_rows(lines, header.delimiter, source, _ignore):
        if not types:
            return set()
        try:
            cells = table_cells(header, row, place)
        except BrokenSource:
            continue
        for name in types.keys() & cells.keys():
            kind = _kind(str(cells[name]))
            if kind is None or types[name] not in (None, kind):
                del types[name]
            else:
                types[name] = kind
    return {name for name, kind in types.items() if kind is not None}


def _kind(cell: str) -> type | None:
    value = value_of(cell)
    if isinstance(value, bool):
        return bool
    return float if isinstance(value, int | float) else None


def _ignore(error: BrokenSource) -> None:
    del error


def _sheet(source: str, on_broken: OnBroken) -> Document:
    """Return one document for a table without a text column. Each row repeats the column names."""
    lines = table_lines(source, on_broken)
    header, _ = table_header(lines, source, _has_text)

    read = 0

    def rows() -> Iterator[tuple[str, ...]]:
        nonlocal read
        yield header.names
        for row, place in table_rows(lines, header.delimiter, source, on_broken):
            if (bad := next(filter(None, map(bad_byte, row)), None)) is not None:
                on_broken(not_utf8(place, bad))
            else:
                read += 1
                yield tuple(row)

    text = join_blocks(table_blocks(rows()), source=source).text
    if lines.filled == 1:
        raise empty(source, "it has a header and no rows")
    if not read:
        raise empty(source, "none of its rows can be read")
    return Document(source=address(source), source_key="", text=text, title=clean_title(stem(source, SUFFIXES)))


def _has_text(names: tuple[str, ...]) -> bool:
    return any(name.casefold() in Fields().text for name in names)
