"""Cleaned texts; headings and paragraphs joined to one text, with the exact position of each heading."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from overstory.errors import BrokenSource
from overstory.model import Heading
from overstory_loaders.files import WHOLE_FILE_BYTE_LIMIT

# Normalisation of every text, so that searches find what readers see. Nothing here changes how a text looks.
#
# - Line ends of all kinds become "\n"; surrounding white space is removed.
# - Control characters, including NUL, are removed: nobody types them into a question.
# - Soft hyphens and byte order marks inside a text are removed: they are invisible and split words.
# - A lone surrogate (half of a character, usually from JSON cut by UTF-16 units) becomes U+FFFD: UTF-8 cannot
#   encode it, and one broken emoji should not cost a document.
# - Characters are composed (Unicode NFC): full-text search and names compare code points, and "é" in two code points,
#   as in texts from macOS and many PDFs, is a different word from "é" in one. Ids are not changed.

_TITLE_CHARACTER_LIMIT = 1000
"""Longer titles are truncated: they are not real titles, and they are embedded with every chunk."""

_CONTROLS = "\\x00-\\x08\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f"
_CONTROL = re.compile(f"[{_CONTROLS}]")
_INVISIBLE = re.compile(f"[{_CONTROLS}\\xad\\ufeff]")
_LINE_END = re.compile("\\r\\n|[\\r\\v\\f\\x85\\u2028\\u2029]")
_LONE_SURROGATE = re.compile("[\\ud800-\\udfff]")


def clean_text(text: str) -> str:
    """The normalised text; applying it twice changes nothing."""
    text = _LINE_END.sub("\n", text)
    text = _INVISIBLE.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFC", _LONE_SURROGATE.sub("\ufffd", text))
    return text.strip()


def clean_title(text: str) -> str:
    """One line, with single spaces."""
    return " ".join(clean_text(text).split())[:_TITLE_CHARACTER_LIMIT].rstrip()


def control_characters(text: str) -> int:
    """The number of control characters other than white space in a text."""
    return len(_CONTROL.findall(text))


def is_storable(text: str) -> bool:
    """Whether a text can be an id: UTF-8 can encode it, and it has no control characters."""
    return not (_LONE_SURROGATE.search(text) or _CONTROL.search(text))


INDENT = "    "
"""Before what stands below an item of a list, or what is defined."""
MOST_INDENTS = 6
"""Levels by which text is indented."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a heading, a table, a list item.

    Attributes:
        level: of a heading, counted from 1; 0 for everything else.
        tight: separated from the previous block by a line end instead of a blank line.
        opens_page: the first of a page, a slide for example.
    """

    text: str
    level: int = 0
    tight: bool = False
    opens_page: bool = False


@dataclass(frozen=True, slots=True)
class OutlinedText:
    """A document's text, the headings in it, and the offset of each page, where it has pages."""

    text: str
    headings: tuple[Heading, ...]
    page_starts: tuple[int, ...] = ()


def join_blocks(blocks: Iterable[Block], *, source: str = "", remedy: str = "Split it.") -> OutlinedText:
    """The cleaned blocks as one text, with blank lines between them and without empty ones.

    Args:
        source: named where the text is too long.

    Raises:
        BrokenSource: it has more characters than a file that is read whole may have bytes.
    """
    parts: list[str] = []
    headings: list[Heading] = []
    pages: list[int] = []
    length = 0
    for block in blocks:
        text = clean_text(block.text)
        if not text:
            continue
        if parts:
            gap = "\n" if block.tight else "\n\n"
            parts.append(gap)
            length += len(gap)
        if length + len(text) > WHOLE_FILE_BYTE_LIMIT:
            raise BrokenSource(
                f"has more than {WHOLE_FILE_BYTE_LIMIT // 2**20} MiB of text, too much to read at once",
                source=source,
                remedy=remedy,
            )
        if block.opens_page:
            pages.append(length)
        if block.level:
            text = " ".join(text.split())
            headings.append(Heading(start=length, level=block.level, text=text))
        parts.append(text)
        length += len(text)
    return OutlinedText("".join(parts), tuple(headings), tuple(pages))
