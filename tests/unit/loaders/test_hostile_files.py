"""Small files that would take all memory or hours: each is an ordinary broken file."""

from __future__ import annotations

import io
import zipfile
from email.message import EmailMessage
from pathlib import Path

import pytest
from tests.hostile import DRAWN_TWICE, SELF_DRAWING, form, pdf_with, stream
from tests.sources import docx_of, odf_of, parts_of, pptx_of, write, xlsx_of, zip_of

from overstory.errors import BrokenSource
from overstory.model import Document
from overstory.protocols import Loader
from overstory.sources.loader_runner import LoaderRunner
from overstory.sources.reading_process import ReadingLimits, ReadingProcess
from overstory_loaders import (
    ArchiveLoader,
    DocxLoader,
    MailLoader,
    OdfLoader,
    PdfLoader,
    PptxLoader,
    RstLoader,
    XlsxLoader,
)

HOSTILE_LIMITS = ReadingLimits(memory_gigabytes=0.5, seconds=20)
LARGE_CELL_MEGABYTES = 300
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
WORDS = b"BT /F 12 Tf 10 10 Td (Some words) Tj ET"


FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
EACH_OTHER_DRAWING = pdf_with(b"/A Do", form(DRAWN_TWICE, of=6), form(DRAWN_TWICE, of=5))
DRAWING_64_FORMS_TWICE = pdf_with(
    b"/A Do", *(form(DRAWN_TWICE, of=6 + number) for number in range(64)), stream(b"", b"")
)
NESTED_PAGES = pdf_with(
    WORDS,
    FONT,
    *(b"<< /Type /Pages /Parent 2 0 R /Kids [%s] /Count 9 >>" % (b"%d 0 R " % (7 + level) * 9) for level in range(40)),
    b"<< /Type /Pages /Parent 2 0 R /Kids [3 0 R] /Count 1 >>",
    kids=b"6 0 R",
    count=9**9,
)


