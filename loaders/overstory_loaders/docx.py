"""Loads Word files (DOCX).

The body is read as XML, because python-docx ignores content controls, text boxes and tracked insertions. Documents made
from templates often hold their text in content controls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import IO, TYPE_CHECKING, cast

from overstory.display import error_text
from overstory.errors import BrokenSource
from overstory.model import Annotation, Document
from overstory.protocols import OnBroken
from overstory_loaders.blocks import Block, clean_title, join_blocks
from overstory_loaders.charts import CHART, chart_blocks
from overstory_loaders.docx_chunks import chunk_blocks
from overstory_loaders.files import address, empty, missing_extra, open_seekable, stem
from overstory_loaders.metadata import clean_metadata
from overstory_loaders.office_packages import OfficeLoader, office_properties, open_office
from overstory_loaders.packages import PackageKind
from overstory_loaders.table_text import Cell, Covered, cell_blocks, cell_text, repeatable

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element as XmlElement

    from docx.document import Document as WordDocument
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

SUFFIXES = (".docx", ".docm", ".dotx", ".dotm")

_SAVE_AGAIN = "Open it in Word or LibreOffice, and save it as .docx without a password."
_KIND = PackageKind("DOCX", _SAVE_AGAIN, "a .doc file from before 2007")


class DocxLoader(OfficeLoader):
    """Loader for DOCX files, including templates and files with macros.

    The title comes from the properties, the first level-1 heading or the file name.
    """

    name = "docx"
    suffixes = SUFFIXES
    old_suffix = ".doc"
    kind = _KIND

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Annotation]:
        """Yield one document with the headings, paragraphs, tables and notes, but without page headers and footers.

        Each table row becomes one line. Damaged parts are reported and left out.

        Raises:
            BrokenSource: the main part is damaged.
        """
        try:
            import docx
        except ImportError as error:
            raise missing_extra("docx", "python-docx") from error

        def document_of(stream: IO[bytes]) -> WordDocument:
            document = docx.Document(stream)
            if document.element.body is None:
                raise ValueError("its main part has no body")
            return document

        with open_seekable(source) as stream, ExitStack() as copies:
            opened = open_office(stream, source, _KIND, copies, by=document_of)
            properties = office_properties(opened.archive, source)

        def report(what: str) -> None:
            on_broken(BrokenSource(f"its {what}", source=source, remedy=_SAVE_AGAIN))

        def report_notes(what: str, error: Exception) -> None:
            why = error.reason if isinstance(error, BrokenSource) else f"{type(error).__name__}: {error_text(error)}"
            report(f"{what} cannot be read: {why}")

        for part in opened.lost:
            report(str(part))
        outlined = join_blocks(document_blocks(opened.document, source, on_lost=report_notes))
        if not outlined.text:
            raise empty(source)
        first = next((heading.text for heading in outlined.headings if heading.level == 1), "")
        yield Document(
            source=address(source),
            source_key="",
            text=outlined.text,
            title=clean_title(str(properties.pop("title", "")))
            or clean_title(first)
            or clean_title(stem(source, SUFFIXES)),
            metadata=clean_metadata(properties, dates_in_text=False).values,
            headings=outlined.headings,
        )


_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"


def _w(tag: str) -> str:
    """Return the tag with the WordprocessingML namespace, in lxml's notation."""
    return f"{_WORD}{tag}"


