"""Boilerplate: paragraphs that many pages repeat, such as navigation, licences and imprints.

A paragraph is boilerplate if enough documents in the same folder contain it, whatever its wording.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import chain

from overstory.model.passage_text import PATH_SEPARATOR, without_boilerplate

_LONGEST_BLOCK_CHARACTERS = 1_000
"""Maximum length of a boilerplate paragraph. A longer paragraph that most documents share is likely content."""

_EDGE_BLOCKS = 16
"""Number of paragraphs to compare at each end of a document, where navigation and footers are."""

LEAST_BLOCK_DOCUMENTS = 5
LEAST_BLOCK_SHARE = 0.5
"""A paragraph is boilerplate if it occurs in at least 5 documents of a folder and in more than half of them.

These limits were measured on HTML pages: Python's library reference (317 pages), the Debian handbook (127), Node.js
(65) and Rust's error codes (320). The paragraphs on more than half of the pages are boilerplate, such as "Download the
ebook" (on all pages), "Stability: 2 - Stable" and "Erroneous code example:". Repeated content is on less than a third
of the pages: "See also", and "This module does not work or is not available on WebAssembly platforms" (13 %). Fewer
than five documents may share a paragraph by chance.
"""

_MOST_BOILERPLATE_SHARE = 0.5
"""Maximum fraction of boilerplate in a document. A document with a higher fraction is a copy, another version or made
from a template. The shared text is then its content, so nothing in it counts as boilerplate."""

_PARAGRAPH = re.compile(r"\S(?:[^\n]|\n(?![^\S\n]*(?:\n|$)))*")
"""Matches a paragraph, which ends at the next blank line or at the end of the text."""
_WORD = re.compile(r"\w")
_MARKS = "#*=_~ "
"""Characters that Markdown adds to headings."""

Piece = tuple[str, str]
"""A piece of a document: its text, and the path of the headings above it."""


@dataclass(frozen=True, slots=True)
class HashedParagraph:
    """A paragraph of a document.

    Attributes:
        hash: 64-bit hash of `words`, so that differences in white space do not matter.
        start, end: character offsets of the paragraph in the document.
        words: text of the paragraph, with white space collapsed.
    """

    hash: int
    start: int
    end: int
    words: str


def counted_blocks(pieces: Sequence[Piece]) -> dict[int, str]:
    """Return the first and last 16 paragraphs of a document, as a map from hash to text.

    Args:
        pieces: all pieces of the document, in order and without gaps.
    """
    blocks = list(_blocks(pieces))
    if len(blocks) > 2 * _EDGE_BLOCKS:
        blocks = [*blocks[:_EDGE_BLOCKS], *blocks[-_EDGE_BLOCKS:]]
    return {block.hash: block.words for block in blocks}


def boilerplate_spans(pieces: Sequence[Piece], boilerplate: Set[int]) -> list[list[int]]:
    """Return the boilerplate spans of each piece as a flat list of offsets in the piece: start, end, start, end, …

    If more than half of the document would be boilerplate, all lists are empty.

    Args:
        pieces: all pieces of the document, in order and without gaps.
        boilerplate: hashes of all boilerplate paragraphs.
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
    """Return True if a piece contains boilerplate and no other text except headings."""
    text, heading = piece
    if not spans:
        return False
    rest = without_boilerplate(text, spans)
    return all(
        _is_heading(found.group(), heading) for found in _PARAGRAPH.finditer(rest) if _WORD.search(found.group())
    )


def folder_of(source: str, source_key: str) -> str:
    """Return the folder whose documents are compared with a document, or "" if the document is not compared.

    Sources that are not files are not compared. Neither are records, because their fields often have equal values.
    """
    return "" if source_key or "/" not in source else source.rpartition("/")[0] or "/"


def count_changes(
    before: Iterable[tuple[str, Iterable[int]]], after: Iterable[tuple[str, Iterable[int]]]
) -> tuple[dict[str, int], dict[tuple[str, int], int]]:
    """Return changes in the number of documents as two maps, one by folder and one by (folder, paragraph hash).

    A folder is included with 0 if only the number of documents that contain some paragraph changes.

    Args:
        before: folder and paragraph hashes of each deleted document.
        after: folder and paragraph hashes of each added document.
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
    """Yield the paragraphs of a document in order, except headings, very long paragraphs, and lines without letters."""
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
