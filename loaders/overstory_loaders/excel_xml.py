"""Loads spreadsheets that Excel 2002 and 2003 saved as XML (SpreadsheetML), and that some programs still export."""

from __future__ import annotations

from collections.abc import Iterator

from overstory.errors import BrokenSource
from overstory.model import Annotation, Document, date_of
from overstory.model.metadata import number_of
from overstory.protocols import OnBroken
from overstory_loaders.blocks import Block, clean_title, join_blocks
from overstory_loaders.by_content import EXCEL_XML, format_by_content
from overstory_loaders.files import address, empty, has_suffix, open_seekable, stem
from overstory_loaders.metadata import clean_metadata
from overstory_loaders.table_text import Cell, MergedCells, table_blocks
from overstory_loaders.xlsx import HIDDEN_SHEETS, SPLIT_SHEETS
from overstory_loaders.xml_reader import XmlElement, XmlEvent, read_element, xml_events

SUFFIXES = (".xml", ".xls")
_MOST_COLUMNS = 16_384
_PROPERTIES = {"Author": "author", "Created": "created", "Keywords": "keywords", "LastSaved": "modified"}
"""Maps property names to the names that they have in XLSX."""


class ExcelXmlLoader:
    """Loader for spreadsheets in the XML of Excel 2003. The title comes from the properties or the file name."""

    name = "excel2003"
    isolated = True

    def recognises(self, source: str) -> bool:
        return has_suffix(source, SUFFIXES) and self.recognises_content(source)

    def recognises_content(self, source: str) -> bool:
        return format_by_content(source) == EXCEL_XML

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Annotation]:  # noqa: ARG002
        """Yield one document with a heading for each sheet and a line for each row."""
        with open_seekable(source) as stream:
            book = _ExcelXmlBook(xml_events(stream, source), source)
            outlined = join_blocks(book.blocks(), source=source, remedy=SPLIT_SHEETS)
        if not book.has_text:
            raise empty(source, "its sheets have no values")
        properties: dict[str, object] = {
            name: date_of(text) or text if name in ("created", "modified") else text
            for key, name in _PROPERTIES.items()
            if (text := book.properties.get(key, ""))
        }
        yield Document(
            source=address(source),
            source_key="",
            text=outlined.text,
            title=clean_title(book.properties.get("Title", "")) or clean_title(stem(source, SUFFIXES)),
            metadata=clean_metadata(
                {**properties, HIDDEN_SHEETS: book.hidden_sheets or None}, dates_in_text=False
            ).values,
            headings=outlined.headings,
        )


class _ExcelXmlBook:
    """Reads a workbook. `blocks` may be called only once.

    Attributes:
        has_text: True if a sheet has a filled cell.
    """

    def __init__(self, events: Iterator[XmlEvent], source: str) -> None:
        self._events, self._source = events, source
        self.properties: dict[str, str] = {}
        self.hidden_sheets: list[str] = []
        self.has_text = False

    def blocks(self) -> Iterator[Block]:
        sheet = ""
        for event in self._events:
            if event.kind != "start":
                continue
            if event.name == "DocumentProperties":
                found = read_element(event, self._events, self._source)
                self.properties = {each.name: each.text().strip() for each in found.elements()}
            elif event.name == "Worksheet":
                sheet = event.attributes.get("Name", "")
                yield Block(sheet, level=1)
            elif event.name == "Table":
                for block in table_blocks(self._rows()):
                    self.has_text = True
                    yield block
            elif event.name == "Visible":
                state = read_element(event, self._events, self._source).text().strip()
                self.hidden_sheets += [sheet] if state in ("SheetHidden", "SheetVeryHidden") else []

    def _rows(self) -> Iterator[list[Cell]]:
        merged = MergedCells()
        following = 1
        for event in self._events:
            if event.kind == "end" and event.name == "Table":
                return
            if event.kind == "start" and event.name == "Row":
                number = _number(event.attributes, "Index", following)
                if number > following:
                    yield []
                following = number + 1
                yield merged.filled(self._cells(read_element(event, self._events, self._source), merged))

    def _cells(self, row: XmlElement, merged: MergedCells) -> list[Cell]:
        cells: list[Cell] = []
        for element in row.elements():
            if element.name != "Cell":
                continue
            while "Index" not in element.attributes and merged.covers(len(cells)):
                cells.append(None)
            place = _number(element.attributes, "Index", len(cells) + 1) - 1
            columns = _number(element.attributes, "MergeAcross", 0) + 1
            if place + columns > _MOST_COLUMNS:
                raise BrokenSource(
                    f"has a row of more than {_MOST_COLUMNS:,} cells", source=self._source, remedy="Leave it out."
                )
            cells += [None] * (place - len(cells))
            value = _value(next((each for each in element.elements() if each.name == "Data"), None))
            merged.add(place, columns, _number(element.attributes, "MergeDown", 0) + 1, value)
            cells += [value, *[None] * (columns - 1)]
        return cells


def _number(attributes: dict[str, str], name: str, default: int) -> int:
    text = attributes.get(name, "")
    return int(text[:9]) if text.isdecimal() and text.isascii() else default


def _value(data: XmlElement | None) -> Cell:
    text = "" if data is None else data.text()
    match data.attributes.get("Type") if data is not None else "":
        case "Number":
            number = number_of(text.strip())
            return text if number is None else number
        case "DateTime":
            date = date_of(text.strip())
            return text if date is None else date.replace(tzinfo=None)
        case "Boolean":
            return text.strip() == "1"
        case _:
            return text
