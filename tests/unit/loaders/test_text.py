from __future__ import annotations

import gzip
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from tests.sources import load, write

from overstory.model import Document
from overstory.sources import read_sources
from overstory_loaders import CsvLoader, SubtitleLoader, TextLoader

SAMPLES = b"".join((n * 37 % 401 - 200).to_bytes(2, "little", signed=True) for n in range(4000))
"""A faint sound, as 16-bit numbers."""


def test_a_text_file_is_one_document_titled_by_its_name(tmp_path: Path) -> None:
    path = write(tmp_path / "Annual report.txt", "\n\n First line.\r\nSecond line.\n\n")
    document = load(TextLoader(), path).document
    assert document.text == "First line.\nSecond line."
    assert document.title == "Annual report"
    assert document.source == path.as_posix()
    assert document.source_key == ""


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_marks_name_the_encoding(tmp_path: Path, encoding: str) -> None:
    path = write(tmp_path / "a.txt", "Grüße".encode(encoding))
    assert load(TextLoader(), path).document.text == "Grüße"


def test_the_source_is_absolute_from_every_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "folder" / "a.txt", "text")
    monkeypatch.chdir(tmp_path / "folder")
    assert load(TextLoader(), Path("../folder/a.txt")).document.source == f"{tmp_path.as_posix()}/folder/a.txt"


def test_words_that_a_printed_manual_page_parts_are_joined(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.txt", "NAME\n       Options are de\u2010\n       scribed, in pairs, at the X\u2010\n       ray.\n"
    )
    assert load(TextLoader(), path).document.text == (
        "NAME\n       Options are described,\n       in pairs, at the X\u2010\n       ray."
    )


def test_a_stray_control_character_is_removed(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", b"page one" * 20 + b"\x0cpage \x00two")
    assert load(TextLoader(), path).document.text.endswith("page one\npage two")


def test_letters_of_other_encodings_are_never_guessed(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", b"first\ncaf\xe9\n")
    outcome = load(TextLoader(), path)
    assert outcome.messages == ["line 2: is not UTF-8: byte 0xe9 at offset 9"]
    assert "iconv" in outcome.broken[0].remedy


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "text", ["Ein Gruß aus Köln – für 5 €.\n\nSecond line.", "Как дела? Да, так.", "γειά σου κόσμε", "שלום עולם"]
)
def test_utf16_in_an_alphabet_needs_no_mark(text: str, encoding: str, tmp_path: Path) -> None:
    assert load(TextLoader(), write(tmp_path / "a.txt", text.encode(encoding))).document.text == text
    table = write(tmp_path / "a.csv", f"id,text\n1,{'Köln ' * 2000}\n2,Bern\n".encode(encoding))
    assert [each.text[:4] for each in load(CsvLoader(), table).documents] == ["Köln", "Bern"]
    subtitles = write(tmp_path / "a.srt", "1\n00:00:01,000 --> 00:00:02,000\nHello.\n".encode(encoding))
    assert load(SubtitleLoader(), subtitles).document.text == "[00:00:01] Hello."
    found = read_sources(
        [str(write(tmp_path / "README", text.encode(encoding)))],
        loader=None,
        on_broken=lambda _: None,
        on_skipped=lambda _: None,
    )
    assert [each.text for each in found if isinstance(each, Document)] == [text]


@pytest.mark.parametrize("content", [bytes([7, 0]) * 400, bytes([1, 0, 0, 0]) * 400, SAMPLES])
def test_numbers_with_zeros_are_no_text(content: bytes, tmp_path: Path) -> None:
    outcome = load(TextLoader(), write(tmp_path / "a.txt", content))
    assert not outcome.documents
    assert outcome.messages[0].startswith("looks binary")


MESSAGE = """\
Return-Path: <marta@acme.example>
Received: from mx1.acme.example (mx [10.0.0.2])
\tby mail.acme.example with ESMTP id 4f;
\tMon, 1 Mar 2027 09:00:00 +0100
From: =?utf-8?q?Marta_Oyelaran?= <marta@acme.example>
Subject: Duplicate invoices
 in March
MIME-Version: 1.0
Content-Transfer-Encoding: quoted-printable

Some customers got two invoices.

Note: this is no header.
"""


def test_the_header_of_a_message_is_no_part_of_its_text(tmp_path: Path) -> None:
    document = load(TextLoader(), write(tmp_path / "a.txt", MESSAGE)).document
    assert document.title == "Duplicate invoices in March"
    assert document.text == "Some customers got two invoices.\n\nNote: this is no header."
    assert document.metadata == {"from": "Marta Oyelaran <marta@acme.example>"}


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("Mon, 1 Mar 2027 09:00:00 +0100", datetime(2027, 3, 1, 9, tzinfo=timezone(timedelta(hours=1)))),
        ("on Monday", "on Monday"),
    ],
)
def test_the_fields_of_a_message_are_metadata(tmp_path: Path, written: str, date: object) -> None:
    message = MESSAGE.replace("Subject:", f"Date: {written}\nTo: Ben\nTo: Cora\nSubject:")
    document = load(TextLoader(), write(tmp_path / "a.txt", message)).document
    assert document.metadata == {"from": "Marta Oyelaran <marta@acme.example>", "to": "Ben", "date": date}


