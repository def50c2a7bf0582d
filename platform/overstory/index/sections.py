"""Sections of documents for full-text search: neighbouring chunks under one heading.

A paragraph alone has too few words to show its topic: on the answers of a FAQ, BM25 over sections found twice as much
as over paragraphs. The first chunk of a section stores the words of the whole section: `section_chunks` (ids in order),
`section_words` and `title_words` (stems from `overstory.text.words`). Each chunk stores the id of that first chunk as
`section`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from overstory.model.passage_text import passage_text
from overstory.text.words import indexed_words

FINGERPRINT = "sections-2"
"""Version of sections. A change writes the sections of all documents again."""

_LONGEST_SECTION_CHARACTERS = 6_000
"""Maximum characters of a section; longer ones are split evenly. 5,000 find as much as whole documents, 2,000 less."""

# A chunk as a driver row, with id, title, heading, text and language.
Row = Mapping[str, Any]


def section_properties(chunks: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the section properties of each chunk, in order; None deletes an outdated property."""
    return [properties for section in _sections(chunks) for properties in _properties(section)]


def _sections(chunks: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """Yield runs of chunks with the same heading, each with about `_LONGEST_SECTION_CHARACTERS` characters at most."""
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
