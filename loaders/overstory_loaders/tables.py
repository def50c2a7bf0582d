"""Reads tables in text files row by row. Their first line is a header."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from overstory.protocols import OnBroken
from overstory_loaders.blocks import clean_title
from overstory_loaders.files import empty
from overstory_loaders.place import Place
from overstory_loaders.text_encoding import LINE_CHARACTER_LIMIT, NumberedLine, bad_byte, not_utf8, read_lines

TABLE_SUFFIXES = (".csv", ".tsv")
DELIMITERS = (",", ";", "\t", "|")
QUOTE = 'Put texts with delimiters, quotes or line ends in quotes, and double the quotes inside: "like ""this""".'
SHOWN_CHARACTERS = 200

_NAMED_DELIMITER = re.compile(r'\ufeff?"?sep=([^\w\s"]|\t)"?', re.IGNORECASE)

_LINES_A_ROW = 100_000
"""Maximum number of lines in a row. If there are more, a quote was never closed and would swallow the rest of the file.
"""


@dataclass(frozen=True, slots=True)
class TableHeader:
    """The delimiter of a table, and its column names."""

    delimiter: str
    names: tuple[str, ...]


class _OpenQuoteError(csv.Error):
    """A row has too many lines, which means that a quote was never closed."""


class CountedLines(Iterator[str]):
    """Yields lines and keeps track of line numbers, because `csv` does not count lines that were skipped.

    Attributes:
        number: number of the last line, counted from 1.
        filled: number of lines so far that were not blank, and named no delimiter.
        of_row: number of lines in the current row.
    """

    def __init__(self, lines: Iterator[NumberedLine]) -> None:
        self._lines = lines
        self.number = 0
        self.filled = 0
        self.of_row = 0

    def __next__(self) -> str:
        line = next(self._lines)
        self.of_row += 1
        if self.of_row > _LINES_A_ROW:
            raise _OpenQuoteError
        self.number = line.number
        self.filled += not line.text.isspace()
        return line.text


def table_lines(source: str, on_broken: OnBroken) -> CountedLines:
    """Return the lines of a table. A cell may be as long as `LINE_CHARACTER_LIMIT`."""
    # The default of 128 KiB is too small for documents. The limit is never lowered, because it applies to the process.
    csv.field_size_limit(max(csv.field_size_limit(), LINE_CHARACTER_LIMIT))
    return CountedLines(read_lines(source, on_broken=on_broken))


def table_header(
    lines: CountedLines, source: str, fits: Callable[[tuple[str, ...]], bool]
) -> tuple[TableHeader, Place]:
    """Return the header in the first line that is not blank, together with its position.

    A line such as "sep=;" above it, as Excel writes, names the delimiter. If there is none, the delimiter is one that
    splits the header into column names for which `fits` returns True or else the one that splits it into the most
    columns.

    Raises:
        BrokenSource: the table is empty, or the header is not UTF-8 or contains a column name twice.
    """
    delimiters: Sequence[str] = DELIMITERS
    line = _first_line(lines, source)
    if named := _NAMED_DELIMITER.fullmatch(line.strip(" \r\n")):
        delimiters = (named[1],)
        lines.filled -= 1
        line = _first_line(lines, source)
    place = Place(source, lines.number)
    if (bad := bad_byte(line)) is not None:
        raise not_utf8(place, bad)
    splits = [TableHeader(delimiter, column_names(line, delimiter)) for delimiter in delimiters]
    header = max(splits, key=lambda split: (fits(split.names), len(split.names)))
    twice = [name for name, count in Counter(header.names).items() if name and count > 1]
    if twice and fits(header.names):
        raise place.broken(f"has two columns {twice[0]!r}", remedy="Rename one of them.")
    return header, place


def _first_line(lines: CountedLines, source: str) -> str:
    """Return the next line that is not blank."""
    line = next((line for line in lines if line.strip()), None)
    if line is None:
        raise empty(source)
    return line


def column_names(line: str, delimiter: str) -> tuple[str, ...]:
    """Return the column names in a line; () if it cannot be a header."""
    try:
        return tuple(clean_title(name) for name in next(csv.reader([line], delimiter=delimiter)))
    except csv.Error:  # a quoted name contains a line break, or the file is not a table
        return ()


def table_rows(
    lines: CountedLines, delimiter: str, source: str, on_broken: OnBroken
) -> Iterator[tuple[list[str], Place]]:
    """Yield each row that is not blank, with the position of its first line."""
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
                    f"has a quote that is not closed within {_LINES_A_ROW:,} lines: the rest of the file was not read",
                    remedy=QUOTE,
                )
            )
            return
        except csv.Error as error:
            on_broken(place.broken(f"is not a valid table row: {error}", remedy=QUOTE))
            continue
        if row:
            yield row, place


def table_cells(header: TableHeader, row: list[str], place: Place) -> dict[str, object]:
    """Return the cells of a row by column name. Columns without a name, such as row numbers from pandas, are left out.

    Raises:
        BrokenSource: the number of cells differs from that in the header, or a cell is not UTF-8.
    """
    if len(row) != len(header.names):
        raise place.broken(
            f"has {len(row)} {'cell' if len(row) == 1 else 'cells'} where the header has {len(header.names)}",
            remedy=QUOTE,
        )
    for name, cell in zip(header.names, row, strict=True):
        if (bad := bad_byte(cell)) is not None:
            raise not_utf8(place, f"{bad} of {name!r}")
    return {name: cell for name, cell in zip(header.names, row, strict=True) if name and cell}
