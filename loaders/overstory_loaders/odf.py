"""Loads OpenDocument files, which LibreOffice writes: texts (ODT), spreadsheets (ODS) and presentations (ODP)."""

from __future__ import annotations

import textwrap
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

from overstory.errors import BrokenSource
from overstory.model import Annotation, Document, date_of
from overstory.model.metadata import PAGE_STARTS, number_of
from overstory.protocols import OnBroken
from overstory_loaders.blocks import INDENT, MOST_INDENTS, Block, clean_text, clean_title, join_blocks
from overstory_loaders.by_content import FLAT_FORMATS, format_by_content
from overstory_loaders.files import address, empty, has_suffix, open_seekable, stem, uncompressed_name
from overstory_loaders.metadata import clean_metadata, separated
from overstory_loaders.packages import PackageKind, open_member, open_package, readable_tree
from overstory_loaders.table_text import Cell, MergedCells, cell_blocks, table_blocks
from overstory_loaders.xlsx import HIDDEN_SHEETS, SPLIT_SHEETS
from overstory_loaders.xml_reader import XmlElement, XmlEvent, read_element, xml_events

_MOST_REPEATED_CELLS = 16_384
"""Maximum number of cells in a row, which is also the maximum number of columns in a LibreOffice sheet."""
_MOST_REPEATED_SPACES = 100

# fmt: off
_NOT_TEXT = frozenset({
    "alphabetical-index", "annotation", "annotation-end", "bibliography", "binary-data", "desc", "forms",
    "illustration-index", "note",
    "object-index", "scripts", "settings", "table-index", "table-of-content", "title", "tracked-changes", "user-index",
})
# fmt: on
"""Elements that are not part of the running text, such as comments, deletions and tables of contents.

Notes are also on this list, because they are read separately.
"""
_AROUND_SLIDES = frozenset({"date-time", "footer", "header", "page-number"})


