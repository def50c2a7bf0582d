from __future__ import annotations

import io
import subprocess
import sys
from bisect import bisect_right
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pypdf
import pytest
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, NumberObject, StreamObject, TextStringObject
from tests.sources import load, pdf_of, write

from overstory_loaders import PdfLoader, pdf
from overstory_loaders.pdf import pdf_date


def test_pages_follow_one_another_and_their_starts_are_known(tmp_path: Path) -> None:
    path = write(tmp_path / "report.pdf", pdf_of(["First page.\nSecond line.", "", "Third page."]))
    document = load(PdfLoader(), path).document
    assert document.text == "First page.\nSecond line.\n\nThird page."
    assert document.metadata == {"producer": "pypdf", "pages": 3, "page_starts": [0, 24, 26]}
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


def test_blank_pages_are_said_to_have_no_text(tmp_path: Path) -> None:
    outcome = load(PdfLoader(), write(tmp_path / "a.pdf", pdf_of(["", ""])))
    assert outcome.messages == ["has no text on its 2 pages, and text recognition found none"]


@pytest.mark.slow
def test_a_page_that_cannot_be_read_is_reported_and_the_others_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.pdf", pdf_of(["one", "two", "three"]))
    extract = pypdf.PageObject.extract_text

    def fail_on_second(page: pypdf.PageObject, **visitors: Any) -> str:
        if page.page_number == 1:
            raise ValueError("bad font")
        return extract(page, **visitors)

    monkeypatch.setattr(pypdf.PageObject, "extract_text", fail_on_second)
    outcome = load(PdfLoader(), path)
    assert outcome.messages == ["page 2 cannot be read: its structure is invalid (bad font)"]
    assert [document.text for document in outcome.documents] == ["one\n\nthree"]


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("_PAGE_OPERATION_LIMIT", "has more than 20 drawing operations, too much to read at once"),
        ("WHOLE_FILE_BYTE_LIMIT", "has more than 0 MiB of text, too much to read at once"),
    ],
)
def test_a_small_file_with_endless_pages_is_left_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, message: str
) -> None:
    path = write(tmp_path / "a.pdf", pdf_of(["one two three"] * 20))
    monkeypatch.setattr(pdf, limit, 20)
    outcome = load(PdfLoader(), path)
    assert (outcome.messages, outcome.documents) == ([message], [])
    assert "qpdf" in outcome.broken[0].remedy


