"""Pages without a text layer, and pictures: RapidOCR itself reads them."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pypdf
import pytest
from PIL import Image
from tests.sources import load, pdf_of, picture_of, scan_of, tiff_of, write

from overstory.errors import BrokenSource
from overstory.sources.walk import read_sources
from overstory_loaders import ImageLoader, PdfLoader
from overstory_loaders.recognition import RecognisedLine, page_of_lines

BUILT = "The lighthouse of Fanad was built in 1817"
SMALL = (640, 300)
"""Size of a page: a PDF is drawn in a fine resolution, and a large page takes seconds to recognise."""


def test_of_a_pdf_only_the_pages_without_text_are_recognised(tmp_path: Path) -> None:
    writer = pypdf.PdfWriter()
    writer.append(io.BytesIO(pdf_of(["A page with text."])))
    writer.append(io.BytesIO(scan_of(picture_of(BUILT, size=SMALL), Image.new("RGB", SMALL, "white"))))
    stream = io.BytesIO()
    writer.write(stream)
    document = load(PdfLoader(), write(tmp_path / "report.pdf", stream.getvalue())).document
    assert document.text == f"A page with text.\n\n{BUILT}"
    assert document.metadata["ocr_pages"] == [2]
    assert document.metadata["pages"] == 3
    assert isinstance(confidence := document.metadata["ocr_confidence"], float)
    assert 0.8 < confidence <= 1


def test_without_the_extra_a_scan_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    outcome = load(PdfLoader(), write(tmp_path / "scan.pdf", scan_of(picture_of(BUILT))))
    assert outcome.messages == ["has no text on its 1 pages: they are probably scanned images"]
    assert "overstory[ocr]" in outcome.broken[0].remedy


def test_the_pictures_of_a_tiff_are_pages(tmp_path: Path) -> None:
    path = write(
        tmp_path / "scan.tiff", tiff_of(picture_of(BUILT), picture_of("Its lamp burned nine wicks", "in 1817"))
    )
    document = load(ImageLoader(), path).document
    assert document.text == f"{BUILT}\n\nIts lamp burned nine wicks\nin 1817"
    assert document.metadata["page_starts"] == [0, len(BUILT) + 2]


@pytest.mark.parametrize(
    ("suffix", "kind"),
    [("png", "PNG"), *(pytest.param(name, "JPEG", marks=pytest.mark.slow) for name in ("jpg", "JPEG"))],
)
def test_a_picture_with_text_is_a_page_and_one_without_is_skipped(suffix: str, kind: str, tmp_path: Path) -> None:
    for name, picture in {"page": picture_of(BUILT, size=SMALL), "photo": Image.new("RGB", SMALL, "white")}.items():
        picture.save(tmp_path / f"{name}.{suffix}", kind)
    page, photo = tmp_path / f"page.{suffix}", tmp_path / f"photo.{suffix}"
    assert ImageLoader().recognises(str(page))
    document = load(ImageLoader(), page).document
    assert (document.text, document.metadata["pages"]) == (BUILT, 1)
    broken: list[BrokenSource] = []
    skipped: list[str] = []
    report = read_sources([str(tmp_path)], loader=None, on_broken=broken.append, on_skipped=skipped.append)
    assert [each.source for each in report] == [page.as_posix()]
    assert broken == []
    assert skipped == [f"{photo} (a picture without text)"]


@pytest.mark.slow
def test_a_photo_of_a_page_is_turned_as_its_camera_says(tmp_path: Path) -> None:
    turned = picture_of(BUILT, size=SMALL).rotate(90, expand=True)
    exif = Image.Exif()
    exif[0x0112] = 6
    turned.save(tmp_path / "page.jpg", exif=exif)
    assert load(ImageLoader(), tmp_path / "page.jpg").document.text == BUILT


def test_without_the_extra_a_picture_is_skipped_and_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture_of(BUILT, size=SMALL).save(tmp_path / "page.png")
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    assert not ImageLoader().recognises(str(tmp_path / "page.png"))
    why = ImageLoader().why_not(str(tmp_path / "page.png"))
    assert why
    assert "ocr]" in why.remedy


def test_lines_become_rows_and_paragraphs_and_doubtful_ones_are_left_out() -> None:
    lines = [
        RecognisedLine("right", 1.0, 500, 12, 32),
        RecognisedLine("left", 0.5, 10, 10, 30),
        RecognisedLine("below", 1.0, 10, 35, 55),
        RecognisedLine("noise", 0.3, 10, 60, 80),
        RecognisedLine("apart", 1.0, 10, 100, 120),
    ]
    page = page_of_lines(lines)
    assert (page.text, page.left_out) == ("left right\nbelow\n\napart", 1)
    assert round(page.confidence, 3) == round((5 + 2 + 5 + 5) / 19, 3)
