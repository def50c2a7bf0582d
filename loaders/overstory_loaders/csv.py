"""Tables as text (CSV, TSV): one document per row."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from overstory.errors import BrokenSource
from overstory.model import Annotation, Document
from overstory.protocols import OnBroken
from overstory_loaders.cleaning import clean_title
from overstory_loaders.files import address, empty, has_suffix
from overstory_loaders.lines import LINE_LIMIT, Line, bad_byte, not_utf8, read_lines
from overstory_loaders.place import Place
from overstory_loaders.records import Fields, Record, documents

SUFFIXES = (".csv", ".tsv")
DELIMITERS = (",", ";", "\t", "|")
_QUOTE = 'Put texts with delimiters, quotes or line ends in quotes, and double the quotes inside: "like ""this""".'
_SHOWN = 200


class CsvLoader:
    """Tables with a header line; the delimiter is the one that makes a text column of the header."""

    name = "csv"

    def recognises(self, source: str) -> bool:
        """By name: `.csv` and `.tsv`, optionally compressed."""
        return has_suffix(source, SUFFIXES, compressed=True)

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Annotation]:
        """One document per row; column names are those of the fields of JSON lines, see `records.Fields`."""
        yield from documents(_records(source, on_broken), source=address(source), fields=Fields(), on_broken=on_broken)


LINES_A_ROW = 100_000
"""More lines are no cell: a quote was never closed, and the rest of the file would be read as one."""


@dataclass(frozen=True, slots=True)
class _Header:
    delimiter: str
    names: tuple[str, ...]


class _OpenQuoteError(csv.Error):
    """A row has so many lines that a quote in it was never closed."""


class _CountedLines(Iterator[str]):
    """The texts of lines, with the number of the last one: `csv` does not count those that were left out.

    Attributes:
        number: of the last line, counted from 1.
        filled: how many lines were not blank so far.
        of_row: how many lines the row has that is being read.
    """

    def __init__(self, lines: Iterator[Line]) -> None:
        self._lines = lines
        self.number = 0
        self.filled = 0
        self.of_row = 0

    def __next__(self) -> str:
        line = next(self._lines)
        self.of_row += 1
        if self.of_row > LINES_A_ROW:
            raise _OpenQuoteError
        self.number = line.number
        self.filled += not line.text.isspace()
        return line.text


def _records(source: str, on_broken: OnBroken) -> Iterator[Record]:
    # The cell limit applies to the whole process; its default, 128 KiB, is too small for documents. Only raise it.
    csv.field_size_limit(max(csv.field_size_limit(), LINE_LIMIT))
    lines = _CountedLines(read_lines(source, on_broken=on_broken))
    header = _header(lines, source)
    for row, place in _rows(lines, header.delimiter, source, on_broken):
        try:
            cells = _cells(header, row, place)
        except BrokenSource as error:
            on_broken(error)
        else:
            yield Record(place, cells)
    if lines.filled == 1:
        raise empty(source, "it has a header and no rows")


def _header(lines: _CountedLines, source: str) -> _Header:
    """The first line that is not blank, split by the delimiter that gives the most columns, one of them a text.

    The usual statistics over the first rows fall for commas in the texts; a header has none.
    """
    line = next((line for line in lines if line.strip()), None)
    if line is None:
        raise empty(source)
    place = Place(source, lines.number)
    if (bad := bad_byte(line)) is not None:
        raise not_utf8(place, bad)
    splits = [_Header(delimiter, _names(line, delimiter)) for delimiter in DELIMITERS]
    header = max(splits, key=lambda split: (_has_text(split.names), len(split.names)))
    if not _has_text(header.names):
        raise place.broken(
            f"has no text column: its columns are {', '.join(header.names)[:_SHOWN]}",
            remedy=f"Rename the one that holds the text to {Fields().text[0]!r}, or add a header if this is none.",
        )
    twice = [name for name, count in Counter(header.names).items() if name and count > 1]
    if twice:
        raise place.broken(f"has two columns {twice[0]!r}", remedy="Rename one of them.")
    return header


def _names(line: str, delimiter: str) -> tuple[str, ...]:
    try:
        return tuple(clean_title(name) for name in next(csv.reader([line], delimiter=delimiter)))
    except csv.Error:  # a quoted name with a line end in it, or no table at all
        return ()


def _has_text(names: tuple[str, ...]) -> bool:
    return any(name.casefold() in Fields().text for name in names)


def _rows(lines: _CountedLines, delimiter: str, source: str, on_broken: OnBroken) -> Iterator[tuple[list[str], Place]]:
    """The rows that are not blank, each with its first line."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        place = Place(source, lines.number + 1)
        lines.of_row = 0
        try:
            row = next(reader)
        except StopIteration:
            return
        except _OpenQuoteError:
            on_broken(
                place.broken(
                    f"has a quote that is not closed within {LINES_A_ROW:,} lines: nothing from here on was read",
                    remedy=_QUOTE,
                )
            )
            return
        except csv.Error as error:
            on_broken(place.broken(f"is not a valid table row: {error}", remedy=_QUOTE))
            continue
        if row:
            yield row, place


def _cells(header: _Header, row: list[str], place: Place) -> dict[str, object]:
    """The cells by name; those of columns without a name, such as the row numbers that pandas writes, left out.

    Raises:
        BrokenSource: there are more or fewer than columns, or one is not UTF-8.
    """
    if len(row) != len(header.names):
        raise place.broken(
            f"has {len(row)} {'cell' if len(row) == 1 else 'cells'} where the header has {len(header.names)}",
            remedy=_QUOTE,
        )
    for name, cell in zip(header.names, row, strict=True):
        if (bad := bad_byte(cell)) is not None:
            raise not_utf8(place, f"{bad} of {name!r}")
    return {name: cell for name, cell in zip(header.names, row, strict=True) if name and cell}