def test_a_file_that_breaks_off_is_no_document_or_part_of_one(tmp_path: Path) -> None:
    whole = pdf_of([f"page {number}" for number in range(50)])
    for share in range(1, 20):
        outcome = load(PdfLoader(), write(tmp_path / "a.pdf", whole[: len(whole) * share // 20]))
        assert bool(outcome.documents) != bool(outcome.messages)


def test_what_is_wrong_is_said_without_names_of_exceptions(tmp_path: Path) -> None:
    whole = pdf_of(["one", "two"])
    short = load(PdfLoader(), write(tmp_path / "short.pdf", whole[: len(whole) // 2]))
    assert short.messages == ["is not a PDF, or is damaged: it ends unexpectedly"]
    wrong = load(PdfLoader(), write(tmp_path / "wrong.pdf", whole.replace(b"/Pages", b"/Pagez")))
    assert wrong.messages == ["is not a PDF, or is damaged: Invalid object in /Pages"]


def test_nothing_is_printed_about_oddities_of_a_file_and_a_log_has_them(tmp_path: Path) -> None:
    path = write(tmp_path / "a.pdf", pdf_of(["Hello."]).replace(b"startxref\n", b"startxref\n1"))
    read = "import sys; from overstory_loaders import PdfLoader; list(PdfLoader().load(sys.argv[1], on_broken=print))"
    printed = [
        subprocess.run([sys.executable, "-c", code, path], capture_output=True, check=True, text=True)
        for code in (read, f"import logging; logging.basicConfig(); {read}")
    ]
    assert printed[0].stdout == printed[0].stderr == ""
    assert "WARNING:pypdf" in printed[1].stderr


def test_a_file_without_pages_is_reported(tmp_path: Path) -> None:
    stream = io.BytesIO()
    pypdf.PdfWriter().write(stream)
    assert load(PdfLoader(), write(tmp_path / "a.pdf", stream.getvalue())).messages == ["has no pages"]


def test_what_a_file_says_of_itself_is_metadata(tmp_path: Path) -> None:
    writer = pypdf.PdfWriter()
    writer.append(io.BytesIO(pdf_of(["Salt."])))
    writer.add_metadata(
        {
            "/Keywords": "salt, pepper; salt",
            "/CreationDate": "D:20240229120000+01'00'",
            "/ModDate": "last spring",
            "/Department": "D:20240229",
        }
    )
    writer.root_object[NameObject("/Lang")] = TextStringObject("de-CH")
    stream = io.BytesIO()
    writer.write(stream)
    document = load(PdfLoader(), write(tmp_path / "a.pdf", stream.getvalue())).document
    assert {key: value for key, value in document.metadata.items() if not key.startswith("page")} == {
        "language": "de-CH",
        "producer": "pypdf",
        "keywords": ["salt", "pepper"],
        "created": datetime(2024, 2, 29, 12, tzinfo=timezone(timedelta(hours=1))),
        "modified": "last spring",
        "department": "D:20240229",
    }


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("D:20240229123015Z", "2024-02-29T12:30:15+00:00"),
        ("D:20240229123015-05'30'", "2024-02-29T12:30:15-05:30"),
        ("D:20240229123015+01'00", "2024-02-29T12:30:15+01:00"),
        ("D:20240229123015Z00'00'", "2024-02-29T12:30:15+00:00"),
        ("20240229", "2024-02-29T00:00:00+00:00"),
        ("D:2024", "2024-01-01T00:00:00+00:00"),
        ("D:20230229", None),
        ("D:00000000", None),
        ("yesterday", None),
    ],
)
def test_dates_of_a_pdf_may_be_short(text: str, date: str | None) -> None:
    found = pdf_date(text)
    assert (found and found.isoformat()) == date


def test_gaps_between_words_are_found_in_fonts_without_a_space(tmp_path: Path) -> None:
    # As XeTeX writes them: glyphs by their numbers, of which the 32nd is wide, and gaps as offsets.
    writer = pypdf.PdfWriter()
    page = writer.add_blank_page(600, 400)
    letters = "thequickbrownfoxjumpsoverlazydog"
    numbers = {letter: 40 + number for number, letter in enumerate(dict.fromkeys(letters))}
    mapped = "".join(f"<{number:04x}> <{ord(letter):04x}>\n" for letter, number in numbers.items())
    to_unicode = StreamObject()
    to_unicode.set_data(f"{len(numbers)} beginbfchar\n{mapped}endbfchar\n".encode())
    widths = [NumberObject(32), ArrayObject([NumberObject(1000)])]
    for number in numbers.values():
        widths += [NumberObject(number), ArrayObject([NumberObject(500)])]
    descendant = {
        "/Type": NameObject("/Font"),
        "/Subtype": NameObject("/CIDFontType2"),
        "/BaseFont": NameObject("/F"),
        "/DW": NumberObject(500),
        "/W": ArrayObject(widths),
    }
    font = {
        "/Type": NameObject("/Font"),
        "/Subtype": NameObject("/Type0"),
        "/BaseFont": NameObject("/F"),
        "/Encoding": NameObject("/Identity-H"),
        "/ToUnicode": writer._add_object(to_unicode),  # pyright: ignore[reportPrivateUsage] # there is no other way
        "/DescendantFonts": ArrayObject([_dictionary(descendant)]),
    }
    page[NameObject("/Resources")] = _dictionary({"/Font": _dictionary({"/F1": _dictionary(font)})})
    words = "the quick brown fox jumps over the lazy dog"
    shown = "-255".join(f"<{''.join(f'{numbers[letter]:04x}' for letter in word)}>" for word in words.split(" "))
    contents = StreamObject()
    contents.set_data(("BT /F1 10 Tf 10 380 Td " + f"[{shown}]TJ 0 -12 Td " * 4 + "ET").encode())
    page[NameObject("/Contents")] = writer._add_object(contents)  # pyright: ignore[reportPrivateUsage] # as above
    stream = io.BytesIO()
    writer.write(stream)
    text = load(PdfLoader(), write(tmp_path / "a.pdf", stream.getvalue())).document.text
    assert text.split("\n") == [words] * 4


def _dictionary(entries: dict[str, Any]) -> DictionaryObject:
    return DictionaryObject({NameObject(name): value for name, value in entries.items()})
