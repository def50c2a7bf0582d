from __future__ import annotations

import io
from bisect import bisect_right
from pathlib import Path

import pypdf
import pytest
from tests.sources import load, pdf_of, write

from overstory_loaders import PdfLoader


def test_pages_follow_one_another_and_their_starts_are_known(tmp_path: Path) -> None:
    path = write(tmp_path / "report.pdf", pdf_of(["First page.\nSecond line.", "", "Third page."]))
    document = load(PdfLoader(), path).document
    assert document.text == "First page.\nSecond line.\n\nThird page."
    assert document.metadata == {"pages": 3, "page_starts": [0, 24, 26]}
    starts = document.metadata["page_starts"]
    assert isinstance(starts, list)
    assert bisect_right(starts, document.text.index("Third")) == 3


def test_the_title_is_the_authors_or_the_files(tmp_path: Path) -> None:
    titled = load(PdfLoader(), write(tmp_path / "a.pdf", pdf_of(["text"], title=" On  Salt "))).document
    assert titled.title == "On Salt"
    assert titled.metadata["author"] == "Ada"
    junk = load(PdfLoader(), write(tmp_path / "b.pdf", pdf_of(["text"], title="Microsoft Word - b.docx"))).document
    assert junk.title == "b"


def test_words_parted_at_line_ends_are_joined(tmp_path: Path) -> None:
    pdf = pdf_of(["inter-\nnational trade of the Franco-\nPrussian war"])
    text = load(PdfLoader(), write(tmp_path / "a.pdf", pdf)).document.text
    assert text == "international trade of the Franco-\nPrussian war"


def test_an_empty_password_is_no_obstacle(tmp_path: Path) -> None:
    assert load(PdfLoader(), write(tmp_path / "a.pdf", pdf_of(["secret"], password=""))).document.text == "secret"


def test_a_password_is_asked_for(tmp_path: Path) -> None:
    outcome = load(PdfLoader(), write(tmp_path / "a.pdf", pdf_of(["secret"], password="hunter2")))
    assert outcome.messages == ["is encrypted, and needs a password"]
    assert "qpdf --decrypt" in outcome.broken[0].remedy


def test_pages_without_text_are_probably_scanned(tmp_path: Path) -> None:
    outcome = load(PdfLoader(), write(tmp_path / "a.pdf", pdf_of(["", ""])))
    assert outcome.messages == ["has no text on its 2 pages: they are probably scanned images"]
    assert "ocrmypdf" in outcome.broken[0].remedy


def test_a_page_that_cannot_be_read_is_reported_and_the_others_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.pdf", pdf_of(["one", "two", "three"]))
    extract = pypdf.PageObject.extract_text

    def fail_on_second(page: pypdf.PageObject) -> str:
        if page.page_number == 1:
            raise ValueError("bad font")
        return extract(page)

    monkeypatch.setattr(pypdf.PageObject, "extract_text", fail_on_second)
    outcome = load(PdfLoader(), path)
    assert outcome.messages == ["page 2 cannot be read: its structure is invalid (bad font)"]
    assert [document.text for document in outcome.documents] == ["one\n\nthree"]


def test_a_file_that_breaks_off_is_no_document_or_part_of_one(tmp_path: Path) -> None:
    whole = pdf_of([f"page {number}" for number in range(50)])
    for share in range(1, 20):
        outcome = load(PdfLoader(), write(tmp_path / "a.pdf", whole[: len(whole) * share // 20]))
        assert bool(outcome.documents) != bool(outcome.messages)


def test_what_is_wrong_is_said_without_names_of_exceptions(tmp_path: Path) -> None:
    whole = pdf_of(["one", "two"])
    short = load(PdfLoader(), write(tmp_path / "short.pdf", whole[: len(whole) // 2]))
    assert short.messages == ["is not a PDF, or is damaged: it breaks off"]
    wrong = load(PdfLoader(), write(tmp_path / "wrong.pdf", whole.replace(b"/Pages", b"/Pagez")))
    assert wrong.messages == ["is not a PDF, or is damaged: Invalid object in /Pages"]


def test_a_file_without_pages_is_reported(tmp_path: Path) -> None:
    stream = io.BytesIO()
    pypdf.PdfWriter().write(stream)
    assert load(PdfLoader(), write(tmp_path / "a.pdf", stream.getvalue())).messages == ["has no pages"]
