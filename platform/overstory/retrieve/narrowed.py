"""Any retriever whose hits have to fulfil a filter on passages: their page and their section."""

from __future__ import annotations

from dataclasses import replace

from overstory.filters import Expression
from overstory.filters.passages import PAGE, SECTION, fulfils
from overstory.model import Evidence, Hit, MetadataScalar
from overstory.model.metadata import typed_values
from overstory.model.passage_text import PATH_SEPARATOR
from overstory.protocols import Retriever
from overstory.retrieve.hits import with_hits
from overstory.retrieve.repeats import MOST_HITS

_LEAST_NARROWED_HITS = 50
NOTHING_THERE = "no passage that was found is on such a page or in such a section"
_NARROWING_FACTOR = 4
"""A retriever is first asked for at least 50 hits, then for four times as many while too few pass."""


class Narrowed:
    """Keeps the hits of a retriever that fulfil a filter, of the first `MOST_HITS`."""

    def __init__(self, retriever: Retriever, where: Expression) -> None:
        self.name = retriever.name
        self._retriever = retriever
        self._where = where

    def retrieve(self, question: str, k: int) -> Evidence:
        """As `Retriever.retrieve`."""
        asked = min(MOST_HITS, max(_LEAST_NARROWED_HITS, _NARROWING_FACTOR * k))
        while True:
            evidence = self._retriever.retrieve(question, asked)
            kept = [hit for hit in evidence.hits if fulfils(self._where, _values(hit))]
            if len(kept) >= k or len(evidence.hits) < asked or asked == MOST_HITS:
                break
            asked = min(MOST_HITS, _NARROWING_FACTOR * asked)
        found = with_hits(evidence, kept[:k])
        if evidence.hits and not kept and len(evidence.hits) < MOST_HITS:
            return replace(found, notes=(*found.notes, NOTHING_THERE))
        if len(kept) >= k or len(evidence.hits) < MOST_HITS:
            return found
        note = f"of the first {MOST_HITS:,} passages {len(kept):,} are on such a page or in such a section"
        return replace(found, notes=(*found.notes, note))


def _values(hit: Hit) -> dict[str, list[MetadataScalar]]:
    """What a hit's document says by key, its page, and the path of headings above it, whole and each."""
    values: dict[str, list[MetadataScalar]] = {}
    for each in typed_values(hit.metadata):
        values.setdefault(each.key, []).append(each.value)
    if hit.page is not None:
        values.setdefault(PAGE, []).append(hit.page)
    if hit.heading:
        values[SECTION] = list(dict.fromkeys([hit.heading, *hit.heading.split(PATH_SEPARATOR)]))
    return values
