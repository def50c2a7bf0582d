"""Sections of documents, as they are searched by words: neighbouring chunks under one heading.

A paragraph is too little to tell by its words what it is about: in the answers of a FAQ, BM25 over sections found twice
as much as over their paragraphs. The first chunk of a section carries what the index of words needs of the whole:
`section_chunks` (ids, in order), `section_words` and `title_words` (stems, as `overstory.text.words` gives them). Every
chunk has the id of that first one as `section`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from overstory.model.passage_text import passage_text
from overstory.text.words import indexed_words

FINGERPRINT = "sections-2"
"""Changes whenever the same chunks may yield other sections or words."""

_LONGEST_SECTION_CHARACTERS = 6_000
"""Characters of a section. Longer ones are parted evenly: 5,000 find as much as whole documents, 2,000 less."""

# A row of a chunk, on its way to the driver or from it: its id, title, heading, text and language are read.
Row = Mapping[str, Any]


def section_properties(chunks: Sequence[Row]) -> list[dict[str, Any]]:
    """The properties of each chunk of a document, in order; None removes one that an earlier version of it had."""
    return [properties for section in _sections(chunks) for properties in _properties(section)]


def _sections(chunks: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """Runs of chunks with one heading, of at most `_LONGEST_SECTION_CHARACTERS` characters, or of one chunk."""
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