@pytest.mark.parametrize(
    "text",
    [
        "Subject: holidays\n\nWe go to Ulm.",
        "From: here\nto there\nDate: unknown\n\nA poem.",
        "From: Harwich\nTo: Esbjerg\nDate: 3 May\n\nThe ferry takes a night.",
        "From: ada@example.org\nSubject: nothing below",
        "Name: yes\nVersion: 1\nLicense: none\n\nA package.",
        "A text without fields: it has a colon.\n\nFrom: nobody\nTo: nobody",
    ],
)
def test_a_text_that_is_no_message_is_kept_as_it_is(text: str, tmp_path: Path) -> None:
    document = load(TextLoader(), write(tmp_path / "notes.txt", text)).document
    assert (document.text, document.title) == (text, "notes")


@pytest.mark.parametrize(
    ("name", "content", "title"),
    [
        ("README", b"Read me first.\n", "README"),
        ("Makefile", b"all:\n\techo all\n", "Makefile"),
        ("changelog.gz", gzip.compress(b"A first release.\n"), "changelog"),
        ("NOTES", "Grüße".encode("utf-16"), "NOTES"),
        ("letters", b"x" + "ü".encode() * 5_000, "letters"),  # the head that is looked at ends within a character
        ("README.Debian", b"How it differs.\n", "README.Debian"),
        ("NEWS.Debian.gz", gzip.compress(b"A new release.\n"), "NEWS.Debian"),
        ("sshd.conf-dist", b"Port 22\n", "sshd.conf-dist"),
        ("server.log", b"2024-02-29 started\n", "server"),
    ],
)
def test_a_file_without_a_known_ending_is_text_if_its_content_is(
    name: str, content: bytes, title: str, tmp_path: Path
) -> None:
    path = write(tmp_path / name, content)
    loader = TextLoader()
    assert loader.recognises(str(path)) or loader.recognises_content(str(path))
    assert load(TextLoader(), path).document.title == title


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("program", b"\x7fELF\x02\x01\x01" + b"\0" * 100),
        ("empty", b""),
        ("data.bin", bytes(range(0x80, 0x100)) * 9),
        ("notes.txt~", b"Letters all the same."),
        ("lib.min.js", b"var a = 1;"),
        ("package.json", b'{"name": "salt"}'),
        ("Salt.pm", b"package Salt;\n1;"),
        ("logo.svg", b"<svg><text>Salt</text></svg>"),
        ("id_rsa.pub", b"ssh-rsa AAAA"),
    ],
)
def test_other_files_without_a_known_ending_are_left_to_be_skipped(name: str, content: bytes, tmp_path: Path) -> None:
    path = str(write(tmp_path / name, content))
    loader = TextLoader()
    assert not loader.recognises(path)
    assert not loader.recognises_content(path)