class OdfBlocks:
    """Reads the blocks of a document. `blocks` may be called only once.

    Attributes:
        has_text: True if the document contains text other than sheet names and slide numbers.
    """

    def __init__(self, events: Iterator[XmlEvent], source: str) -> None:
        self._events = events
        self._source = source
        self._titles: set[str] = {"Title"}
        self._hidden: set[str] = set()
        self._slides = 0
        self._notes: list[XmlElement] = []
        self._inside = 0  # number of nested tables and notes that are being read
        self.hidden_sheets: list[str] = []
        self.has_text = False

    def blocks(self) -> Iterator[Block]:
        """Yield the headings, paragraphs and tables in reading order."""
        for event in self._events:
            if event.kind != "start":
                continue
            if event.name == "automatic-styles":
                self._learn(read_element(event, self._events, self._source))
            elif event.name == "spreadsheet":
                yield from self._spreadsheet()
            elif event.name == "page":
                yield from self._slide(read_element(event, self._events, self._source))
            elif event.name == "text":
                yield from self._text()

    def _learn(self, styles: XmlElement) -> None:
        """Record which of the automatic styles are for titles and which are for hidden sheets."""
        for style in styles.elements():
            name = style.attributes.get("name", "")
            if style.attributes.get("parent-style-name") == "Title":
                self._titles.add(name)
            if any(each.attributes.get("display") == "false" for each in style.all("table-properties")):
                self._hidden.add(name)

    def _text(self) -> Iterator[Block]:
        for event in self._events:
            if event.kind == "end" and event.name == "text":
                return
            if event.kind == "start":
                for block in self._element(read_element(event, self._events, self._source)):
                    self.has_text = self.has_text or bool(block.text.strip())
                    yield block

    def _slide(self, page: XmlElement) -> Iterator[Block]:
        self._slides += 1
        shapes = [each for each in page.elements() if each.attributes.get("class") not in _AROUND_SLIDES]
        titles = [each for each in shapes if each.attributes.get("class") == "title"]
        title = " ".join(" ".join(block.text for each in titles for block in self._element(each)).split())
        yield Block(title or f"Slide {self._slides}", level=1, opens_page=True)
        self.has_text = self.has_text or bool(title)
        for each in shapes:
            is_notes = each.name == "notes"
            if each in titles:
                continue
            inside = [part for part in each.elements() if part.attributes.get("class") not in _AROUND_SLIDES]
            found = [block for part in (inside if is_notes else [each]) for block in self._element(part)]
            for place, block in enumerate(found):
                self.has_text = self.has_text or bool(block.text.strip())
                yield Block(f"Notes: {block.text}" if is_notes and not place else block.text, tight=block.tight)

    def _element(self, element: XmlElement) -> Iterator[Block]:
        if element.name in _NOT_TEXT:
            return
        if element.name == "table":
            yield from self._table(element)
            yield from self._read_notes()
        elif element.name in ("h", "p"):
            yield self._paragraph(element)
            anchored = list(_anchored(element))
            self._notes += (each for each in anchored if each.name == "note")
            yield from self._read_notes()
            for box in anchored:
                if box.name == "text-box":
                    yield from self._children(box)
        elif element.name == "list":
            yield from self._list(element)
        else:
            yield from self._children(element)

    def _read_notes(self) -> Iterator[Block]:
        if self._inside:
            return
        self._inside += 1
        for note in self._notes:
            body = note.first("note-body")
            text = " ".join(" ".join(block.text for block in self._children(body)).split()) if body else ""
            if text:
                yield Block(f"Note: {text}", tight=True)
        self._notes.clear()
        self._inside -= 1

    def _list(self, element: XmlElement) -> Iterator[Block]:
        """Yield a block for each item. The items of inner lists are indented below it, in the same block."""
        lines: list[str] = []
        after_item = False
        for depth, block in self._items(element, 0):
            text = clean_text(block.text)
            if not text:
                continue
            if lines and depth and not block.level:
                lines.append(textwrap.indent(text, INDENT * min(depth, MOST_INDENTS)))
                continue
            if lines:
                yield Block("\n".join(lines), tight=after_item)
                after_item = True
            lines = [] if block.level else [text]
            if block.level:
                yield Block(text, block.level, tight=after_item)
                after_item = True
        if lines:
            yield Block("\n".join(lines), tight=after_item)

    def _items(self, element: XmlElement, depth: int) -> Iterator[tuple[int, Block]]:
        """Yield each block in a list together with its nesting depth."""
        for item in element.elements():
            for child in item.elements():
                if child.name == "list":
                    yield from self._items(child, depth + 1)
                else:
                    yield from ((depth, block) for block in self._element(child))

    def _children(self, element: XmlElement) -> Iterator[Block]:
        for child in element.elements():
            yield from self._element(child)

    def _paragraph(self, element: XmlElement) -> Block:
        text = _inline(element)
        if element.name == "h":
            level = element.attributes.get("outline-level", "1")
            return Block(text, int(level) if level.isdecimal() and 0 < int(level) <= 10 else 1)
        return Block(text, 1 if element.attributes.get("style-name") in self._titles else 0)

    def _table(self, table: XmlElement) -> Iterator[Block]:
        self._inside += 1
        rows = list(_rows(table))
        cells = [[cell for cell in row.elements() if cell.name == "table-cell"] for row in rows]
        read = {id(cell): list(self._children(cell)) for row in cells for cell in row}
        self._inside -= 1
        merged = MergedCells()
        grid = [self._cells(row, merged, lambda cell: read[id(cell)]) for row in rows]
        has_structure = any(block.level for blocks in read.values() for block in blocks) or any(
            cell.first("table") is not None for row in cells for cell in row
        )
        header = table.first("table-header-rows")
        header_rows = len(list(_rows(header))) if header else None
        blocks = [[read[id(cell)] for cell in row] for row in cells]
        yield from cell_blocks(blocks, grid, has_structure=has_structure, header_rows=header_rows)

    def _spreadsheet(self) -> Iterator[Block]:
        for event in self._events:
            if event.kind == "end" and event.name == "spreadsheet":
                return
            if event.kind == "start" and event.name == "table":
                name = event.attributes.get("name", "")
                if event.attributes.get("style-name") in self._hidden:
                    self.hidden_sheets.append(name)
                yield Block(name, level=1)
                for block in table_blocks(self._sheet_rows(MergedCells())):
                    self.has_text = True
                    yield block
            elif event.kind == "start" and event.name in _NOT_TEXT:
                read_element(event, self._events, self._source)

    def _sheet_rows(self, merged: MergedCells) -> Iterator[Sequence[Cell]]:
        for event in self._events:
            if event.kind == "end" and event.name == "table":
                return
            if event.kind == "start" and event.name == "table-row":
                cells = self._cells(read_element(event, self._events, self._source), merged, self._children)
                # Empty rows only separate tables, so one is enough. The limit on the text ends endless repetition.
                times = _times(event, "number-rows-repeated") if cells else 1
                for _ in range(times):
                    yield cells
            elif event.kind == "start" and event.name in ("shapes", "forms", "table", "title", "desc"):
                read_element(event, self._events, self._source)

    def _cells(
        self, row: XmlElement, merged: MergedCells, blocks_of: Callable[[XmlElement], Iterable[Block]]
    ) -> list[Cell]:
        cells: list[Cell] = []
        skipped = 0
        for element in row.elements():
            if element.name not in ("table-cell", "covered-table-cell"):
                continue
            times = _times(element, "number-columns-repeated")
            value = _cell_value(element, blocks_of) if element.name == "table-cell" else None
            if value in (None, ""):
                skipped += times
                continue
            if skipped + times + len(cells) > _MOST_REPEATED_CELLS:
                raise BrokenSource(
                    f"has a row of more than {_MOST_REPEATED_CELLS:,} cells",
                    source=self._source,
                    remedy="Leave it out.",
                )
            cells += [None] * skipped
            merged.add(
                len(cells), _times(element, "number-columns-spanned"), _times(element, "number-rows-spanned"), value
            )
            cells += [value] * times
            skipped = 0
        return merged.filled(cells)


