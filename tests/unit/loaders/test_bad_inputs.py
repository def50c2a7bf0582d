"""Messages for bad input: the table in bad_inputs.md, row by row, and the examples in docs/loaders.md."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pypdf
import pytest
from PIL import Image
from tests.sources import (
    converts_pod,
    docx_of,
    epub_of,
    formats_manual_pages,
    mail_of,
    mbox_of,
    notebook_of,
    odf_of,
    pdf_of,
    picture_of,
    pptx_of,
    tiff_of,
    write,
    xlsx_of,
    zip_of,
)

from overstory.errors import BrokenSource, LoaderNotFound
from overstory.sources.walk import read_sources

TABLE = Path(__file__).with_name("bad_inputs.md")
PAGE = Path(__file__).parents[3] / "docs" / "loaders.md"
NODE = '{"type": "node", "id": "a"}\n'
RECORD = '{"id": "a", "text": "one"}\n'
GZIPPED = gzip.compress("".join(f'{{"text": "line {number}"}}\n' for number in range(9_000)).encode())


@dataclass(frozen=True, slots=True)
class Case:
    """One bad input.

    Attributes:
        files: content by name; the first file is loaded. A file with the content None does not exist.
        source: the source to load, if it is none of the files.
        foreign: last word of the message before the text of another library, which changes with its version.
    """

    loader: str
    tried: str
    files: Mapping[str, str | bytes | None]
    foreign: str = ""
    named: str | None = None
    source: str = ""


def _tables(nodes: str, edges: str) -> dict[str, str | bytes | None]:
    return {"": None, "folder/nodes.csv": nodes, "folder/edges.csv": edges}


CHINESE = "北京是中华人民共和国的首都，位于华北平原的北部。\n"
OLE = bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 99
"""First bytes of encrypted Office files, and of all Office files before 2007."""
PGP = "From: a@b\nSubject: x\nContent-Type: multipart/encrypted; boundary=x\n\n--x\n\nVersion: 1\n--x--\n"
UNPARTED = "From: a@b\nSubject: x\nContent-Type: multipart/mixed; boundary=x\n\n--y\n\nsalt is up\n--y--\n"
LONG_MAIL = b"From a@b Thu Feb 29 12:30:00 2024\n" + b"words " * (11 * 2**20) + b"\n\n"
MBOX = mbox_of(mail_of("Salt", "Salt is up.", key="1@x"))
DRM = (
    '<encryption><EncryptedData><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/>'
    '<CipherData><CipherReference URI="in/1.xhtml"/></CipherData></EncryptedData></encryption>'
)
BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><x>&b;</x>'


def _encrypted(archive: bytes, name: bytes) -> bytes:
    """The archive with a member marked as encrypted, in its directory."""
    flags = archive.rindex(name) - 46 + 8
    return archive[:flags] + b"\1" + archive[flags + 1 :]


def _tar(*texts: bytes) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for number, text in enumerate(texts):
            info = tarfile.TarInfo(f"{number}.txt")
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text))
    return stream.getvalue()


def _with_locked_attachment() -> bytes:
    message = mail_of("Salt", "See the file.")
    message.add_attachment(pdf_of(["secret"], password="hunter2"), "application", "pdf", filename="offer.pdf")
    return message.as_bytes()


def _pdf_without_pages() -> bytes:
    stream = io.BytesIO()
    pypdf.PdfWriter().write(stream)
    return stream.getvalue()


CASES = [
    Case("any", "a path that does not exist", {"missing.txt": None}),
    Case("any", "a page of this machine", {"http://127.0.0.1/a.pdf": None}),
    Case("any", "an address with a password", {"https://ada:secret@example.org/a.pdf": None}),
    Case("any", "a format that nobody knows", {"photo.png": b"\x89PNG"}),
    Case("any", "a message of Outlook", {"offer.msg": OLE}),
    Case("any", "a Word file of before 2007", {"report.doc": OLE}),
    Case("any", "JSON without objects", {"countries.json": '["Germany"]'}),
    Case("any", "a program without an ending", {"sift": b"\x7fELF\2\1\1" + b"\0" * 100}),
    Case("any", "a text in Latin-1 without an ending", {"README.Debian": b"caf\xe9 au lait\n"}),
    Case(
        "any", "64 kB of gzip that unpack to 65 MiB", {"report.pdf.gz": gzip.compress(b"%PDF-1.7" + bytes(65 * 2**20))}
    ),
    Case("any", "a loader that nobody has", {"a.csv": "text\nx\n"}, named="cvs"),
    Case("any", "a folder with nothing to load", {"": None, "folder/photo.png": b"\x89PNG"}),
    Case("text", "an empty file", {"notes.txt": " \n"}),
    Case("text", "Latin-1", {"notes.txt": b"first line\ncaf\xe9\n"}),
    Case("text", "a picture named .txt", {"photo.txt": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0"}),
    Case("text", "UTF-16 without a byte order mark", {"notes.txt": "some notes".encode("utf-16-le")}),
    Case("text", "the same in Chinese", {"notes.txt": CHINESE.encode("utf-16-le")}),
    Case("text", "UTF-16 that breaks off", {"notes.txt": "some notes".encode("utf-16")[:-1]}),
    Case("text", "65 MiB", {"notes.txt": b"words " * (65 * 2**20 // 6)}),
    Case("text", "NUL bytes in a text (removed)", {"notes.txt": b"one\0 two. " + b"And more. " * 200}),
    Case("markdown", "front matter and nothing else", {"page.md": "---\ntitle: T\n---\n"}),
    Case("markdown", "front matter that never closes (text)", {"page.md": "---\ntitle: T\n\nText."}),
    Case("html", "a page that only scripts fill", {"page.html": "<title>T</title><script>fill()</script>"}),
    Case("html", "bytes that are not as declared", {"page.html": b"<meta charset=utf-8><p>caf\xe9"}),
    Case("html", "an encoding that nobody knows (ignored)", {"page.html": "<meta charset=klingon><p>nuqneH"}),
    Case("html", "20,000 nested elements", {"page.html": "<div>" * 20_000 + "x"}),
    Case("html", "3,000 attributes of one element", {"page.html": f"<p {' '.join(f'a{n}' for n in range(3_000))}>x"}),
    Case("html", "1.1 million elements", {"page.html": "<b>" + "<br>" * 1_100_000 + "x"}),
    Case("pdf", "an empty file", {"report.pdf": b""}),
    Case("pdf", "a text named .pdf", {"report.pdf": "no PDF\n" * 50}, foreign="is damaged: "),
    Case("pdf", "a password", {"report.pdf": pdf_of(["secret"], password="hunter2")}),
    Case("pdf", "blank pages", {"report.pdf": pdf_of(["", "", ""])}),
    Case("image", "an empty file", {"scan.tif": b""}),
    Case("image", "a text named .tif", {"scan.tif": "no picture"}),
    Case(
        "image", "a picture that breaks off", {"scan.tif": tiff_of(picture_of("Coffee"))[:3000]}, foreign="is damaged: "
    ),
    Case("image", "a blank page", {"scan.tif": tiff_of(Image.new("RGB", (200, 90), "white"))}),
    Case("image", "100 million points", {"scan.tif": tiff_of(Image.new("1", (12_000, 12_000)))}),
    Case("pdf", "no pages", {"report.pdf": _pdf_without_pages()}),
    Case("docx", "an empty file", {"report.docx": b""}),
    Case("docx", "a text named .docx", {"report.docx": "no archive"}, foreign="not a DOCX: "),
    Case("docx", "a file that breaks off", {"report.docx": docx_of(("Normal", "x"))[:-400]}, foreign="not a DOCX: "),
    Case("docx", "another kind of archive", {"report.docx": zip_of({"a.xml": "x"})}, foreign="is damaged: "),
    Case("docx", "a password, or the format of 1997", {"report.docx": OLE}),
    Case("docx", "a document without words", {"report.docx": docx_of(("Normal", " "))}),
    Case("rst", "comments alone", {"page.rst": ".. nothing\n"}),
    Case("rst", "Latin-1", {"page.rst": b"Caf\xe9\n====\n"}),
    Case("man", "a page without a word", {"sift.1": ".TH SIFT 1\n"}),
    Case("man", "Latin-1 that does not say so", {"sift.1": b".TH SIFT 1\n.SH NAME\ncaf\xe9\n"}),
    Case("man", "a file that is included", {"sift.1": ".TH SIFT 1\nText.\n.so man1/other.1\n"}),
    Case("pod", "a file without POD", {"page.pod": "package Sift;\n"}),
    Case("pod", "Latin-1 that does not say so", {"page.pod": b"=head1 Caf\xe9\n"}),
    Case("code", "a file with blank lines alone", {"empty.py": "\n\n"}),
    Case("code", "Latin-1 that does not say so", {"latin.py": b"# caf\xe9\n"}),
    Case("code", "code that breaks off (read all the same)", {"open.py": "def f(x):\n    return 1\n\n\ndef g(\n"}),
    Case("code", "9 MiB", {"large.c": b"int x;\n" * (9 * 2**20 // 7)}),
    Case("code", "a language that nobody reads", {"a.cob": "DISPLAY 'x'."}, named="code"),
    Case("archive", "an empty file", {"a.zip": b""}),
    Case("archive", "a text named .zip", {"a.zip": "no archive"}),
    Case("archive", "a text named .tar.gz", {"a.tar.gz": "no archive"}, foreign="not a tar archive: "),
    Case("archive", "nothing that anybody reads", {"a.zip": zip_of({"photo.png": b"\x89PNG"})}),
    Case("archive", "an archive within an archive", {"a.zip": zip_of({"b.zip": zip_of({"c.txt": "x"})})}),
    Case("archive", "files with a password", {"a.zip": _encrypted(zip_of({"b.txt": "b", "c.txt": "c"}), b"b.txt")}),
    Case(
        "archive", "a file that breaks off", {"a.tar": _tar(b"Words.", b"More.")[:1300]}, foreign="ends unexpectedly: "
    ),
    Case("archive", "64 kB that unpack to 65 MiB", {"a.zip": zip_of({"a.txt": b"\0" * (65 * 2**20)})}),
    Case("docx", "4 kB that unpack to 65 MiB", {"report.docx": zip_of({"word/document.xml": b"\0" * (65 * 2**20)})}),
    Case("pptx", "an empty file", {"talk.pptx": b""}),
    Case("pptx", "a text named .pptx", {"talk.pptx": "no archive"}, foreign="not a PPTX: "),
    Case("pptx", "another kind of archive", {"talk.pptx": zip_of({"a.xml": "x"})}, foreign="is damaged: "),
    Case("pptx", "a password, or the format of 1997", {"talk.pptx": OLE}),
    Case("pptx", "slides without words", {"talk.pptx": pptx_of(("", ""))}),
    Case("pptx", "4 kB that unpack to 65 MiB", {"talk.pptx": zip_of({"ppt/slides/slide1.xml": b"\0" * (65 * 2**20)})}),
    Case("xlsx", "an empty file", {"prices.xlsx": b""}),
    Case("xlsx", "a text named .xlsx", {"prices.xlsx": "no archive"}, foreign="not an XLSX: "),
    Case("xlsx", "another kind of archive", {"prices.xlsx": zip_of({"a.xml": "x"})}, foreign="is damaged: "),
    Case("xlsx", "a password, or the format of 1997", {"prices.xlsx": OLE}),
    Case("xlsx", "sheets without values", {"prices.xlsx": xlsx_of(Prices=[], Stock=[])}),
    Case("odf", "an empty file", {"report.odt": b""}),
    Case("odf", "a text named .ods", {"prices.ods": "no archive"}, foreign="not an ODS: "),
    Case("odf", "another kind of archive", {"report.odt": zip_of({"a.xml": "x"})}),
    Case("odf", "a password", {"report.odt": odf_of("", manifest="<manifest:encryption-data/>")}),
    Case("odf", "a declared entity", {"report.odt": zip_of({"content.xml": BOMB})}),
    Case("odf", "a document without words", {"report.odt": odf_of("<office:text><text:p/></office:text>")}),
    Case("epub", "an empty file", {"book.epub": b""}),
    Case("epub", "a text named .epub", {"book.epub": "no archive"}, foreign="not an EPUB: "),
    Case("epub", "another kind of archive", {"book.epub": zip_of({"a.xml": "x"})}),
    Case("epub", "chapters that are encrypted (DRM)", {"book.epub": epub_of({"1.xhtml": "x"}, encryption=DRM)}),
    Case("epub", "a book of pictures", {"book.epub": epub_of({"1.xhtml": "<img src='a.png'/>"})}),
    Case("epub", "a declared entity", {"book.epub": zip_of({"META-INF/container.xml": BOMB})}),
    Case("mail", "an empty file", {"offer.eml": "\n"}),
    Case("mail", "a text named .eml", {"offer.eml": "Dear Ada,\n\nno header.\n"}),
    Case("mail", "an encrypted message", {"offer.eml": PGP}),
    Case("mail", "a message whose parts have another boundary", {"offer.eml": UNPARTED}),
    Case("mail", "an attachment with a password", {"offer.eml": _with_locked_attachment()}),
    Case("mail", "a text named .mbox", {"in.mbox": "Dear Ada,\n"}),
    Case("mail", "a message of 65 MiB in a mailbox", {"in.mbox": MBOX + LONG_MAIL}),
    Case("mail", "the same message twice", {"in.mbox": MBOX + MBOX}),
    Case(
        "mail",
        "an encoding that nobody knows (assumed)",
        {"offer.eml": b"From: a@b\nContent-Type: text/plain; charset=x\n\n\xe9"},
    ),
    Case("notebook", "an empty file", {"analysis.ipynb": ""}),
    Case("notebook", "a notebook that breaks off", {"analysis.ipynb": notebook_of(("code", "x"))[:-20]}),
    Case("notebook", "other JSON", {"analysis.ipynb": '{"a": 1}'}),
    Case("notebook", "cells without words", {"analysis.ipynb": notebook_of(("markdown", " "))}),
    Case("notebook", "a cell that is none", {"analysis.ipynb": notebook_of(("code", "x"), ("odd", "y"))}),
    Case("notebook", "100,000 brackets", {"analysis.ipynb": "[" * 100_000}),
    Case("subtitles", "an empty file", {"film.srt": ""}),
    Case("subtitles", "a text named .srt", {"film.srt": "Once upon a time.\n"}),
    Case("subtitles", "subtitles without words", {"film.vtt": "WEBVTT\n\n00:01.000 --> 00:02.000\n\n"}),
    Case("subtitles", "Latin-1", {"film.srt": b"1\n00:00:01,000 --> 00:00:02,000\ncaf\xe9\n"}),
    Case("settings", "an empty file", {"deploy.yaml": "\n"}),
    Case(
        "settings", "YAML with aliases that would be a gigabyte (text)", {"deploy.yaml": "a: &a [x, x]\nb: [*a, *a]\n"}
    ),
    Case(
        "subtitles",
        "a cue without a time",
        {"film.vtt": "WEBVTT\n\n00:01.000 --> 00:02.000\nHello.\n\nNobody hears this.\n"},
    ),
    Case("settings", "a template that is no YAML (text)", {"deploy.yaml": "a: {{ .Values.b }}\n  c: [\n"}),
    Case("xml", "an empty file", {"book.xml": ""}),
    Case("xml", "a text named .xml", {"book.xml": "no XML"}),
    Case("xml", "XML that breaks off", {"book.xml": "<book>\n<title>x</title>"}),
    Case("xml", "a declared entity", {"book.xml": BOMB}),
    Case("xml", "an entity of another file (left out)", {"book.xml": "<!DOCTYPE a SYSTEM 'x.dtd'><a>x &secret;</a>"}),
    Case("xml", "300 nested elements", {"book.xml": "<a>" * 300}),
    Case("xml", "elements without words", {"book.xml": "<a><b/></a>"}),
    Case("jsonl", "an empty file", {"records.jsonl": "\n\n"}),
    Case("jsonl", "a broken line", {"records.jsonl": RECORD + '{"id": "b", "text"\n{"id": "c", "text": "three"}\n'}),
    Case("jsonl", "a line that is no object", {"records.jsonl": RECORD + '["b", "two"]\n'}),
    Case("jsonl", "an id twice", {"records.jsonl": RECORD + '{"id": "a", "text": "another"}\n'}),
    Case("jsonl", "an id that is a list", {"records.jsonl": RECORD + '{"id": ["b"], "text": "two"}\n'}),
    Case("jsonl", "half an emoji in an id", {"records.jsonl": RECORD + '{"id": "\\ud83d", "text": "two"}\n'}),
    Case("jsonl", "half an emoji in a text (replaced)", {"records.jsonl": '{"id": "a", "text": "so \\ud83d"}\n'}),
    Case("jsonl", "only an id", {"records.jsonl": RECORD + '{"id": "b"}\n'}),
    Case("jsonl", "a text that is a number", {"records.jsonl": RECORD + '{"id": "b", "text": 2}\n'}),
    Case("jsonl", "an empty text", {"records.jsonl": RECORD + '{"id": "b", "text": " "}\n'}),
    Case("jsonl", "a line in Latin-1", {"records.jsonl": RECORD.encode() + b'{"text": "caf\xe9"}\n'}),
    Case(
        "jsonl", "a line of 65 MiB", {"records.jsonl": RECORD + f'{{"text": "{"x" * 65 * 2**20}"}}\n' + '{"text": "c"}'}
    ),
    Case("jsonl", "100,000 brackets", {"records.jsonl": RECORD + '{"text": "b", "x": ' + "[" * 100_000 + "\n"}),
    Case("jsonl", "100 lines of prose", {"records.jsonl": "Some prose.\n" * 1000}),
    Case("jsonl", "compressed, and broken off", {"records.jsonl.gz": GZIPPED[:-4]}, foreign="damaged: "),
    Case("jsonl", "an array that breaks off", {"records.json": '[{"text": "a"},\n {"text": "b"'}),
    Case("csv", "an empty file", {"table.csv": ""}),
    Case("csv", "a header alone", {"table.csv": "id,text\n"}),
    Case("csv", "no column with a text (a sheet)", {"table.csv": "year,price\n1807,2\n"}),
    Case("csv", "a column twice", {"table.csv": "text,year,year\nx,1,2\n"}),
    Case("csv", "a cell too many, and one too few", {"table.csv": "id,text\n1,a,b\n2\n3,fine\n"}),
    Case("csv", "a quote that never closes", {"table.csv": 'id,text\n1,fine\n2,"open\n3,lost\n'}),
    Case("csv", "a row in Latin-1", {"table.csv": b"id,text\n1,caf\xe9\n2,fine\n"}),
    Case("beir", "a folder without corpus.jsonl", {"": None, "folder/queries.txt": "x"}, named="beir"),
    Case("beir", "a passage without _id", {"corpus.jsonl": '{"_id": "a", "text": "one"}\n{"text": "two"}\n'}),
    Case("beir", "an id twice", {"corpus.jsonl": '{"_id": "a", "text": "one"}\n{"_id": "a", "text": "two"}\n'}),
    Case("graph", "a folder without a graph", {"": None, "folder/nodes.csv": "id,text\n1,x\n"}, named="graph"),
    Case("graph", "tables with headers alone", _tables("id\n", "source,target\n")),
    Case("graph", "a vertex without text (its key)", _tables("id\na\n", "source,target\n")),
    Case("graph", "a key twice", _tables("id\na\na\n", "source,target\n")),
    Case("graph", "a vertex without a key", _tables("id,name\n,A\nb,B\n", "source,target\n")),
    Case("graph", "an edge to a vertex that is not there", _tables("id\na\n", "source,target\na,b\n")),
    Case("graph", "an edge without an end", _tables("id\na\n", "source,target,type\na,,KNOWS\n")),
    Case("graph", "a weight of -1", _tables("id\na\n", "source,target,weight\na,a,-1\n")),
    Case("graph", "a self loop, a cycle and parallel edges", _tables("id\na\nb\n", "from,to\na,a\na,b\nb,a\na,b\n")),
    Case(
        "graph",
        "a property that its type does not fit",
        _tables("id:ID,born:int\na,1950s\nb,1950\n", "source,target\n"),
    ),
    Case("graph", "a type that nobody knows", _tables(":ID,name:banana\na,A\n", "source,target\n")),
    Case(
        "graph", "JSON lines with an edge without an end", {"graph.jsonl": NODE + '{"type": "edge", "source": "a"}\n'}
    ),
    Case("graph", "an empty file", {"graph.graphml": ""}),
    Case("graph", "GraphML without vertices", {"graph.graphml": "<graphml/>"}),
    Case("graph", "another kind of XML", {"graph.graphml": "<html/>"}),
    Case("graph", "GraphML that breaks off", {"graph.graphml": '<graphml>\n<node id="a"/>\n<edge'}),
    Case("graph", "a declared entity", {"graph.graphml": '<!DOCTYPE graphml [<!ENTITY x "xx">]>\n<graphml/>'}),
    Case("graph", "a hyperedge", {"graph.graphml": '<graphml>\n<node id="a"/>\n<hyperedge/>\n</graphml>'}),
    Case("graph", "a key of a database that is missing", {"": None, "folder/a.txt": "x"}, source="neo4j:Movie"),
    Case(
        "openie",
        "a triple of two parts",
        {"openie.jsonl": json.dumps({"_id": "a", "entities": ["Oslo"], "triples": [["Oslo", "big"], ["a", "b", "c"]]})},
    ),
    Case(
        "openie",
        "a record without triples",
        {"openie.jsonl": '{"_id": "a", "entities": [], "triples": []}\n{"_id": "b", "entities": []}\n'},
    ),
]


def row(case: Case, folder: Path) -> str:
    """Return the row of the table for a case."""
    for name, content in case.files.items():
        if content is not None:
            write(folder / name, content)
    first = next(iter(case.files))
    source = (
        case.source or first
        if case.source or "://" in first
        else str(folder / first)
        if first
        else str(folder / "folder")
    )
    said: list[tuple[str, str]] = []

    def hear(error: BrokenSource) -> None:
        said.append((str(error), error.remedy))

    loaded = 0
    try:
        for _ in read_sources([source], loader=case.named, on_broken=hear, on_skipped=lambda _: None):
            loaded += 1
    except LoaderNotFound as error:
        said.append((str(error), error.remedy))
    messages = "<br>".join(f"`{_shown(message, folder, case.foreign)}`" for message, _ in said) or "nothing"
    remedies = "<br>".join(dict.fromkeys(f"`{_shown(remedy, folder)}`" for _, remedy in said if remedy))
    return f"| {case.loader} | {case.tried} | {messages} | {remedies} | {loaded or 'nothing'} |"


def _shown(text: str, folder: Path, foreign: str = "") -> str:
    before, mark, _ = text.partition(foreign) if foreign else (text, "", "")
    return f"{before}{mark}{'…' if mark else ''}".replace(f"{folder}/", "").replace("|", "\\|")


NEEDED = {"man": [formats_manual_pages], "pod": [converts_pod]}


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=f"{case.loader}, {case.tried}", marks=NEEDED.get(case.loader, [])) for case in CASES],
)
def test_the_table_has_the_messages_that_a_user_sees(case: Case, tmp_path: Path) -> None:
    assert row(case, tmp_path) in TABLE.read_text(encoding="utf-8").splitlines()


def test_the_examples_of_the_page_are_rows_of_the_table() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## Bad input")[2]
    examples = [line for line in section.splitlines() if line.startswith("| a ")]
    assert examples
    assert [each for each in examples if each not in TABLE.read_text(encoding="utf-8")] == []
