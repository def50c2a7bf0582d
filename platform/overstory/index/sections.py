"""Splitting documents into sections for full-text search. A section consists of consecutive chunks under one heading.

A single paragraph often contains too few words to show its topic. On the answers of a FAQ, BM25 found twice as much
when it searched sections instead of paragraphs.

The first chunk of a section stores these properties for the section:

- `section_chunks`: the ids of its chunks, in reading order.
- `section_words`: the stems of all words in the section (see `overstory.text.words`).
- `title_words`: the stems of the words in its title and heading.

Every chunk stores the id of its section's first chunk as `section`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from overstory.model.passage_text import passage_text
from overstory.text.words import indexed_words

FINGERPRINT = "sections-2"
"""Version of the sections. When it changes, the sections of all documents are written again."""

_LONGEST_SECTION_CHARACTERS = 6_000
"""Approximate maximum length of a section, in characters. Longer sections are split evenly.

In searches, sections of 5,000 characters found as much as complete documents did; sections of 2,000 found less.
"""

# A `Row` is a chunk as the driver returns it, with id, title, heading, text and language.
Row = Mapping[str, Any]


def section_properties(chunks: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the section properties to store for each chunk, in the order of the chunks.

    The value None means that the chunk must not have this property, so an outdated value is deleted.
    """
    return [properties for section in _sections(chunks) for properties in _properties(section)]


def _sections(chunks: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """Yield sequences of consecutive chunks with the same heading.

    The texts of each sequence have at most about `_LONGEST_SECTION_CHARACTERS` characters in total.
    """
    for _, group in groupby(chunks, key=lambda chunk: chunk["heading"]):
        run = list(group)
        length = sum(len(chunk["text"]) for chunk in run)
        part = length / max(1, -(-length // _LONGEST_SECTION_CHARACTERS))
        before = 0
        parts: dict[int, list[Row]] = {}
        for chunk in run:
            middle = before + len(chunk["text"]) / 2
            parts.setdefault(int(middle / part) if part else 0, []).append(chunk)
            before += len(chunk["text"])
        yield from parts.values()


def _properties(section: Sequence[Row]) -> Iterator[dict[str, Any]]:
    first = section[0]
    above, language = passage_text(first["title"], first["heading"], ""), first["language"] or ""
    title_words = indexed_words(above, language)
    words = [*title_words, *(word for each in section for word in indexed_words(each["text"], each["language"] or ""))]
    yield {
        "section": first["id"],
        "section_chunks": [chunk["id"] for chunk in section],
        "section_words": " ".join(words),
        "title_words": " ".join(title_words),
    }
    for _ in section[1:]:
        yield {"section": first["id"], "section_chunks": None, "section_words": None, "title_words": None}
