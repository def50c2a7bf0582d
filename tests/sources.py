"""Files for the tests of loaders, and what a loader made of one."""

from __future__ import annotations

import io
import json
import mailbox
import shutil
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from email.message import EmailMessage
from pathlib import Path

import docx
import openpyxl
import pptx
import pypdf
import pytest
from PIL import Image, ImageDraw, ImageFont

from overstory.errors import BrokenSource
from overstory.model import Annotation, Document, Link
from overstory.protocols import Loader

FORMATS_MANUAL_PAGES = bool(shutil.which("mandoc") or shutil.which("groff"))
CONVERTS_POD = bool(shutil.which("pod2html"))
formats_manual_pages = pytest.mark.skipif(not FORMATS_MANUAL_PAGES, reason="neither mandoc nor groff is installed")
converts_pod = pytest.mark.skipif(not CONVERTS_POD, reason="pod2html is not installed")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of reading a source; if `load` raised an error, `broken` ends with it."""

    documents: list[Document] = field(default_factory=list[Document])
    annotations: list[Annotation] = field(default_factory=list[Annotation])
    links: list[Link] = field(default_factory=list[Link])
    broken: list[BrokenSource] = field(default_factory=list[BrokenSource])

    @property
    def document(self) -> Document:
        """The only document of a source without faults."""
        assert not self.broken
        (document,) = self.documents
        return document

    @property
    def messages(self) -> list[str]:
        """Return the messages about broken parts, without the path: "line 3: is not JSON"."""
        return [str(error).removeprefix(error.source).removeprefix(": ").removeprefix(", ") for error in self.broken]


def load(loader: Loader, source: Path) -> Outcome:
    """Everything a loader makes of a source."""
    outcome = Outcome()
    try:
        for item in loader.load(str(source), on_broken=outcome.broken.append):
            if isinstance(item, Document):
                outcome.documents.append(item)
            elif isinstance(item, Link):
                outcome.links.append(item)
            else:
                outcome.annotations.append(item)
    except BrokenSource as error:
        outcome.broken.append(error)
    return outcome


def write(path: Path, content: str | bytes) -> Path:
    """A file with this content, exactly."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def pdf_of(pages: Sequence[str], *, title: str | None = None, password: str | None = None) -> bytes:
    """Return a PDF with lines of text on its pages; a password of "" restricts rights without being asked for."""
    writer = pypdf.PdfWriter()
    writer.append(io.BytesIO(_plain_pdf(pages)))
    if title is not None:
        writer.add_metadata({"/Title": title, "/Author": "Ada"})
    if password is not None:
        writer.encrypt(user_password=password, owner_password="owner", algorithm="AES-256")
    stream = io.BytesIO()
    writer.write(stream)
    return stream.getvalue()


def zip_of(members: Mapping[str, str | bytes]) -> bytes:
    """A ZIP archive with these files, each of one time."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, (2024, 2, 29, 12, 30, 0)), content, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def parts_of(archive: bytes) -> dict[str, bytes]:
    """The files of a ZIP archive."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def damaged(archive: bytes, *names: str) -> bytes:
    """A ZIP archive whose directory has other checksums for these files than their data have."""
    content = bytearray(archive)
    for name in names:
        content[archive.rindex(name.encode()) - 46 + 16] ^= 1
    return bytes(content)


def docx_of(*paragraphs: tuple[str, str]) -> bytes:
    """A DOCX with paragraphs, each as (style, text)."""
    document = docx.Document()
    for style, text in paragraphs:
        document.add_paragraph(text, style=style)
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def pptx_of(*slides: tuple[str, str]) -> bytes:
    """A PPTX with slides, each as (title, text)."""
    presentation = pptx.Presentation()
    for title, text in slides:
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        for placeholder, said in zip(slide.placeholders, (title, text), strict=True):
            placeholder.text = said  # type: ignore[attr-defined, unused-ignore] # what `placeholders` has
    stream = io.BytesIO()
    presentation.save(stream)
    return stream.getvalue()


def xlsx_of(**sheets: Sequence[Sequence[object]]) -> bytes:
    """An XLSX with sheets, each as its rows."""
    book = openpyxl.Workbook(write_only=True)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def mail_of(
    subject: str,
    text: str,
    *,
    key: str = "",
    parents: Sequence[str] = (),
    to: str = "",
) -> EmailMessage:
    """A message of Ada Lovelace, of 29 February 2024, that answers the last of its parents."""
    message = EmailMessage()
    message["From"] = "Ada Lovelace <ada@example.org>"
    message["Date"] = "Thu, 29 Feb 2024 12:30:00 +0000"
    message["Subject"] = subject
    if to:
        message["To"] = to
    if key:
        message["Message-ID"] = f"<{key}>"
    if parents:
        message["In-Reply-To"] = f"<{parents[-1]}>"
        message["References"] = " ".join(f"<{each}>" for each in parents)
    message.set_content(text)
    return message