def _rows(table: XmlElement) -> Iterator[XmlElement]:
    for element in table.elements():
        if element.name == "table-row":
            yield element
        elif element.name in ("table-header-rows", "table-rows", "table-row-group"):
            yield from _rows(element)


def _cell_value(cell: XmlElement, blocks_of: Callable[[XmlElement], Iterable[Block]]) -> Cell:
    attributes = cell.attributes
    match attributes.get("value-type"):
        case "float" | "percentage" | "currency":
            return _number(attributes.get("value", ""))
        case "date":
            date = date_of(attributes.get("date-value", ""))
            return date.replace(tzinfo=None) if date is not None else attributes.get("date-value", "")
        case "time":
            return _duration(attributes.get("time-value", ""))
        case "boolean":
            return attributes.get("boolean-value") == "true"
        case _:
            return " ".join(block.text for block in blocks_of(cell))


def _times(where: XmlElement | XmlEvent, name: str) -> int:
    text = where.attributes.get(name, "1")
    return int(text[:9]) if text.isdecimal() and text.isascii() else 1


def _number(text: str) -> Cell:
    number = number_of(text)
    if number is not None:
        return number
    try:
        return float(text)
    except ValueError:
        return text


def _duration(text: str) -> Cell:
    """Parse a duration in the ISO 8601 form that spreadsheets use: PT12H30M00S. Return any other text unchanged."""
    parts: dict[str, float] = {}
    digits = ""
    for character in text.removeprefix("PT"):
        if character.isdecimal() or character in ".,":
            digits += "." if character == "," else character
        else:
            try:
                parts[character] = float(digits)
            except ValueError:
                return text
            digits = ""
    try:
        return timedelta(hours=parts.get("H", 0), minutes=parts.get("M", 0), seconds=parts.get("S", 0))
    except OverflowError:
        return text


def _anchored(element: XmlElement) -> Iterator[XmlElement]:
    for child in element.elements():
        if child.name in ("note", "text-box"):
            yield child
        elif child.name not in _NOT_TEXT:
            yield from _anchored(child)


def _inline(element: XmlElement) -> str:
    """Return the text of a paragraph without notes, comments and text boxes."""
    parts: list[str] = []
    for child in element.children:
        if isinstance(child, str):
            parts.append(" ".join(child.split("\n")))
        elif child.name == "s":
            parts.append(" " * min(_times(child, "c"), _MOST_REPEATED_SPACES))
        elif child.name == "tab":
            parts.append("\t")
        elif child.name == "line-break":
            parts.append("\n")
        elif child.name not in _NOT_TEXT and child.name != "text-box":
            parts.append(_inline(child))
    return "".join(parts)


_FLAT_SUFFIXES = (".fodt", ".fods", ".fodp")
SUFFIXES = (".odt", ".ods", ".odp", *_FLAT_SUFFIXES)

_CONTENT, _META, _MANIFEST = "content.xml", "meta.xml", "META-INF/manifest.xml"
_SAVE_AGAIN = "Open it in LibreOffice, and save it without a password."
_NAMES = {
    "creation-date": "created",
    "creator": "last_modified_by",
    "date": "modified",
    "description": "comments",
    "editing-cycles": "revision",
    "initial-creator": "author",
    "print-date": "last_printed",
}
"""Maps property names that differ from those in DOCX to the names in DOCX."""
_DATES = frozenset({"created", "modified", "last_printed"})
_FOR_PROGRAMS = frozenset({"editing_duration", "generator"})


