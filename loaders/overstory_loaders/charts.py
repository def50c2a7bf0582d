"""Converts the charts in Office files to text."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from overstory_loaders.blocks import Block
from overstory_loaders.table_text import table_blocks

CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"


def chart_blocks(space: Element) -> Iterator[Block]:
    """Yield the title of a chart, then its figures as a table with a row per category and a column per series.

    Args:
        space: root of the chart's part, parsed by any library with the interface of `Element`.
    """
    if (title := space.find(f"{CHART}chart/{CHART}title")) is not None:
        yield Block("".join(str(each.text or "") for each in title.iter(f"{_DRAWING}t")))
    labels: dict[str, str] = {}
    columns: list[tuple[str, dict[str, str]]] = []
    for series in space.iter(f"{CHART}ser"):
        labels |= _points(series, "cat", "xVal")
        columns.append((" ".join(_points(series, "tx").values()), _points(series, "val", "yVal")))
    places = dict.fromkeys([*labels, *(place for _, points in columns for place in points)])
    rows = [[labels.get(place, ""), *(points.get(place, "") for _, points in columns)] for place in places]
    yield from table_blocks([["", *(name for name, _ in columns)], *rows], header_rows=1)


def _points(series: Element, *kinds: str) -> dict[str, str]:
    found = next((node for kind in kinds if (node := series.find(f"{CHART}{kind}")) is not None), None)
    if found is None:
        return {}
    return {
        str(point.get("idx") or ""): " ".join(str(value.text or "") for value in point.iter(f"{CHART}v"))
        for point in found.iter(f"{CHART}pt")
    }