def mbox_of(*messages: EmailMessage) -> bytes:
    """A mailbox with these messages."""
    with tempfile.TemporaryDirectory() as folder:
        with closing(mailbox.mbox(Path(folder) / "box")) as box:
            for message in messages:
                box.add(message)
        return (Path(folder) / "box").read_bytes()


def notebook_of(*cells: tuple[str, str], **metadata: object) -> str:
    """A notebook with cells, each as (type, source)."""
    made = [{"cell_type": kind, "source": text.splitlines(keepends=True), "metadata": {}} for kind, text in cells]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": made}, ensure_ascii=False)


CONTAINER = '<container><rootfiles><rootfile full-path="in/book.opf"/></rootfiles></container>'


def epub_of(
    chapters: Mapping[str, str], *, about: str = "", contents: Mapping[str, str] | None = None, encryption: str = ""
) -> bytes:
    """An EPUB with the bodies of chapters by their names in the folder `in`.

    Args:
        about: Dublin Core, with the prefix `dc`.
        contents: the titles of chapters in the table of contents.
    """
    items = "".join(f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in chapters)
    order = "".join(f'<itemref idref="{name}"/>' for name in chapters)
    entries = "".join(f'<li><a href="{name}#top">{title}</a></li>' for name, title in (contents or {}).items())
    nav = '<item id="nav" properties="nav" href="nav.xhtml" media-type="application/xhtml+xml"/>'
    package = (
        f'<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>{about}</metadata>'
        f"<manifest>{nav}{items}</manifest><spine>{order}</spine></package>"
    )
    page = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>'
    members = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "in/book.opf": package,
        "in/nav.xhtml": f'{page}<nav epub:type="toc"><ol>{entries}</ol></nav></body></html>',
        **{f"in/{name}": f"{page}{body}</body></html>" for name, body in chapters.items()},
    }
    return zip_of(members | ({"META-INF/encryption.xml": encryption} if encryption else {}))


ODF = "urn:oasis:names:tc:opendocument:xmlns:"


def odf_of(body: str, *, styles: str = "", meta: str = "", manifest: str = "", kind: str = "text") -> bytes:
    """Return an OpenDocument file with XML in its body; names have the usual prefixes."""
    names = " ".join(
        f'xmlns:{prefix}="{ODF}{name}:1.0"'
        for prefix, name in {
            "draw": "drawing",
            "manifest": "manifest",
            "meta": "meta",
            "office": "office",
            "presentation": "presentation",
            "style": "style",
            "table": "table",
            "text": "text",
        }.items()
    )
    meta = f"<office:meta>{meta}</office:meta>"
    dublin = 'xmlns:dc="http://purl.org/dc/elements/1.1/"'
    inside = f"<office:automatic-styles>{styles}</office:automatic-styles><office:body>{body}</office:body>"
    return zip_of(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": f"<office:document-content {names}>{inside}</office:document-content>",
            "meta.xml": f"<office:document-meta {names} {dublin}>{meta}</office:document-meta>",
            "META-INF/manifest.xml": f"<manifest:manifest {names}>{manifest}</manifest:manifest>",
        }
    )


def _plain_pdf(pages: Sequence[str]) -> bytes:
    """The smallest PDF with text: a catalogue, its pages, one of the fonts that every reader has."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, page in enumerate(pages):
        shown = "".join(f"({line}) Tj 0 -14 Td " for line in page.split("\n") if line)
        content = f"BT /F1 12 Tf 72 720 Td {shown}ET".encode("cp1252")
        objects += [
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
            + f"/Contents {5 + 2 * number} 0 R >>".encode(),
            f"<< /Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream",
        ]
    body = b"%PDF-1.4\n"
    offsets: list[int] = []
    for number, object_ in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n".encode() + object_ + b"\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    return (
        body
        + (
            f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
            f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
        ).encode()
    )


def picture_of(*lines: str, size: tuple[int, int] = (740, 740)) -> Image.Image:
    """A picture with lines of text, black on white."""
    picture = Image.new("RGB", size, "white")
    pen = ImageDraw.Draw(picture)
    for number, line in enumerate(lines):
        pen.text((30, 30 + 50 * number), line, fill="black", font=ImageFont.load_default(size=28))
    return picture


def tiff_of(*pictures: Image.Image) -> bytes:
    """A TIFF with these pictures as its pages."""
    stream = io.BytesIO()
    pictures[0].save(stream, "TIFF", compression="tiff_lzw", save_all=True, append_images=pictures[1:])
    return stream.getvalue()


def scan_of(*pictures: Image.Image) -> bytes:
    """A PDF whose pages are pictures."""
    stream = io.BytesIO()
    pictures[0].save(stream, "PDF", save_all=True, append_images=pictures[1:])
    return stream.getvalue()
