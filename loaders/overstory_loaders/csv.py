"""Tables as text (CSV, TSV): one document per row."""

from __future__ import annotations

from collections.abc import Iterator

from overstory.errors import BrokenSource
from overstory.model import Annotation, Document
from overstory.model.metadata import value_of
from overstory.protocols import OnBroken
from overstory_loaders.files import address, empty, has_suffix
from overstory_loaders.graph_tables import is_table_of_graph
from overstory_loaders.records import Fields, Record, documents
from overstory_loaders.tables import (
    SHOWN_CHARACTERS,
    TABLE_SUFFIXES,
    CountedLines,
    TableHeader,
    table_cells,
    table_header,
    table_lines,
    table_rows,
)

SUFFIXES = TABLE_SUFFIXES


class CsvLoader:
    """Tables with a header line; the delimiter is the one that makes a text column of the header."""

    name = "csv"

    def recognises(self, source: str) -> bool:
        """By name: `.csv` and `.tsv`, optionally compressed; not the tables of a graph."""
        return has_suffix(source, SUFFIXES) and not is_table_of_graph(source)

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Annotation]:
        """One document per row; column names are those of the fields of JSON lines, see `records.Fields`."""
        yield from documents(_records(source, on_broken), source=address(source), fields=Fields(), on_broken=on_broken)


def _records(source: str, on_broken: OnBroken) -> Iterator[Record]:
    typed = _typed_columns(source)
    lines = table_lines(source, on_broken)
    header = _header(lines, source)
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
    """The columns all of whose cells are numbers, or are true or false: what else is guessed of single cells is wrong
    for some. A number that would lose digits, as "007" and "1.10", is none. The file is read once for it; rows that
    are broken say so when they are read again."""
    lines = table_lines(source, _say_nothing)
    header = _header(lines, source)
    parts = {name for names in (Fields().text, Fields().title, Fields().id) for name in names}
    types: dict[str, type | None] = {name: None for name in header.names if name and name.casefold() not in parts}
    for row, place in table_rows(lines, header.delimiter, source, _say_nothing):
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


def _say_nothing(error: BrokenSource) -> None:
    del error


def _header(lines: CountedLines, source: str) -> TableHeader:
    """The first line that is not blank, split by the delimiter that gives the most columns, one of them a text.

    The usual statistics over the first rows fall for commas in the texts; a header has none.
    """
    header, place = table_header(lines, source, _has_text)
    if not _has_text(header.names):
        raise place.broken(
            f"has no text column: its columns are {', '.join(header.names)[:SHOWN_CHARACTERS]}",
            remedy=f"Rename the one that holds the text to {Fields().text[0]!r}, or add a header if this is none.",
        )
    return header


def _has_text(names: tuple[str, ...]) -> bool:
    return any(name.casefold() in Fields().text for name in names)
