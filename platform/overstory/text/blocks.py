"""Blocks of documents that may be boilerplate: what pages say again and again (navigation, licences, imprints).

A block is a paragraph. Which of them are boilerplate follows from the number of documents that have each, not from
what they say.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import chain

from overstory.model.passage_text import PATH_SEPARATOR, without_boilerplate

_LONGEST_BLOCK_CHARACTERS = 1_000
"""Characters of a block. A longer paragraph that most documents share is rather a common chapter than a frame."""

_EDGE_BLOCKS = 16
"""Blocks at the beginning and at the end of a document that are counted: what frames pages stands there, and a long
document brings no more counters than a short one."""

LEAST_BLOCK_DOCUMENTS = 5
LEAST_BLOCK_SHARE = 0.5
"""A block is boilerplate in so many documents of a folder, and in more than this part of them.

Tried on HTML pages, as loaded: of Python's library reference (317), the Debian handbook (127), Node.js (65) and Rust's
error codes (320). In more than half are "Download the ebook" (in all), "Stability: 2 - Stable" and "Erroneous code
example:". Content begins below a third: "See also", and in 13 % "This module does not work or is not available on
WebAssembly platforms". Fewer than five documents agree by chance.
"""

_MOST_BOILERPLATE_SHARE = 0.5
"""A document that has more of it in common with most others of its folder keeps all: these are copies, versions, or
made from a template, and what they share is what they say."""

_PARAGRAPH = re.compile(r"\S(?:[^\n]|\n(?![^\S\n]*(?:\n|$)))*")
"""From a character to the next blank line or the end."""
_WORD = re.compile(r"\w")
_MARKS = "#*=_~ "
"""Marks of headings in Markdown."""

Piece = tuple[str, str]
"""The text of a piece of a document, and the path of headings above it."""


@dataclass(frozen=True, slots=True)
class HashedParagraph:
    """A paragraph of a document.

    Attributes:
        hash: 64 bits of its words; white space does not count.
        start, end: its characters in the document.
        words: on one line.
    """

    hash: int
    start: int
    end: int
    words: str


def counted_blocks(pieces: Sequence[Piece]) -> dict[int, str]:
    """The blocks by which a document is compared with others: words by hash, those at its beginning and its end.

    Args:
        pieces: those of one document, in order; their texts concatenate to it.
    """
    blocks = list(_blocks(pieces))
    if len(blocks) > 2 * _EDGE_BLOCKS:
        blocks = [*blocks[:_EDGE_BLOCKS], *blocks[-_EDGE_BLOCKS:]]
    return {block.hash: block.words for block in blocks}


def boilerplate_spans(pieces: Sequence[Piece], boilerplate: Set[int]) -> list[list[int]]:
    """For each piece of a document, the spans of boilerplate in it: start, end, start, end, …, characters of the piece.

    Empty where boilerplate would be most of the document.

    Args:
        boilerplate: hashes of blocks.
    """
    spans: list[list[int]] = [[] for _ in pieces]
    found = [block for block in _blocks(pieces) if block.hash in boilerplate] if boilerplate else []
    whole = sum(len("".join(text.split())) for text, _ in pieces)
    if sum(len("".join(block.words.split())) for block in found) > _MOST_BOILERPLATE_SHARE * whole:
        return spans
    ends = _ends(pieces)
    number = 0
    for block in found:
        while ends[number] <= block.start:
            number += 1
        for at in range(number, len(pieces)):
            offset = ends[at] - len(pieces[at][0])
            if offset >= block.end:
                break
            start, end = max(block.start, offset), min(block.end, ends[at])
            if start < end:
                spans[at] += [start - offset, end - offset]
    return spans


def is_only_boilerplate(piece: Piece, spans: Sequence[int]) -> bool:
    """Whether a piece holds boilerplate and else nothing but headings and marks."""
    text, heading = piece
    if not spans:
        return False
    rest = without_boilerplate(text, spans)
    return all(
        _is_heading(found.group(), heading) for found in _PARAGRAPH.finditer(rest) if _WORD.search(found.group())
    )


def folder_of(source: str, source_key: str) -> str:
    """The folder within which a document is compared; "" for records, whose fields may well have equal values, and for
    what is no file."""
    return "" if source_key or "/" not in source else source.rpartition("/")[0] or "/"


def count_changes(
    before: Iterable[tuple[str, Iterable[int]]], after: Iterable[tuple[str, Iterable[int]]]
) -> tuple[dict[str, int], dict[tuple[str, int], int]]:
    """By how much the numbers of documents change: of folders (0 where only blocks change), and of blocks in folders.

    Args:
        before, after: folder and blocks of each document that goes, and of each that comes.
    """
    folders: dict[str, int] = {}
    blocks: dict[tuple[str, int], int] = {}
    changes = chain(((-1, *each) for each in before), ((1, *each) for each in after))
    for change, folder, hashes in changes:
        folders[folder] = folders.get(folder, 0) + change
        for hash_ in set(hashes):
            blocks[folder, hash_] = blocks.get((folder, hash_), 0) + change
    changed = {key: change for key, change in blocks.items() if change}
    concerned = {folder for folder, change in folders.items() if change} | {folder for folder, _ in changed}
    return {folder: folders[folder] for folder in concerned}, changed


def _blocks(pieces: Sequence[Piece]) -> Iterator[HashedParagraph]:
    """The paragraphs of a document that are neither headings nor longer than a block, in order."""
    text = "".join(piece for piece, _ in pieces)
    ends = _ends(pieces)
    number = 0
    for found in _PARAGRAPH.finditer(text):
        words = " ".join(found.group().split())
        while ends[number] <= found.start():
            number += 1
        if (
            len(words) <= _LONGEST_BLOCK_CHARACTERS
            and _WORD.search(words)
            and not _is_heading(words, pieces[number][1])
        ):
            digest = hashlib.sha256(words.encode()).digest()
            yield HashedParagraph(int.from_bytes(digest[:8], signed=True), found.start(), found.end(), words)


def _ends(pieces: Sequence[Piece]) -> list[int]:
    ends: list[int] = []
    end = 0
    for text, _ in pieces:
        end += len(text)
        ends.append(end)
    return ends


def _is_heading(words: str, path: str) -> bool:
    return bool(path) and " ".join(words.split()).strip(_MARKS) in path.split(PATH_SEPARATOR)
