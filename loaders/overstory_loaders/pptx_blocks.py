"""Converts the slides of an open presentation to blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.oxml.ns import qn
from pptx.oxml.xmlchemy import BaseOxmlElement as Element
from pptx.shapes.base import BaseShape
from pptx.shapes.graphfrm import GraphicFrame
from pptx.shapes.group import GroupShape
from pptx.slide import Slide
from pptx.table import Table

from overstory_loaders.blocks import Block
from overstory_loaders.table_text import table_blocks

_AROUND = frozenset({PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.HEADER, PP_PLACEHOLDER.SLIDE_NUMBER})
"""Placeholders of what stands on every slide."""


def slide_blocks(slide: Slide, number: int) -> Iterator[Block]:
    """The title of a slide as a heading ("Slide 3" for one without), its texts, tables and charts, then its notes."""
    title = slide.shapes.title
    heading = " ".join(title.text_frame.text.split()) if title is not None else ""
    yield Block(heading or f"Slide {number}", level=1, opens_page=True)
    yield from _blocks(slide.shapes, None if title is None else title.shape_id)
    if slide.has_notes_slide and (notes := slide.notes_slide.notes_text_frame) is not None and notes.text.strip():
        yield Block(f"Notes: {notes.text}")


def is_hidden(slide: Slide) -> bool:
    """Whether a slide is left out when the presentation is shown."""
    return slide.element.get("show") in ("0", "false")


def _blocks(shapes: Iterable[BaseShape], title: int | None) -> Iterator[Block]:
    for shape in shapes:
        if shape.shape_id == title or (shape.is_placeholder and shape.placeholder_format.type in _AROUND):
            continue
        if isinstance(shape, GroupShape):
            yield from _blocks(shape.shapes, title)
        elif shape.has_text_frame:
            yield Block(cast("str", shape.text_frame.text))  # type: ignore[attr-defined] # as `has_text_frame` says
        elif isinstance(shape, GraphicFrame) and shape.has_table:
            yield from _table(shape.table)
        elif isinstance(shape, GraphicFrame) and shape.has_chart and (chart := _chart_of(shape)) is not None:
            yield from _chart(chart)  # its own lists are as long as a file says that they are


def _chart_of(frame: GraphicFrame) -> Element | None:
    """None where the part with the chart is lost, which was said when the file was opened."""
    try:
        element: Element = frame.chart.element
    except KeyError:
        return None
    return element


def _table(table: Table) -> Iterator[Block]:
    rows = ([cell.text for cell in row.cells] for row in table.rows)
    yield from table_blocks(rows, has_header=table.first_row)


def _chart(space: Element) -> Iterator[Block]:
    """The title of a chart, and its figures as a table with a row per category and a column per series."""
    if (title := space.find(f"{qn('c:chart')}/{qn('c:title')}")) is not None:
        yield Block("".join(str(each.text or "") for each in title.iter(qn("a:t"))))
    labels: dict[str, str] = {}
    columns: list[tuple[str, dict[str, str]]] = []
    for series in space.iter(qn("c:ser")):
        labels |= _points(series, "c:cat", "c:xVal")
        columns.append((" ".join(_points(series, "c:tx").values()), _points(series, "c:val", "c:yVal")))
    places = dict.fromkeys([*labels, *(place for _, points in columns for place in points)])
    rows = [[labels.get(place, ""), *(points.get(place, "") for _, points in columns)] for place in places]
    yield from table_blocks([["", *(name for name, _ in columns)], *rows], has_header=True)


def _points(series: Element, *kinds: str) -> dict[str, str]:
    """The texts of a series by their place."""
    found = next((node for kind in kinds if (node := series.find(qn(kind))) is not None), None)
    if found is None:
        return {}
    return {
        str(point.get("idx") or ""): " ".join(str(value.text or "") for value in point.iter(qn("c:v")))
        for point in found.iter(qn("c:pt"))
    }
