"""Loads spreadsheets (XLSX)."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, cast
from xml.sax.saxutils import quoteattr
from zipfile import ZipFile

from overstory.display import counted, error_text
from overstory.errors import BrokenSource
from overstory.model import Annotation, Document
from overstory.protocols import OnBroken
from overstory_loaders.blocks import Block, clean_title, join_blocks
from overstory_loaders.files import address, empty, missing_extra, open_seekable, stem
from overstory_loaders.metadata import clean_metadata
from overstory_loaders.office_packages import (
    OfficeLoader,
    copied_package,
    office_properties,
    open_office_package,
    pieces_of,
)
from overstory_loaders.packages import PackageKind, has_member, open_member
from overstory_loaders.table_text import Cell, MergedCells, table_blocks
from overstory_loaders.xml_reader import XmlElement, read_tree

if TYPE_CHECKING:
    from openpyxl import Workbook

SUFFIXES = (".xlsx", ".xlsm", ".xltx", ".xltm")
HIDDEN_SHEETS = "hidden_sheets"
_MOST_SHEET_ROWS = 1_048_576
"""Maximum number of rows in a sheet, as in Excel and LibreOffice. A malicious file may declare many more."""
_MOST_SHEET_CELLS = 20_000_000
"""Maximum number of cells in a workbook. Empty cells are included if a filled cell follows in the same row."""
SPLIT_SHEETS = "Split it, or save its sheets as CSV files with a column 'text', which are read row by row."

_MOST_MERGED_CELLS = 100_000
"""Maximum number of merged cells in a sheet. Further ones are not repeated."""
_SHOWN_FORMULAS = 5

_STYLES = "xl/styles.xml"
_SAVE_AGAIN = "Open it in Excel or LibreOffice, and save it as .xlsx without a password."
_KIND = PackageKind("XLSX", _SAVE_AGAIN, "an .xls file from before 2007")


class XlsxLoader(OfficeLoader):
    """Loader for XLSX files, including templates and files with macros.

    The title comes from the properties or, failing that, from the file name.
    """

    name = "xlsx"
    suffixes = SUFFIXES
    old_suffix = ".xls"
    kind = _KIND

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Annotation]:
        """Yield one document with a heading for each sheet and a line for each row.

        Formulas are replaced by the values that the file stores for them, and those without one are reported. A merged
        cell is repeated in its rows. Sheets that cannot be read to the end are reported, and the rows before the error
        are kept.
        """
        with open_seekable(source) as stream, warnings.catch_warnings(), ExitStack() as copies:
            warnings.simplefilter("ignore")  # openpyxl warns about content that it cannot save
            archive, stream = open_office_package(
                stream, source, _KIND, copies, is_streamed=lambda name: "/worksheets/" in name
            )
            properties = office_properties(archive, source)
            book = _opened(archive, stream, source, copies)
            outlined = join_blocks(
                _Sheets(book, archive, source, on_broken).blocks(), source=source, remedy=SPLIT_SHEETS
            )
            hidden = [sheet.title for sheet in book.worksheets if sheet.sheet_state != "visible"]
        if len(outlined.text) <= sum(len(heading.text) + 2 for heading in outlined.headings):
            raise empty(source, "its sheets have no values")
        yield Document(
            source=address(source),
            source_key="",
            text=outlined.text,
            title=clean_title(str(properties.pop("title", ""))) or clean_title(stem(source, SUFFIXES)),
            metadata=clean_metadata({**properties, HIDDEN_SHEETS: hidden or None}, dates_in_text=False).values,
            headings=outlined.headings,
        )


class _Sheets:
    """Reads the sheets of a workbook row by row. `blocks` may be called only once."""

    def __init__(self, book: Workbook, archive: ZipFile, source: str, on_broken: OnBroken) -> None:
        self._book, self._archive, self._source, self._on_broken = book, archive, source, on_broken
        self._cells = 0

    def blocks(self) -> Iterator[Block]:
        for sheet in self._book.worksheets:
            yield Block(sheet.title, level=1)
            try:
                sheet.reset_dimensions()  # the declared size may be wrong
                place = str(cast("Any", sheet)._worksheet_path)  # the types of openpyxl do not declare it
                with open_member(self._archive, place, self._source) as part:
                    layout = _layout_of(part)
                self._report_losses(sheet.title, layout)
                yield from table_blocks(self._rows(sheet.title, sheet.iter_rows(values_only=True), layout))
            except BrokenSource:
                raise
            except Exception as error:  # noqa: BLE001 # openpyxl does not wrap the exceptions of other libraries
                self._on_broken(
                    BrokenSource(
                        f"sheet {sheet.title!r} cannot be read further: {type(error).__name__}: {error_text(error)}",
                        source=self._source,
                        remedy=_SAVE_AGAIN,
                    )
                )

    def _report_losses(self, title: str, layout: _SheetLayout) -> None:
        if layout.formulas:
            shown = ", ".join(layout.shown_formulas) + (", …" if layout.formulas > len(layout.shown_formulas) else "")
            self._on_broken(
                BrokenSource(
                    f"sheet {title!r} stores no value for {counted(layout.formulas, 'formula')}: {shown}",
                    source=self._source,
                    remedy="Open it in Excel or LibreOffice, and save it.",
                )
            )
        if layout.merged_count > _MOST_MERGED_CELLS:
            self._on_broken(
                BrokenSource(
                    f"sheet {title!r} has more than {_MOST_MERGED_CELLS:,} merged cells; the others are not repeated",
                    source=self._source,
                )
            )

    def _rows(self, title: str, rows: Iterator[Sequence[Cell]], layout: _SheetLayout) -> Iterator[Sequence[Cell]]:
        merged = MergedCells()
        for number, row in enumerate(rows, start=1):
            self._cells += len(row)
            if number > _MOST_SHEET_ROWS or self._cells > _MOST_SHEET_CELLS:
                raise BrokenSource(
                    f"has more than {_MOST_SHEET_ROWS:,} rows in its sheet {title!r}, "
                    f"or {_MOST_SHEET_CELLS:,} cells in all",
                    source=self._source,
                    remedy=SPLIT_SHEETS,
                )
            for place, columns, height in layout.merged.get(number, ()):
                merged.add(place, columns, height, row[place] if place < len(row) else None)
            yield merged.filled(list(row))


@dataclass(slots=True)
class _SheetLayout:
    """The merged cells and the formulas of a sheet, which its rows do not show.

    Attributes:
        merged: column, number of columns and number of rows of each merged cell, by its first row, counted from 1.
        formulas: number of formulas without a stored value.
        shown_formulas: addresses of the first of them.
    """

    merged: dict[int, list[tuple[int, int, int]]] = field(default_factory=dict[int, list[tuple[int, int, int]]])
    merged_count: int = 0
    formulas: int = 0
    shown_formulas: list[str] = field(default_factory=list[str])


_SCANNED_BYTES = 2**20
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s+ref=["\x27]([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})["\x27]')
_FORMULA = re.compile(
    rb"<(?:\w+:)?c\s([^<>]*)>\s*<(?:\w+:)?f(?:\s[^<>]*)?(?:/>|>[^<]*</(?:\w+:)?f>)\s*"
    rb"(?:<(?:\w+:)?v\s*/>\s*|<(?:\w+:)?v>\s*</(?:\w+:)?v>\s*)?</(?:\w+:)?c>"
)
"""Matches a cell with a formula and without a value. Its group has the attributes of the cell."""
_OF_TEXT = re.compile(rb"""\bt=["']str["']""")
_ADDRESS = re.compile(rb"""\br=["']([A-Z]+\d+)["']""")
_LAST_START = re.compile(rb".*<(?:\w+:)?(?:c|mergeCell)\s", re.DOTALL)


def _layout_of(part: IO[bytes]) -> _SheetLayout:
    """Scan a sheet for merged cells, which its XML lists below the rows, and for formulas without a value."""
    layout = _SheetLayout()
    before = b""
    while piece := part.read(_SCANNED_BYTES):
        read = before + piece
        found = _LAST_START.match(read)
        cut = read.rindex(b"<", 0, found.end()) if found else len(read)
        before = read[cut:] if len(read) - cut < _SCANNED_BYTES else b""
        _scan(read[:cut], layout)
    _scan(before, layout)
    return layout


def _scan(markup: bytes, layout: _SheetLayout) -> None:
    for found in _FORMULA.finditer(markup):
        if not _OF_TEXT.search(found[1]):  # the stored value of a formula for a text may be empty
            layout.formulas += 1
            address = _ADDRESS.search(found[1])
            if address is not None and len(layout.shown_formulas) < _SHOWN_FORMULAS:
                layout.shown_formulas.append(address[1].decode())
    for found in _MERGED.finditer(markup):
        layout.merged_count += 1
        if layout.merged_count <= _MOST_MERGED_CELLS:
            left, top, right, bottom = _column(found[1]), int(found[2]), _column(found[3]), int(found[4])
            layout.merged.setdefault(top, []).append((left, right - left + 1, bottom - top + 1))


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - ord("A") + 1
    return number - 1


def _opened(archive: ZipFile, stream: IO[bytes], source: str, copies: ExitStack) -> Workbook:
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise missing_extra("office", "openpyxl") from error
    try:
        try:
            return load_workbook(stream, read_only=True, data_only=True, keep_links=False)
        except Exception:
            if not has_member(archive, _STYLES):
                raise
        # Some programs write styles that openpyxl rejects. Only number formats are needed, because they identify dates.
        plain = copies.enter_context(copied_package(archive, source, lambda name, part: _plain(name, part, source)))
        return load_workbook(plain, read_only=True, data_only=True, keep_links=False)
    except BrokenSource:
        raise
    except Exception as error:  # openpyxl does not wrap the exceptions of other libraries
        raise BrokenSource(
            f"is not an XLSX, or is damaged: {type(error).__name__}: {error_text(error)}",
            source=source,
            remedy=_SAVE_AGAIN,
        ) from error


def _plain(name: str, part: IO[bytes], source: str) -> Iterable[bytes]:
    """Return a part of a workbook. The part with the styles is reduced to number formats, which identify dates."""
    if name != _STYLES:
        return pieces_of(part)
    styles = read_tree(part, source, part=name)
    formats = _elements(styles, "numFmts", "numFmt", ("numFmtId", "formatCode"))
    cells = _elements(styles, "cellXfs", "xf", ("numFmtId",))
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return [f'<styleSheet xmlns="{space}">{formats}{cells}</styleSheet>'.encode()]


def _elements(styles: XmlElement, group: str, name: str, attributes: Sequence[str]) -> str:
    """Return the element `group` and its children called `name` as XML, with only the given attributes."""
    found = [each for one in styles.elements() if one.name == group for each in one.elements() if each.name == name]
    written = (
        " ".join(f"{key}={quoteattr(each.attributes[key])}" for key in attributes if key in each.attributes)
        for each in found
    )
    return f"<{group}>{''.join(f'<{name} {each}/>' for each in written)}</{group}>" if found else ""
