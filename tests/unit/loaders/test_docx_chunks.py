"""Files that are part of the text of a DOCX: inserted files (`altChunk`) and charts."""

from __future__ import annotations

import io
from pathlib import Path
from typing import cast

import docx
import pptx
import pytest
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from pptx.chart.data import CategoryChartData, ChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.shapes.graphfrm import GraphicFrame
from pptx.util import Inches
from tests.sources import docx_of, load, write

from overstory_loaders import DocxLoader

HTML = "<html><body><p>The tenant is Mira Toft.</p><table><tr><th>Net<td>500<tr><th>VAT<td>95</table></body></html>"
MHT = (
    'MIME-Version: 1.0\nContent-Type: multipart/related; boundary="b"\n\n--b\nContent-Type: text/html; charset=utf-8\n'
    "Content-Transfer-Encoding: quoted-printable\n\n<p>The tenant is Mira T=C3=B8ft.</p>\n--b\n"
    "Content-Type: image/png\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n--b--\n"
)


def _with_chunk(name: str, content: bytes) -> bytes:
    word = docx.Document()
    word.add_paragraph("Lease of 2024")
    part = Part(PackURI(f"/word/{name}"), "application/octet-stream", content, word.part.package)
    relation = word.part.relate_to(part, RELATIONSHIP_TYPE.A_F_CHUNK)
    chunk = parse_xml(f'<w:altChunk {nsdecls("w", "r")} r:id="{relation}"/>')
    word.element.body.insert(1, chunk)
    word.add_paragraph("Signed.")
    stream = io.BytesIO()
    word.save(stream)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("chunk.htm", HTML.encode(), "The tenant is Mira Toft.\n\nNet: 500\nVAT: 95"),
        ("chunk.mht", MHT.encode(), "The tenant is Mira Tøft."),
        ("chunk.rtf", rb"{\rtf1\ansi The tenant is Mira T\'f8ft.\par Or not.}", "The tenant is Mira Tøft.\n\nOr not."),
        ("chunk.docx", docx_of(("Normal", "The tenant is Mira Toft.")), "The tenant is Mira Toft."),
        ("inner.docx", _with_chunk("chunk.htm", b"<p>Inside.</p>"), "Lease of 2024\n\nInside.\n\nSigned."),
        ("chunk.txt", "The tenant is Mira Tøft.\n\nOr not.".encode(), "The tenant is Mira Tøft.\n\nOr not."),
    ],
)
def test_an_inserted_file_is_read_in_its_place(name: str, content: bytes, text: str, tmp_path: Path) -> None:
    document = load(DocxLoader(), write(tmp_path / "a.docx", _with_chunk(name, content))).document
    assert document.text == f"Lease of 2024\n\n{text}\n\nSigned."


def test_an_inserted_file_that_is_damaged_is_reported(tmp_path: Path) -> None:
    outcome = load(DocxLoader(), write(tmp_path / "a.docx", _with_chunk("a.docx", b"PK damaged")))
    assert [document.text for document in outcome.documents] == ["Lease of 2024\n\nSigned."]
    assert outcome.messages == ["its inserted file (altChunk) cannot be read: is not a DOCX: File is not a zip file"]


def test_files_inserted_in_files_end_at_some_depth(tmp_path: Path) -> None:
    content = docx_of(("Normal", "innermost"))
    for _ in range(7):
        content = _with_chunk("a.docx", content)
    outcome = load(DocxLoader(), write(tmp_path / "a.docx", content))
    assert outcome.messages == ["its inserted file (altChunk) cannot be read: it is nested more than 5 files deep"]


def test_the_figures_of_a_chart_are_read(tmp_path: Path) -> None:
    data = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = ["1905", "1906"]
    data.add_series("Sold", (1.5, 2))  # type: ignore[no-untyped-call]
    slides = pptx.Presentation()
    shapes = slides.slides.add_slide(slides.slide_layouts[6]).shapes
    inch = Inches(1)
    frame = shapes.add_chart(XL_CHART_TYPE.LINE, inch, inch, inch, inch, cast("ChartData", data))  # as in test_pptx
    blob = cast("GraphicFrame", frame).chart.part.blob
    word = docx.Document()
    part = Part(PackURI("/word/charts/chart1.xml"), "application/xml", blob, word.part.package)
    relation = word.part.relate_to(part, RELATIONSHIP_TYPE.CHART)
    space = 'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
    drawing = f'<w:drawing {nsdecls("w", "r")}><c:chart {space} r:id="{relation}"/></w:drawing>'
    word.add_paragraph("Sales:").add_run()._r.append(parse_xml(drawing))
    stream = io.BytesIO()
    word.save(stream)
    document = load(DocxLoader(), write(tmp_path / "a.docx", stream.getvalue())).document
    assert document.text == "Sales:\n\n1905 | Sold: 1.5\n1906 | Sold: 2"


def test_properties_that_a_template_has_set_are_left_out(tmp_path: Path) -> None:
    document = load(DocxLoader(), write(tmp_path / "a.docx", docx_of(("Normal", "Said.")))).document
    assert document.metadata.keys() <= {"revision"}
    word = docx.Document()
    word.add_paragraph("Said.")
    word.core_properties.author = "Ada"
    stream = io.BytesIO()
    word.save(stream)
    document = load(DocxLoader(), write(tmp_path / "b.docx", stream.getvalue())).document
    assert document.metadata["author"] == "Ada"
    assert "created" not in document.metadata
