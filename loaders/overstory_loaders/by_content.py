"""Detects the format of a file from its first bytes, or from its members if it is a ZIP archive."""

from __future__ import annotations

import codecs
import os
import re
import zipfile
from functools import lru_cache
from pathlib import Path

from overstory.errors import BrokenSource
from overstory_loaders.blocks import control_characters
from overstory_loaders.files import (
    FILE_ERRORS,
    has_suffix,
    is_damaged_compression,
    is_file,
    open_seekable,
    read_head,
    uncompressed_name,
)
from overstory_loaders.text_encoding import is_binary, marked_encoding

RECOGNISED_BY_BYTES = 8192
_MOST_MIMETYPE_BYTES = 200
"""Number of bytes to read from the member `mimetype`, which names the format of a ZIP-based document."""

# fmt: off
NOT_TO_READ = (
    "~", ".bak", ".orig", ".rej", ".swp", ".tmp", ".part",
    ".asc", ".sig", ".pem", ".key", ".crt", ".csr", ".pub",
    ".md5", ".md5sums", ".sha1", ".sha256", ".sha512", ".lock",
    ".svg", ".eps", ".ps", ".ai", ".xpm", ".xbm", ".afm", ".css", ".scss", ".less", ".map",
)
# fmt: on
"""File name endings of text files that are not loaded, such as backups, keys, checksums, drawings and style sheets."""

_MIMETYPES = {
    "application/epub+zip": "epub",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
}
EXCEL_XML = "excel2003"
FLAT_FORMATS = (EXCEL_XML, "fodt", "fods", "fodp")
_FLAT = re.compile(
    r"\A\s*+(?:<\?[^<>]*+>\s*+)*+<(?:(?P<excel>(?:\w++:)?Workbook)\b[^>]*?urn:schemas-microsoft-com:office:spreadsheet"
    r"|office:document\b[^>]*?office:mimetype=[\"'](?P<kind>[\w./+-]*?)(?:-template)?[\"'])"
)
"""Matches the root element of formats that are one XML file: Excel 2003 and OpenDocument."""
_PARTS = {"word/document.xml": "docx", "xl/workbook.xml": "xlsx", "ppt/presentation.xml": "pptx"}
_PAGE = re.compile(
    r"\s*+(?:<\?xml[^<>]*+>\s*+)?+(?:<!--(?:[^-]|-(?!->))*+-->\s*+)*+<(?:!doctype\s++html|html)[\s>]", re.IGNORECASE
)

BEGINS_MESSAGE = re.compile(rb"From (?=.*\d\d?:\d\d)(?=.*\d{4})")
"""Matches the line above each message in a mailbox, which contains a time and a year.

Ordinary text lines may also begin with "From ".
"""
_HEADER_FIELD = re.compile(rb"^([!-9;-~]{1,60}):[ \t\r\n]", re.MULTILINE)
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_TRANSPORT = frozenset({b"received", b"mime-version", b"message-id", b"return-path"})


def without_ending(source: str) -> bool:
    """Return True for a file whose name has no suffix, such as `README`, or has only a suffix such as `.gz`."""
    return "." not in uncompressed_name(source) and is_file(source)


def head_of(source: str) -> str:
    """Return the first characters of a text file, after decompression.

    Return "" if the file is empty or binary, or if it is not UTF-8 and does not begin with a byte order mark.
    """
    try:
        head = read_head(source, RECOGNISED_BY_BYTES)
        text = codecs.getincrementaldecoder(marked_encoding(head) or "utf-8")().decode(head)
    except (BrokenSource, UnicodeError):
        return ""
    return "" if is_binary(text) else text


def interpreter(head: str) -> str:
    """Return the interpreter named in a script's first line: "python" for "#!/usr/bin/env python3.11"; "" if none."""
    line = head.partition("\n")[0].removeprefix("\ufeff")
    words = [word.rpartition("/")[2] for word in line[2:].split()] if line.startswith("#!") else []
    if words and words[0] == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return words[0].rstrip("0123456789.-") if words else ""


def format_by_content(source: str) -> str:
    """Return the format of a file as a suffix without its dot, such as "pdf", "docx", "odt", "html" or "eml".

    Return "txt" for text in an unknown format, and "" for any other file.
    """
    try:
        found = os.stat(source)  # noqa: PTH116 # `os` is used here for consistency with `is_file`
    except (OSError, ValueError):
        return ""
    return _format_of(source, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=16)  # every loader asks for the format of the same file
def _format_of(source: str, _modified: int, _size: int) -> str:
    try:
        head = read_head(source, RECOGNISED_BY_BYTES)
        if head.startswith(b"%PDF-"):
            return "pdf"
        if head.startswith(b"{\\rtf"):
            return "rtf"
        if head.startswith(b"PK\3\4"):
            return _format_of_zip(source)
    except BrokenSource:
        head = b""
    if has_suffix(source, NOT_TO_READ) or Path(source).name.startswith("~$"):
        return ""
    if mail := mail_by_head(head):
        return mail
    text = head_of(source)
    if _PAGE.match(text):
        return "html"
    if flat := _FLAT.search(text or head.decode("latin-1")):
        return EXCEL_XML if flat["excel"] else f"f{_MIMETYPES.get(flat['kind'], '')}"
    if text.startswith("<?xml"):
        return "xml"
    # A damaged compressed file counts as text so that the text loader reports the damage.
    return "txt" if text.strip() or _is_text_otherwise_encoded(head) or is_damaged_compression(source) else ""


def mail_by_head(head: bytes) -> str:
    """Return the mail format of a file, given its first bytes.

    Return "mbox" for a mailbox, "eml" for a message with header fields that mail programs add, and "" otherwise.
    """
    is_mailbox = bool(BEGINS_MESSAGE.match(head))
    header = _BLANK_LINE.split(head.partition(b"\n")[2] if is_mailbox else head, maxsplit=1)[0]
    names = {name.lower() for name in _HEADER_FIELD.findall(header)}
    if b"from" not in names or not _HEADER_FIELD.match(header):
        return ""
    return "mbox" if is_mailbox else "eml" if names & _TRANSPORT else ""


def _format_of_zip(source: str) -> str:
    try:
        with open_seekable(source) as stream, zipfile.ZipFile(stream) as archive:
            members = archive.NameToInfo
            if "mimetype" in members:
                with archive.open("mimetype") as member:
                    mimetype = member.read(_MOST_MIMETYPE_BYTES).decode("ascii", "replace").strip()
                return _MIMETYPES.get(mimetype.removesuffix("-template"), "")
            if "[Content_Types].xml" in members:
                return next((kind for part, kind in _PARTS.items() if part in members), "")
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, *FILE_ERRORS):
        pass
    return ""


def _is_text_otherwise_encoded(head: bytes) -> bool:
    if marked_encoding(head):
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeError:
        # 0x80 to 0x9f are printable in Windows-1252, and occur within characters of East Asian encodings.
        plain = head.translate(None, bytes(range(0x80, 0xA0))).decode("latin-1")
        return control_characters(plain) == 0 and len(head.split()) > 1
    return False
