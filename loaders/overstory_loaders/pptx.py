"""Loads presentations (PPTX)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING, cast

from overstory.display import error_text
from overstory.errors import BrokenSource
from overstory.model import Annotation, Document
from overstory.model.metadata import PAGE_STARTS
from overstory.protocols import OnBroken
from overstory_loaders.blocks import Block, clean_title, join_blocks
from overstory_loaders.charts import chart_blocks
from overstory_loaders.files import address, empty, missing_extra, open_seekable, stem
from overstory_loaders.metadata import clean_metadata
from overstory_loaders.office_packages import OfficeLoader, OpenedOffice, office_properties, open_office
from overstory_loaders.packages import PackageKind
from overstory_loaders.table_text import Cell, MergedCells, cell_blocks

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element as XmlElement

    from pptx.oxml.xmlchemy import BaseOxmlElement as Element
    from pptx.presentation import Presentation
    from pptx.shapes.base import BaseShape
    from pptx.shapes.graphfrm import GraphicFrame
    from pptx.slide import Slide
    from pptx.table import Table

SUFFIXES = (".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm")
HIDDEN_SLIDES = "hidden_slides"
_SAVE_AGAIN = "Open it in PowerPoint or LibreOffice, and save it as .pptx without a password."
_KIND = PackageKind("PPTX", _SAVE_AGAIN, "a .ppt file from before 2007")
_NO_TITLE = re.compile(r"(?i)powerpoint[ -]\w+|pr[eé]sentation powerpoint|untitled.*")
"""Matches titles that PowerPoint inserts if the author specified none."""


class PptxLoader(OfficeLoader):
    """Loader for PPTX files, including slide shows and templates.

    The title comes from the properties, the first slide or the file name.
    """

    name = "pptx"
    suffixes = SUFFIXES
    old_suffix = ".ppt"
    kind = _KIND

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Annotation]:
        """Yield one document in which each slide is a page with a heading.

        The document includes tables, the figures in charts, and notes. Unreadable slides are reported and left out.
        """
        try:
            import pptx
        except ImportError as error:
            raise missing_extra("office", "python-pptx") from error

        def presentation_of(stream: IO[bytes]) -> Presentation:
            presentation = pptx.Presentation(stream)
            _slide_relations(presentation)  # fails if the main part has another root element
            return presentation

        with open_seekable(source) as stream, ExitStack() as copies:
            opened = open_office(stream, source, _KIND, copies, by=presentation_of)
            properties = office_properties(opened.archive, source)
            slides = _slides(opened, source)
        hidden: list[int] = []
        blocks: list[Block] = []
        has_text = False
        for fault in _lost_parts(opened, slides, source):
            on_broken(fault)
        for number, slide in enumerate(slides, start=1):
            if slide is None:
                blocks.append(Block(f"Slide {number}", level=1, opens_page=True))
                continue
            try:
                found = list(slide_blocks(slide, number))
                if is_hidden(slide):
                    hidden.append(number)
            except Exception as error:  # noqa: BLE001 # python-pptx may raise any exception for damaged XML
                on_broken(
                    BrokenSource(
                        f"slide {number} cannot be read: {error_text(error)}", source=source, remedy=_SAVE_AGAIN
                    )
                )
                found = [Block(f"Slide {number}", level=1, opens_page=True)]
            heading, *below = found
            has_text = has_text or heading.text != f"Slide {number}" or any(block.text.strip() for block in below)
            blocks += found
        outlined = join_blocks(blocks, source=source)
        if not has_text or not outlined.headings:  # texts of invisible characters become empty when cleaned
            raise empty(source, "its slides have no text")
        title = clean_title(str(properties.pop("title", "")))
        first = outlined.headings[0].text
        properties |= {
            "pages": len(outlined.page_starts),
            PAGE_STARTS: list(outlined.page_starts),
            HIDDEN_SLIDES: hidden or None,
        }
        yield Document(
            source=address(source),
            source_key="",
            text=outlined.text,
            title=("" if _NO_TITLE.fullmatch(title) else title)
            or ("" if first == "Slide 1" else clean_title(first))
            or clean_title(stem(source, SUFFIXES)),
            metadata=clean_metadata(properties, dates_in_text=False).values,
            headings=outlined.headings,
        )


def _slides(opened: OpenedOffice[Presentation], source: str) -> list[Slide | None]:
    """Return the slides, with None in place of each damaged slide.

    Raises:
        BrokenSource: all slides are damaged.
    """
    slides: list[Slide | None] = []
    for relation in _slide_relations(opened.document):
        try:
            slides.append(opened.document.part.related_slide(relation))
        except Exception:  # noqa: BLE001 # python-pptx may raise any exception for a damaged slide
            slides.append(None)
    if slides and not any(slides):
        why = f": its {opened.lost[0]}" if opened.lost else ""
        raise BrokenSource(f"none of its slides can be read{why}", source=source, remedy=_SAVE_AGAIN)
    return slides


def _slide_relations(presentation: Presentation) -> list[str]:
    """Return the ids of the relations to the slides, in the order of the slides."""
    return [str(relation) for relation in presentation.element.xpath("p:sldIdLst/p:sldId/@r:id")]


def _lost_parts(
    opened: OpenedOffice[Presentation], slides: Sequence[Slide | None], source: str
) -> Iterator[BrokenSource]:
    numbers = {slide.part.partname[1:]: number for number, slide in enumerate(slides, start=1) if slide is not None}
    ids = _slide_relations(opened.document)
    main = opened.document.part.partname[1:]
    lost = {part.relation for part in opened.lost if part.referrer == main}
    for number, slide in enumerate(slides, start=1):
        if slide is None and ids[number - 1] not in lost:
            yield BrokenSource(f"slide {number} cannot be read: it is missing", source=source, remedy=_SAVE_AGAIN)
    for part in opened.lost:
        if part.referrer == main and part.relation in ids:
            reason = f"slide {ids.index(part.relation) + 1} ({part.name[:200]}) cannot be read: {part.why}"
        elif part.referrer in numbers:
            reason = f"slide {numbers[part.referrer]}: its {part}"
        else:
            reason = f"its {part}"
        yield BrokenSource(reason, source=source, remedy=_SAVE_AGAIN)


_ON_EVERY_SLIDE = frozenset({"DATE", "FOOTER", "HEADER", "SLIDE_NUMBER"})
"""Types of placeholders whose text is the same on every slide. They are names of members of `PP_PLACEHOLDER`."""


def slide_blocks(slide: Slide, number: int) -> Iterator[Block]:
    """Yield the heading of a slide, then its texts, tables, charts and notes.

    A slide without a title has a heading such as "Slide 3".
    """
    title = slide.shapes.title
    heading = " ".join(title.text_frame.text.split()) if title is not None else ""
    yield Block(heading or f"Slide {number}", level=1, opens_page=True)
    yield from _blocks(slide.shapes, None if title is None else title.shape_id)
    if slide.has_notes_slide and (notes := slide.notes_slide.notes_text_frame) is not None and notes.text.strip():
        yield Block(f"Notes: {notes.text}")


def is_hidden(slide: Slide) -> bool:
    """Return True if a slide is skipped during the presentation."""
    return slide.element.get("show") in ("0", "false")


def _blocks(shapes: Iterable[BaseShape], title: int | None) -> Iterator[Block]:
    from pptx.shapes.graphfrm import GraphicFrame
    from pptx.shapes.group import GroupShape

    for shape in shapes:
        if shape.shape_id == title or (shape.is_placeholder and shape.placeholder_format.type.name in _ON_EVERY_SLIDE):
            continue
        if isinstance(shape, GroupShape):
            yield from _blocks(shape.shapes, title)
        elif shape.has_text_frame:
            yield Block(cast("str", shape.text_frame.text))  # type: ignore[attr-defined] # `has_text_frame` is True
        elif isinstance(shape, GraphicFrame) and shape.has_table:
            yield from _table(shape.table)
        elif isinstance(shape, GraphicFrame) and shape.has_chart and (chart := _chart_of(shape)) is not None:
            yield from chart_blocks(cast("XmlElement", chart))  # read from XML: python-pptx trusts declared lengths


def _chart_of(frame: GraphicFrame) -> Element | None:
    """Return the XML of a chart; None if it is missing, in which case an error has been reported already."""
    try:
        element: Element = frame.chart.element
    except KeyError:
        return None
    return element


def _table(table: Table) -> Iterator[Block]:
    merged = MergedCells()
    cells: list[list[list[Block]]] = []
    rows: list[list[Cell]] = []
    for row in table.rows:
        texts: list[Cell] = []
        for cell in row.cells:
            if cell.is_merge_origin:
                merged.add(len(texts), cell.span_width, cell.span_height, cell.text)
            texts.append("" if cell.is_spanned else cell.text)
        cells.append([[Block(line) for line in str(text).split("\n") if line.strip()] for text in texts])
        rows.append(merged.filled(texts))
    yield from cell_blocks(cells, rows, has_structure=False, header_rows=int(table.first_row) or None, is_certain=False)
