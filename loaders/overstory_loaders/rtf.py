"""Loads Rich Text Format (RTF) files."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from overstory.display import error_text
from overstory.errors import BrokenSource
from overstory.model import Annotation, Document
from overstory.protocols import OnBroken
from overstory_loaders.blocks import Block, clean_title, join_blocks
from overstory_loaders.by_content import format_by_content
from overstory_loaders.files import address, empty, has_suffix, missing_extra, read_bytes, stem
from overstory_loaders.table_text import table_blocks

SUFFIXES = (".rtf",)
_CODE_PAGE = re.compile(rb"\\ansicpg(\d{1,5})")
_TITLE = re.compile(r"\{\\info\b.{0,10000}?\{\\title\s((?:[^{}\\]|\\(?:'|u\d|[\\{}])){1,4000})\}", re.DOTALL)
_NOTE = re.compile(r"\{\s*\\footnote\b ?")
_BOX = re.compile(r"\{\s*\\shptxt\b")
_FONTS = re.compile(r"\{\s*\\fonttbl\b")
_FONT_WITHOUT_CHARSET = re.compile(r"\{\s*\\f\d+(?:(?!\\fcharset)[^{};])*;\s*\}")
_BRACE = re.compile(r"\\[\\{}]|[{}]")
_CELL_END = "|"
"""The library writes this after each cell of a table."""


class RtfLoader:
    """Loader for RTF files. The title comes from the properties or the file name."""

    name = "rtf"
    isolated = True

    def recognises(self, source: str) -> bool:
        return has_suffix(source, SUFFIXES)

    def recognises_content(self, source: str) -> bool:
        return format_by_content(source) == "rtf"

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Annotation]:  # noqa: ARG002
        """Yield one document with the paragraphs, tables, notes and text boxes."""
        data = read_bytes(source)
        if not data.strip():
            raise empty(source)
        if not data.lstrip().startswith(b"{\\rtf"):
            raise BrokenSource("is not RTF: it does not begin with {\\rtf", source=source, remedy="Check its name.")
        outlined = join_blocks(rtf_blocks(data, source), source=source)
        if not outlined.text:
            raise empty(source)
        found = _TITLE.search(_decoded(data))
        title = _text_of(f"{{\\rtf1 {found[1]}}}", _encoding(data), source) if found else ""
        yield Document(
            source=address(source),
            source_key="",
            text=outlined.text,
            title=clean_title(title) or clean_title(stem(source, SUFFIXES)),
        )


def rtf_blocks(data: bytes, source: str) -> Iterator[Block]:
    """Yield the paragraphs and tables in an RTF text, then those in its text boxes.

    Raises:
        BrokenSource: the text cannot be read.
        LoaderNotFound: the library for RTF is not installed.
    """
    encoding = _encoding(data)
    text = _NOTE.sub("{ Note: ", _with_charsets(_decoded(data)))
    yield from _blocks(_text_of(text, encoding, source))
    for box in _boxes(text):
        yield from _blocks(_text_of(f"{{\\rtf1 {box}}}", encoding, source))


def _blocks(text: str) -> Iterator[Block]:
    lines = (line.strip() for line in text.split("\n"))
    for is_row, group in groupby(filter(None, lines), key=lambda line: line.endswith(_CELL_END)):
        if is_row:
            yield from table_blocks(_rows(group))
        else:
            yield from map(Block, group)


def _rows(lines: Iterable[str]) -> Iterator[list[str]]:
    return ([cell.strip() for cell in line[: -len(_CELL_END)].split(_CELL_END)] for line in lines)


def _text_of(text: str, encoding: str, source: str) -> str:
    try:
        from striprtf.striprtf import rtf_to_text
    except ImportError as error:
        raise missing_extra("office", "striprtf") from error
    try:
        return str(rtf_to_text(text, encoding=encoding, errors="replace"))  # type: ignore[no-untyped-call, unused-ignore] # it has no annotations
    except Exception as error:  # the library may raise any exception for a damaged file
        raise BrokenSource(
            f"cannot be read as RTF: {type(error).__name__}: {error_text(error)}",
            source=source,
            remedy="Open it in Word or LibreOffice, and save it as .docx.",
        ) from error


def _boxes(text: str) -> Iterator[str]:
    """Yield the contents of each text box, which the library leaves out."""
    end = 0
    for found in _BOX.finditer(text):
        if found.start() >= end:
            end = _group_end(text, found.start())
            yield text[found.end() : end - 1]


def _with_charsets(text: str) -> str:
    """Return a text without the fonts that declare no character set.

    The library takes the character set of the next font for them, instead of that of the document.
    """
    found = _FONTS.search(text)
    if found is None:
        return text
    end = _group_end(text, found.start())
    fonts = _FONT_WITHOUT_CHARSET.sub("", text[found.start() : end])
    return f"{text[: found.start()]}{fonts}{text[end:]}"


def _group_end(text: str, start: int) -> int:
    """Return the end of the group that begins at `start`; the end of the text if it is never closed."""
    depth = 0
    for brace in _BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if not depth:
            return brace.end()
    return len(text)


def _encoding(data: bytes) -> str:
    found = _CODE_PAGE.search(data)
    name = f"cp{found[1].decode()}" if found else "cp1252"
    try:
        return codecs.lookup("utf-8" if name == "cp65001" else name).name
    except LookupError:
        return "cp1252"


def _decoded(data: bytes) -> str:
    return data.decode(_encoding(data), "replace")