def with_large_part(content: bytes, name: str, before: str, after: str) -> bytes:
    """A package in which one part is 300 million letters between two texts."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as package:
        for part, data in parts_of(content).items():
            if part != name:
                package.writestr(part, data)
        with package.open(name, "w", force_zip64=True) as large:
            large.write(before.encode())
            for _ in range(LARGE_CELL_MEGABYTES):
                large.write(b"x" * 10**6)
            large.write(after.encode())
    return made.getvalue()


def read(path: Path, loader: Loader, limits: ReadingLimits) -> tuple[list[str], list[BrokenSource]]:
    """The texts of a file, and what is broken, as its worker says."""
    broken: list[BrokenSource] = []
    with ReadingProcess(limits) as process:
        loading = LoaderRunner(broken.append, print, print, encoding="", process=process)
        items = loading.items(str(path), loader)
        return [item.text for item in items if isinstance(item, Document)], broken


@pytest.mark.slow
@pytest.mark.parametrize(
    "content", [SELF_DRAWING, EACH_OTHER_DRAWING, DRAWING_64_FORMS_TWICE, NESTED_PAGES],
    ids=["itself", "each other", "64 forms", "pages"],
)  # fmt: skip
def test_a_pdf_that_draws_without_end_is_broken(content: bytes, tmp_path: Path) -> None:
    path = write(tmp_path / "a.pdf", content)
    texts, broken = read(path, PdfLoader(), HOSTILE_LIMITS)
    assert texts == []
    assert {error.source for error in broken} == {str(path)}
    assert broken[-1].remedy


@pytest.mark.slow
@pytest.mark.parametrize("words", [WORDS, WORDS.replace(b"Some words", b" ")], ids=["words", "blank"])
def test_a_pdf_that_lists_one_page_again_and_again_is_broken(words: bytes, tmp_path: Path) -> None:
    content = pdf_with(words, FONT, kids=b"3 0 R " * 100_000, count=100_000)
    texts, (broken,) = read(write(tmp_path / "a.pdf", content), PdfLoader(), HOSTILE_LIMITS)
    assert (texts, broken.reason) == ([], "lists the same page more than 1,000 times")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["xlsx", "ods", "docx"])
def test_a_very_long_cell_or_paragraph_is_broken(kind: str, tmp_path: Path) -> None:
    content, loader = large(kind)
    path = write(tmp_path / f"a.{kind}", content)
    texts, (broken,) = read(path, loader, ReadingLimits())
    assert texts == []
    assert "MiB" in broken.reason or "GB of memory" in broken.reason


def large(kind: str) -> tuple[bytes, Loader]:
    """A file with a cell or a paragraph of 300 million letters."""
    if kind == "xlsx":
        start = f'<worksheet xmlns="{SHEET}"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>'
        end = "</t></is></c></row></sheetData></worksheet>"
        return with_large_part(xlsx_of(S=[["x"]]), "xl/worksheets/sheet1.xml", start, end), XlsxLoader()
    if kind == "docx":
        return with_large_part(
            zip_of({"[Content_Types].xml": "<x/>"}), "word/document.xml", "<w>", "</w>"
        ), DocxLoader()
    cell = "<table:table-row><table:table-cell><text:p>MARK</text:p></table:table-cell></table:table-row>"
    sheet = f'<office:spreadsheet><table:table table:name="S">{cell}</table:table></office:spreadsheet>'
    empty = odf_of(sheet, kind="spreadsheet")
    start, _, end = parts_of(empty)["content.xml"].decode().partition("MARK")
    return with_large_part(empty, "content.xml", start, end), OdfLoader()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["zip", "eml"])
def test_of_an_archive_or_a_message_only_the_hostile_file_is_broken(kind: str, tmp_path: Path) -> None:
    files = {"a.txt": b"First.", "b.pdf": SELF_DRAWING, "c.html": b"<p>Third."}
    path = write(tmp_path / f"a.{kind}", zip_of(files) if kind == "zip" else message(files))
    texts, (broken,) = read(path, ArchiveLoader() if kind == "zip" else MailLoader(), ReadingLimits())
    assert [text for text in texts if "Hello" not in text] == ["First.", "Third."]
    assert broken.source == f"{path}/b.pdf"
    assert "memory" in broken.reason


def message(files: dict[str, bytes]) -> bytes:
    made = EmailMessage()
    made["Subject"], made["From"] = "Hello", "a@b.example"
    made.set_content("Hello.")
    for name, content in files.items():
        made.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return bytes(made)


def test_numbers_with_thousands_of_digits_are_no_failure(tmp_path: Path) -> None:
    digits = "9" * 5_000
    with pytest.raises(BrokenSource, match="cannot be parsed"):
        list(RstLoader().load(str(write(tmp_path / "a.rst", f"{digits}. one\n")), on_broken=print))
    message = f"From: a@b.example\nDate: Mon, 1 Jan {digits[:20]} 10:00:00 +0000\n\nHello.\n"
    (read,) = MailLoader().load(str(write(tmp_path / "a.eml", message)), on_broken=print)
    assert isinstance(read, Document)


@pytest.mark.parametrize("root", ["<x/>", f'<w:document xmlns:w="{WORD}"/>'], ids=["another", "empty"])
@pytest.mark.parametrize(
    ("content", "main", "loader"),
    [
        (docx_of(("Normal", "Hello.")), "word/document.xml", DocxLoader()),
        (pptx_of(("Hello", "World.")), "ppt/presentation.xml", PptxLoader()),
    ],
    ids=["docx", "pptx"],
)
def test_another_main_part_is_damage(content: bytes, main: str, loader: Loader, root: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"a.{loader.name}", zip_of(parts_of(content) | {main: root.encode()}))
    with pytest.raises(BrokenSource, match="or is damaged") as caught:
        list(loader.load(str(path), on_broken=print))
    assert caught.value.remedy
