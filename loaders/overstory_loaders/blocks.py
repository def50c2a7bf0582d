"""Cleans texts, and joins headings and paragraphs into one text that records the exact offset of each heading."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from overstory.errors import BrokenSource
from overstory.model import Heading
from overstory_loaders.files import WHOLE_FILE_BYTE_LIMIT

# Every text is normalised so that searches find what readers see. The visible text does not change.
#
# - Every kind of line break becomes "\n". Leading and trailing white space is removed.
# - Control characters, soft hyphens and byte order marks are removed, because they are invisible and split words.
# - Lone surrogates become U+FFFD, because UTF-8 cannot encode them. They usually come from JSON cut inside an emoji.
# - Characters are composed (Unicode NFC), because search compares code points and some programs write "é" as two.
#
# Ids are not normalised.

_TITLE_CHARACTER_LIMIT = 1000
"""Maximum length of a title. Longer ones are hardly real titles, and the title is embedded with every chunk."""

_CONTROLS = "\\x00-\\x08\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f"
_CONTROL = re.compile(f"[{_CONTROLS}]")
_INVISIBLE = re.compile(f"[{_CONTROLS}\\xad\\ufeff]")
_LINE_END = re.compile("\\r\\n|[\\r\\v\\f\\x85\\u2028\\u2029]")
_LONE_SURROGATE = re.compile("[\\ud800-\\udfff]")


def clean_text(text: str) -> str:
    """Return the normalised text: composed (NFC), and without invisible characters and surrounding white space."""
    text = _LINE_END.sub("\n", text)
    text = _INVISIBLE.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFC", _LONE_SURROGATE.sub("\ufffd", text))
    return text.strip()


def clean_title(text: str) -> str:
    """Normalise the text, put it on one line with single spaces, and cut it to 1,000 characters."""
    return " ".join(clean_text(text).split())[:_TITLE_CHARACTER_LIMIT].rstrip()


def control_characters(text: str) -> int:
    """Return the number of control characters in a text, not counting white space."""
    return len(_CONTROL.findall(text))


def is_storable(text: str) -> bool:
    """Return True if a text can be used as an id: it can be encoded in UTF-8 and contains no control characters."""
    return not (_LONE_SURROGATE.search(text) or _CONTROL.search(text))


INDENT = "    "
"""Indentation of the text below a list item or below a term that is being defined."""
MOST_INDENTS = 6


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a heading, a table row or a list item.

    Attributes:
        level: heading level, counted from 1; 0 if the block is not a heading.
        tight: True if only a line break, not a blank line, separates the block from the previous block.
        opens_page: True for the first block of a page or slide.
    """

    text: str
    level: int = 0
    tight: bool = False
    opens_page: bool = False


@dataclass(frozen=True, slots=True)
class OutlinedText:
    """The text of a document, with its headings and, if it has pages, the offset of each page."""

    text: str
    headings: tuple[Heading, ...]
    page_starts: tuple[int, ...] = ()


def join_blocks(blocks: Iterable[Block], *, source: str = "", remedy: str = "Split it.") -> OutlinedText:
    """Clean the blocks and join them into one text, separated by blank lines. Empty blocks are dropped.

    Raises:
        BrokenSource: the text is longer than 64 MiB.
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