class OdfLoader:
    """Loader for ODT, ODS and ODP files, in a package or as one XML file.

    The title comes from the properties, the first heading or the file name.
    """

    name = "odf"
    isolated = True

    def recognises(self, source: str) -> bool:
        """Return True for an OpenDocument suffix, unless it is the lock file of a document open in LibreOffice."""
        return has_suffix(source, SUFFIXES) and not Path(source).name.startswith(".~lock")

    def recognises_content(self, source: str) -> bool:
        return f".{format_by_content(source)}" in SUFFIXES

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Annotation]:  # noqa: ARG002
        """Yield one document with headings, paragraphs, lists and tables. Each sheet or slide begins with a heading."""
        kind = PackageKind(_kind_of(source), _SAVE_AGAIN, "a file of another program")
        properties: dict[str, object] = {}
        with open_seekable(source) as stream, ExitStack() as opened:
            if format_by_content(source) in FLAT_FORMATS:
                events = _flat_events(xml_events(stream, source), source, properties)
            else:
                archive = open_package(
                    stream, source, kind, is_streamed=lambda name: name == _CONTENT and kind.name == "ODS"
                )
                _check_encryption(archive, source)
                meta = readable_tree(archive, _META, source)
                properties |= _properties(() if meta is None else meta.elements())
                content = opened.enter_context(open_member(archive, _CONTENT, source))
                events = xml_events(content, source, part=_CONTENT)
            reader = OdfBlocks(events, source)
            remedy = SPLIT_SHEETS if kind.name == "ODS" else "Split it."
            outlined = join_blocks(reader.blocks(), source=source, remedy=remedy)
        if not reader.has_text or not outlined.text:
            raise empty(source)
        first = next((each.text for each in outlined.headings if each.level == 1), "") if kind.name != "ODS" else ""
        first = "" if outlined.page_starts and first == "Slide 1" else first
        if outlined.page_starts:
            properties |= {"pages": len(outlined.page_starts), PAGE_STARTS: list(outlined.page_starts)}
        yield Document(
            source=address(source),
            source_key="",
            text=outlined.text,
            title=clean_title(str(properties.pop("title", "")))
            or clean_title(first)
            or clean_title(stem(source, SUFFIXES)),
            metadata=clean_metadata(
                {**properties, HIDDEN_SHEETS: reader.hidden_sheets or None}, dates_in_text=False
            ).values,
            headings=outlined.headings,
        )


def _kind_of(source: str) -> str:
    ending = Path(uncompressed_name(source).lower()).suffix
    kind = ending[1:] if ending in SUFFIXES else format_by_content(source) or "odt"
    return kind.removeprefix("f").upper()


def _flat_events(events: Iterator[XmlEvent], source: str, properties: dict[str, object]) -> Iterator[XmlEvent]:
    """Yield the events of an OpenDocument file that is one XML file, like those of `content.xml` in a package.

    Args:
        properties: map to which the properties of the document are added.
    """
    for event in events:
        if event.kind == "start" and event.name in ("meta", "settings", "scripts", "styles", "master-styles"):
            element = read_element(event, events, source)
            if event.name == "meta":
                properties |= _properties([element])
            continue
        yield event
        if event.kind == "start" and event.name == "body":
            break
    yield from events


def _check_encryption(archive: zipfile.ZipFile, source: str) -> None:
    manifest = readable_tree(archive, _MANIFEST, source)
    if manifest is not None and manifest.first("encryption-data") is not None:
        raise BrokenSource("is encrypted, and needs a password", source=source, remedy=_SAVE_AGAIN)


def _properties(metas: Iterable[XmlElement]) -> dict[str, object]:
    found: dict[str, object] = {}
    keywords: list[str] = []
    for element in metas:
        for each in element.elements():
            text = each.text().strip()
            name = _NAMES.get(each.name, each.name.replace("-", "_"))
            if not text or name in _FOR_PROGRAMS:
                continue
            if each.name == "keyword":
                keywords += separated(text)
            elif each.name == "user-defined":
                found.setdefault(each.attributes.get("name", ""), _typed(each.attributes.get("value-type", ""), text))
            else:
                found.setdefault(name, _value(name, text))
    return {**found, "keywords": list(dict.fromkeys(keywords)) or None}


def _value(name: str, text: str) -> object:
    if name == "revision" and text.isdecimal() and text.isascii():
        return int(text[:18])
    return (_date(text) or text) if name in _DATES else text


def _typed(kind: str, text: str) -> object:
    match kind:
        case "float":
            return number_of(text) or text
        case "boolean":
            return text == "true"
        case "date":
            return _date(text) or text
        case _:
            return text


def _date(text: str) -> object:
    """Parse a date in LibreOffice's format, which has nine digits for the fraction of a second."""
    whole, point, fraction = text.partition(".")
    return date_of(f"{whole}{point}{fraction[:6]}" if fraction.isdecimal() else text)
