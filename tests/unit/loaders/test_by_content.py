"""Files whose names do not say what they are, and compressed ones: read as those that are named rightly."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.sources import docx_of, epub_of, mail_of, mbox_of, notebook_of, odf_of, pdf_of, pptx_of, write, xlsx_of

from overstory.model import Document, Link
from overstory.sources import catalogue, read_sources

TEXT = "The cafe in Oslo opened in 1895."
FILES: dict[str, tuple[str, bytes]] = {
    "pdf": (".pdf", pdf_of([TEXT])),
    "docx": (".docx", docx_of(("Normal", TEXT))),
    "xlsx": (".xlsx", xlsx_of(Cafes=[("Cafe", "City", "Opened"), (TEXT, "Oslo", 1895)])),
    "pptx": (".pptx", pptx_of(("Cafe", TEXT))),
    "epub": (".epub", epub_of({"1.xhtml": f"<p>{TEXT}</p>"})),
    "odf": (".odt", odf_of(f"<office:text><text:p>{TEXT}</text:p></office:text>")),
    "html": (".html", f"<!-- saved --><!DOCTYPE html><title>T</title><p>{TEXT}</p>".encode()),
    "xml": (".xml", f"<?xml version='1.0'?><cafe><p>{TEXT}</p></cafe>".encode()),
    "text": (".txt", TEXT.encode()),
    "mail": (".eml", b"Message-ID: <1@example.org>\n" + mail_of("Cafe", TEXT).as_bytes()),
}
NAMED_ONLY: dict[str, tuple[str, bytes]] = {
    "markdown": (".md", TEXT.encode()),
    "notebook": (".ipynb", notebook_of(("markdown", TEXT)).encode()),
    "settings": (".yaml", f"text: {TEXT}".encode()),
    "subtitles": (".srt", f"1\n00:00:01,000 --> 00:00:03,500\n{TEXT}\n".encode()),
    "code": (".py", f"# {TEXT}\nOPENED = 1895\n".encode()),
}


def read(path: Path) -> tuple[list[Document], list[str], list[str]]:
    """The documents of a path, what is broken, and what is skipped."""
    broken: list[str] = []
    skipped: list[str] = []
    items = read_sources(
        [str(path)],
        loader=None,
        on_broken=lambda error: broken.append(str(error)),
        on_skipped=skipped.append,
    )
    return [item for item in items if isinstance(item, Document)], broken, skipped


@pytest.mark.parametrize("name", ["report", "report.v2", "Report of 3.11.2024"])
@pytest.mark.parametrize("loader", FILES)
def test_a_file_without_a_known_ending_is_read_by_its_content(loader: str, name: str, tmp_path: Path) -> None:
    path = write(tmp_path / name, FILES[loader][1])
    found = catalogue().recognising(str(path))
    assert found is not None
    assert found.name == loader
    (document,), broken, _ = read(path)
    assert TEXT in document.text
    assert document.title == {"html": "T", "pptx": "Cafe", "mail": "Cafe"}.get(
        loader, name
    )  # those that have one of their own
    assert broken == []


@pytest.mark.parametrize("loader", FILES | NAMED_ONLY)
def test_a_compressed_file_is_read_as_the_plain_one(loader: str, tmp_path: Path) -> None:
    ending, content = (FILES | NAMED_ONLY)[loader]
    (plain, *_), _, _ = read(write(tmp_path / "plain" / f"Cafe{ending}", content))
    (document, *_), broken, _ = read(write(tmp_path / f"Cafe{ending}.gz", gzip.compress(content)))
    assert (document.text, document.metadata, document.headings) == (plain.text, plain.metadata, plain.headings)
    assert document.title.removesuffix(".gz") == plain.title
    assert broken == []


def test_the_folders_of_programs_for_mail_are_read(tmp_path: Path) -> None:
    first = mail_of("Cafe", TEXT, key="1@example.org")
    answer = mail_of("Re: Cafe", "Which one?", key="2@example.org", parents=["1@example.org"])
    write(tmp_path / "Inbox", mbox_of(first, answer))  # as Thunderbird
    write(tmp_path / "cur" / "1709210000.M1P7.host:2,S", b"Return-Path: <a@b>\n" + first.as_bytes())  # as a Maildir
    write(tmp_path / "cur" / "1709210001.M1P8.host:2,S", b"Return-Path: <a@b>\n" + answer.as_bytes())
    write(tmp_path / "notes", "From: the beginning\n\nto the end.")
    documents, broken, _ = read(tmp_path)
    assert [(document.title, Path(document.source).name[:10]) for document in documents] == [
        ("Cafe", "Inbox"),
        ("Re: Cafe", "Inbox"),
        ("Cafe", "1709210000"),
        ("Re: Cafe", "1709210001"),
        ("notes", "notes"),
    ]
    assert broken == []
    links = list(read_sources([str(tmp_path / "cur")], loader=None, on_broken=print, on_skipped=print))
    assert [Path(link.target_source).name[:10] for link in links if isinstance(link, Link)] == ["1709210000"]


def test_a_spreadsheet_without_a_known_ending_is_read_as_one(tmp_path: Path) -> None:
    rows = (
        "<office:spreadsheet><table:table table:name='Cafes'><table:table-row><table:table-cell><text:p>Salt</text:p>"
        "</table:table-cell></table:table-row></table:table></office:spreadsheet>"
    )
    content = odf_of(rows, kind="spreadsheet")
    (document,), broken, _ = read(write(tmp_path / "cafes.v1", content))
    assert document.text == "Cafes\n\nSalt"
    assert broken == []


def test_a_text_in_another_encoding_is_reported_and_a_program_is_skipped(tmp_path: Path) -> None:
    write(tmp_path / "README.Debian", b"caf\xe9 au lait")
    program = write(tmp_path / "sift.bin", b"\x7fELF\2\1\1" + b"\0" * 100)
    documents, broken, skipped = read(tmp_path)
    assert documents == []
    assert broken[0].endswith("README.Debian, line 1: is not UTF-8: byte 0xe9 at offset 3")
    assert skipped == [str(program)]


@pytest.mark.parametrize("name", ["changelog.Debian.gz", "ls.1.gz", "report.gz"])
def test_a_compressed_file_that_is_damaged_is_reported_whatever_it_was(name: str, tmp_path: Path) -> None:
    page = gzip.compress(b"".join(b".TH LS %d\n" % number for number in range(500)))
    garbled = page[:40] + bytes(each ^ 0x5A for each in page[40:80]) + page[80:]
    for damaged in (garbled, page[:12], page[:-8] + b"\0" * 8):
        documents, broken, skipped = read(write(tmp_path / "folder" / name, damaged).parent)
        assert (documents, skipped) == ([], [])
        assert "the compressed data are damaged" in broken[0]


@pytest.mark.parametrize("loader", [name for name in FILES if name not in ("text", "html")])
def test_what_a_small_compressed_file_unpacks_to_is_bounded(loader: str, tmp_path: Path) -> None:
    ending, content = FILES[loader]
    bomb = gzip.compress(content + b" " * (65 * 2**20), compresslevel=1)
    documents, broken, _ = read(write(tmp_path / f"a{ending}.gz", bomb))
    assert documents == []
    assert broken == [f"{tmp_path}/a{ending}.gz: has more than 64 MiB, too much to read at once"]
