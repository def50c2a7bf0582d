from __future__ import annotations

import io
from pathlib import Path
from typing import cast

import pptx
import pytest
from pptx.chart.data import CategoryChartData, ChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.presentation import Presentation
from pptx.shapes.graphfrm import GraphicFrame
from pptx.util import Inches
from tests.sources import damaged, load, parts_of, pptx_of, write, zip_of

from overstory.model.metadata import page_of, page_starts
from overstory_loaders import PptxLoader
from overstory_loaders.pptx import HIDDEN_SLIDES

SQUARE = (Inches(1), Inches(1), Inches(3), Inches(3))


def test_a_slide_is_a_page_with_its_title_as_heading_and_its_notes(tmp_path: Path) -> None:
    presentation = pptx.Presentation(io.BytesIO(pptx_of(("Salt", "from the sea\nfrom rocks"), ("", "untitled"))))
    notes = presentation.slides[0].notes_slide.notes_text_frame
    assert notes
    notes.text = "Say hello."
    presentation.slides[1].element.set("show", "0")
    presentation.core_properties.author = "Ada"
    document = load(PptxLoader(), write(tmp_path / "talk.pptx", _bytes(presentation))).document
    assert document.text == "Salt\n\nfrom the sea\nfrom rocks\n\nNotes: Say hello.\n\nSlide 2\n\nuntitled"
    assert [(heading.level, heading.text) for heading in document.headings] == [(1, "Salt"), (1, "Slide 2")]
    assert document.title == "Salt"  # "PowerPoint Presentation" is what the library inserts
    assert (document.metadata["author"], document.metadata["pages"]) == ("Ada", 2)
    assert document.metadata[HIDDEN_SLIDES] == [2]
    place = document.text.index("untitled")
    assert page_of(place, document.text[place:], page_starts(document.metadata)) == 2


def test_tables_and_charts_name_their_columns_and_groups_are_read(tmp_path: Path) -> None:
    presentation = pptx.Presentation()
    shapes = presentation.slides.add_slide(presentation.slide_layouts[6]).shapes
    table = shapes.add_table(3, 2, *SQUARE).table
    for row, texts in enumerate([("Kind", "Home"), ("sea", "Oslo"), ("rock", "Wien")]):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    data = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = ["1905", "1906"]
    for name, values in {"Sold": (1.5, 2), "Lost": (None, 1)}.items():
        data.add_series(name, values)  # type: ignore[no-untyped-call]
    frame = shapes.add_chart(XL_CHART_TYPE.LINE, *SQUARE, cast("ChartData", data))  # its annotations name another class
    chart = cast("GraphicFrame", frame).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Sales"
    shapes.add_group_shape().shapes.add_textbox(*SQUARE).text_frame.text = "in a group"
    document = load(PptxLoader(), write(tmp_path / "talk.pptx", _bytes(presentation))).document
    assert document.text.split("\n\n") == [
        "Slide 1",
        "Kind: sea | Home: Oslo\nKind: rock | Home: Wien",
        "Sales",
        "1905 | Sold: 1.5\n1906 | Sold: 2 | Lost: 1",
        "in a group",
    ]
    assert document.title == "talk"


@pytest.mark.parametrize("is_strict", [False, True])
def test_damaged_slides_and_what_belongs_to_others_are_reported_by_number_and_the_rest_kept(
    is_strict: bool, tmp_path: Path
) -> None:
    presentation = pptx.Presentation(io.BytesIO(pptx_of(("Salt", "from the sea"), ("Lost", "x"), ("Oil", "of olives"))))
    notes = presentation.slides[2].notes_slide.notes_text_frame
    assert notes
    notes.text = "Say hello."
    data = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = ["1905"]
    data.add_series("Sold", (1,))  # type: ignore[no-untyped-call]
    presentation.slides[0].shapes.add_chart(XL_CHART_TYPE.LINE, *SQUARE, cast("ChartData", data))
    parts = parts_of(_bytes(presentation))
    (chart,) = (name for name in parts if name.startswith("ppt/charts/chart"))
    part = "ppt/notesSlides/notesSlide1.xml"
    parts[part] = b"<p:notes"
    if is_strict:
        usual, strict = (
            b"http://schemas.openxmlformats.org/officeDocument/2006/",
            b"http://purl.oclc.org/ooxml/officeDocument/",
        )
        parts = {name: part.replace(usual, strict) for name, part in parts.items()}
    content = damaged(zip_of(parts), "ppt/slides/slide2.xml", chart)
    loaded = load(PptxLoader(), write(tmp_path / "talk.pptx", content))
    assert sorted(loaded.messages) == [
        f"slide 1: its chart ({chart}) cannot be read: its data are damaged",
        "slide 2 (ppt/slides/slide2.xml) cannot be read: its data are damaged",
        f"slide 3: its notes ({part}) cannot be read: is not well-formed XML: unclosed token",
    ]
    (document,) = loaded.documents
    assert document.text == "Salt\n\nfrom the sea\n\nSlide 2\n\nOil\n\nof olives"
    assert page_of(document.text.index("of"), "of olives", page_starts(document.metadata)) == 3
    assert document.metadata["pages"] == 3


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (
            "ppt/presentation.xml",
            "is not a PPTX, or is damaged: its main part (ppt/presentation.xml) cannot be read",
        ),
        (
            "ppt/_rels/presentation.xml.rels",
            "none of its slides can be read: its relations (ppt/_rels/presentation.xml.rels) cannot be read",
        ),
    ],
)
def test_a_presentation_of_which_no_slide_can_be_read_is_refused(part: str, message: str, tmp_path: Path) -> None:
    loaded = load(PptxLoader(), write(tmp_path / "talk.pptx", damaged(pptx_of(("Salt", "x")), part)))
    assert (loaded.documents, loaded.messages) == ([], [f"{message}: its data are damaged"])


def _bytes(presentation: Presentation) -> bytes:
    stream = io.BytesIO()
    presentation.save(stream)
    return stream.getvalue()