_AROUND = frozenset(_w(tag) for tag in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"))
"""Elements that may wrap paragraphs, rows and cells."""
_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_LEFT_OUT = frozenset({_w("del"), _w("moveFrom"), _w("pPr"), _w("rPr"), f"{_COMPATIBILITY}Fallback"})
_WRITTEN = {_w("tab"): "\t", _w("br"): "\n", _w("cr"): "\n", _w("noBreakHyphen"): "-"}
_TEXTS = frozenset({_w("t"), f"{_MATH}t"})
_NOTES = {"footnotes": _w("footnoteReference"), "endnotes": _w("endnoteReference")}
"""Maps the type of the relation to a part with notes to the tag of the elements that refer to its notes."""
_TEXT_BOX = _w("txbxContent")
_MOST_GRID_SPAN = 100
_PARAGRAPH, _TABLE, _ROW, _CELL, _CHUNK = _w("p"), _w("tbl"), _w("tr"), _w("tc"), _w("altChunk")
_RELATION_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_MOST_CHUNKS_DEEP = 5
"""Maximum nesting depth of files in files (`altChunk`)."""


@dataclass(frozen=True, slots=True)
class _Styles:
    """The paragraph styles of a document.

    Attributes:
        levels: heading level by style id.
        lists: ids of the styles for list items.
        contents: ids of the styles for tables of contents.
    """

    levels: dict[str, int] = field(default_factory=dict[str, int])
    lists: set[str] = field(default_factory=set[str])
    contents: set[str] = field(default_factory=set[str])


@dataclass(slots=True)
class _BodyReading:
    """The state of the reader while it reads the body.

    Attributes:
        notes: footnotes and endnotes that have not been read yet. The key is the tag of the referring element and the
            id of the note.
        referred: keys of the notes that the last paragraph refers to.
        inside: number of tables and notes that are being read. Notes inside them wait until they end.
        chunk: yields the blocks of the file with a relation id that is part of the text.
        chart: yields the blocks of the chart with a relation id.
    """

    styles: _Styles
    notes: dict[tuple[str, str], Element]
    chunk: Callable[[str], Iterator[Block]]
    chart: Callable[[str], Iterator[Block]]
    referred: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    inside: int = 0


OnLost = Callable[[str, Exception], object]
"""Function that is called with the name of an unreadable part and the error."""


def document_blocks(document: WordDocument, source: str, *, on_lost: OnLost, depth: int = 0) -> Iterator[Block]:
    """Yield the paragraphs, headings and tables of the body. Notes follow the paragraph that refers to them.

    Args:
        depth: number of documents around this one, each of which contains the next one as a part of its text.
    """
    body = cast("Element", document.element.body)
    chunk = partial(_chunk, document, source, on_lost, depth)
    chart = partial(_chart, document, on_lost)
    return _blocks(body, _BodyReading(_read_styles(document, on_lost), _read_notes(document, on_lost), chunk, chart))


def _chart(document: WordDocument, on_lost: OnLost, relation: str) -> Iterator[Block]:
    from docx.oxml import parse_xml

    try:
        yield from chart_blocks(cast("XmlElement", parse_xml(document.part.rels[relation].target_part.blob)))
    except Exception as error:  # noqa: BLE001 # python-docx does not wrap errors from its XML parser
        on_lost("chart", error)


def _chunk(document: WordDocument, source: str, on_lost: OnLost, depth: int, relation: str) -> Iterator[Block]:
    import docx

    def of_docx(stream: IO[bytes]) -> Iterator[Block]:
        if depth >= _MOST_CHUNKS_DEEP:
            raise BrokenSource(f"it is nested more than {_MOST_CHUNKS_DEEP} files deep", source=source)
        with ExitStack() as copies:
            opened = open_office(stream, source, _KIND, copies, by=docx.Document)
            yield from document_blocks(opened.document, source, on_lost=on_lost, depth=depth + 1)

    try:
        yield from chunk_blocks(document.part.rels[relation].target_part.blob, source, of_docx=of_docx)
    except Exception as error:  # noqa: BLE001 # libraries may raise any exception for a damaged file
        on_lost("inserted file (altChunk)", error)


def _read_notes(document: WordDocument, on_lost: OnLost) -> dict[tuple[str, str], Element]:
    from docx.oxml import parse_xml

    found: dict[tuple[str, str], Element] = {}
    for relation in document.part.rels.values():
        kind = relation.reltype.rpartition("/")[2]
        if kind not in _NOTES or relation.is_external:
            continue
        try:
            notes = cast("Iterator[Element]", iter(parse_xml(relation.target_part.blob)))
        except Exception as error:  # noqa: BLE001 # python-docx does not wrap errors from its XML parser
            on_lost(kind, error)
            continue
        found |= {(_NOTES[kind], str(note.get(_w("id")))): note for note in notes}
    return found


def _blocks(container: Element, reading: _BodyReading) -> Iterator[Block]:
    styles = reading.styles
    after_item = False
    for element in _children(container, {_PARAGRAPH, _TABLE, _CHUNK}):
        if element.tag == _CHUNK:
            yield from reading.chunk(str(element.get(_RELATION_ID)))
            after_item = False
            continue
        if element.tag == _TABLE:
            yield from _table(element, reading)
            yield from _notes(reading)
            after_item = False
            continue
        style = _value(element, "pPr/pStyle") or ""
        if style in styles.contents:
            continue
        inline = _Inline()
        inline.read(element)
        item = style in styles.lists or element.find(_w("pPr") + "/" + _w("numPr")) is not None
        yield Block(inline.text(), _level(element, style, styles), tight=item and after_item)
        after_item = item
        reading.referred += inline.notes
        yield from _notes(reading)
        for box in inline.boxes:
            yield from _blocks(box, reading)
        for chart in inline.charts:
            yield from reading.chart(chart)


def _notes(reading: _BodyReading) -> Iterator[Block]:
    if reading.inside:
        return
    reading.inside += 1
    for key in reading.referred:
        if (note := reading.notes.pop(key, None)) is not None:
            text = " ".join(" ".join(block.text for block in _blocks(note, reading)).split())
            if text:
                yield Block(f"Note: {text}", tight=True)
    reading.referred.clear()
    reading.inside -= 1


def _table(table: Element, reading: _BodyReading) -> Iterator[Block]:
    rows = list(_children(table, {_ROW}))
    cells = [list(_children(row, {_CELL})) for row in rows]
    reading.inside += 1
    read = [[list(_blocks(cell, reading)) for cell in row] for row in cells]
    reading.inside -= 1
    has_structure = any(block.level for row in read for cell in row for block in cell) or any(
        True for row in cells for cell in row for _ in _children(cell, {_TABLE})
    )
    grid: list[list[Cell]] = []
    for element, row, blocks in zip(rows, cells, read, strict=True):
        grid.append(_grid_row(element, row, blocks, grid[-1] if grid else []))
    marked = _marked_rows(rows)
    is_bold = len(rows) > 1 and _is_bold(rows[0]) and not _is_bold(rows[1])
    yield from cell_blocks(
        read,
        grid,
        has_structure=has_structure,
        header_rows=marked or int(is_bold) or None,
        is_certain=marked > 0,
    )


def _grid_row(element: Element, row: list[Element], blocks: list[list[Block]], above: list[Cell]) -> list[Cell]:
    """Return the cell in each column of a row. A cell that spans several rows is repeated in each of them."""
    cells: list[Cell] = [None] * _count(element, "trPr/gridBefore", default=0)
    for cell, inside in zip(row, blocks, strict=True):
        text = " ".join(" ".join(block.text.split()) for block in inside)
        merged = cell.find(f"{_w('tcPr')}/{_w('vMerge')}")
        if merged is not None and merged.get(_w("val"), "continue") == "continue" and not text:
            text = repeatable(cell_text(above[len(cells)])) if len(cells) < len(above) else ""
        cells += [text, *[Covered(text)] * (_count(cell, "tcPr/gridSpan", default=1) - 1)]
    return cells


def _count(element: Element, path: str, *, default: int) -> int:
    text = _value(element, path) or ""
    return min(int(text[:3]), _MOST_GRID_SPAN) if text.isascii() and text.isdecimal() else default


def _marked_rows(rows: list[Element]) -> int:
    """Return the number of rows that Word repeats on each page."""
    marked = 0
    for row in rows:
        if not _is_on(row.find(f"{_w('trPr')}/{_w('tblHeader')}")):
            break
        marked += 1
    return marked


def _is_bold(row: Element) -> bool:
    runs = [run for run in row.iter(_w("r")) if any((text.text or "").strip() for text in run.iter(_w("t")))]
    return bool(runs) and all(_is_on(run.find(f"{_w('rPr')}/{_w('b')}")) for run in runs)


def _is_on(element: Element | None) -> bool:
    return element is not None and element.get(_w("val"), "true") not in ("0", "false", "off")


def _children(element: Element, wanted: set[str]) -> Iterator[Element]:
    for child in cast("Iterator[Element]", iter(element)):
        if child.tag in wanted:
            yield child
        elif child.tag in _AROUND:
            yield from _children(child, wanted)


class _Inline:
    """The text of a paragraph, the text boxes and charts anchored to it, and the notes that it refers to."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self.boxes: list[Element] = []
        self.notes: list[tuple[str, str]] = []
        self.charts: list[str] = []

    def text(self) -> str:
        return "".join(self._parts)

    def read(self, element: Element) -> None:
        for child in cast("Iterator[Element]", iter(element)):
            if child.tag in _TEXTS:
                self._parts.append(cast("str | None", child.text) or "")
            elif child.tag in _WRITTEN:
                self._parts.append(_WRITTEN[child.tag])
            elif child.tag == _TEXT_BOX:
                self.boxes.append(child)
            elif child.tag == f"{CHART}chart":
                self.charts.append(str(child.get(_RELATION_ID)))
            elif child.tag in _NOTES.values():
                self.notes.append((child.tag, str(child.get(_w("id")))))
            elif child.tag not in _LEFT_OUT:
                self.read(child)


def _level(paragraph: Element, style: str, styles: _Styles) -> int:
    own = _value(paragraph, "pPr/outlineLvl")
    return _outline_level(own) if own is not None else styles.levels.get(style, 0)


def _read_styles(document: WordDocument, on_lost: OnLost) -> _Styles:
    """Return the paragraph styles.

    A style is for headings if its name or outline level shows this, or if it is based on such a style. Style names are
    in English in all language versions of Word.
    """
    styles = _Styles()
    try:
        children = cast("Iterator[Element]", document.styles.element.iterchildren(_w("style")))
    except AttributeError as error:  # the package declares the wrong content type for the styles
        on_lost("styles", error)
        return styles
    elements = {str(element.get(_w("styleId"))): element for element in children}
    for style, element in elements.items():
        name = _style_name(element)
        styles.levels[style] = _style_level(style, elements)
        if name.startswith("list"):
            styles.lists.add(style)
        if name.startswith("toc "):
            styles.contents.add(style)
    return styles


def _style_level(style: str, elements: dict[str, Element]) -> int:
    seen: set[str] = set()
    while style in elements and style not in seen:
        seen.add(style)
        element = elements[style]
        name, _, number = _style_name(element).partition(" ")
        if name == "title" and not number:
            return 1
        if name == "heading" and number.isdecimal():
            return int(number)
        outline = _value(element, "pPr/outlineLvl")
        if outline is not None:
            return _outline_level(outline)
        style = _value(element, "basedOn") or ""
    return 0


def _style_name(element: Element) -> str:
    return (_value(element, "name") or "").casefold()


def _outline_level(value: str) -> int:
    """Convert an outline level, which Word counts from 0, to a heading level. Outline level 9 means body text."""
    return int(value) + 1 if value.isdecimal() and int(value) < 9 else 0


def _value(element: Element, path: str) -> str | None:
    """Return the attribute `w:val` of the descendant at a path; None if either is missing."""
    found = element.find("/".join(_w(step) for step in path.split("/")))
    return None if found is None else cast("str | None", found.get(_w("val")))
