"""Joins headings and paragraphs to one text, with the exact position of each heading."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from overstory.model import Heading
from overstory_loaders.cleaning import clean_text


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a heading, a table, a list item.

    Attributes:
        level: of a heading, counted from 1; 0 for everything else.
        tight: separated from the previous block by a line end instead of a blank line.
    """

    text: str
    level: int = 0
    tight: bool = False


@dataclass(frozen=True, slots=True)
class OutlinedText:
    """A document's text and the headings in it."""

    text: str
    headings: tuple[Heading, ...]


def join_blocks(blocks: Iterable[Block]) -> OutlinedText:
    """The cleaned blocks as one text, with blank lines between them and without empty ones."""
    parts: list[str] = []
    headings: list[Heading] = []
    length = 0
    for block in blocks:
        text = clean_text(block.text)
        if not text:
            continue
        if parts:
            gap = "\n" if block.tight else "\n\n"
            parts.append(gap)
            length += len(gap)
        if block.level:
            text = " ".join(text.split())
            headings.append(Heading(start=length, level=block.level, text=text))
        parts.append(text)
        length += len(text)
    return OutlinedText("".join(parts), tuple(headings))
