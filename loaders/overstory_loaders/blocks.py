"""Joins headings and paragraphs to one text, with the exact position of each heading."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from overstory.errors import BrokenSource
from overstory.model import Heading
from overstory_loaders.cleaning import clean_text
from overstory_loaders.files import WHOLE_FILE_BYTE_LIMIT

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
