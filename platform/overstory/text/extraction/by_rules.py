"""Sentences and names of a text in another language than English, by rules."""

from __future__ import annotations

from bisect import bisect_right

from overstory.model import ChunkText, Extraction, Mention
from overstory.text.extraction.capitals import capitalised_names
from overstory.text.extraction.mentions import shaped_names, surroundings
from overstory.text.extraction.unspaced import SEGMENTERS, unspaced_names
from overstory.text.sentences import sentence_starts

RULES_VERSION = 1
"""Changes whenever the same text in another language may give other sentences or names."""


def extracted_by_rules(chunk: ChunkText) -> Extraction:
    """The sentences and names of a chunk in its language. Facts need a parser of the language."""
    text, language = chunk.text, chunk.language
    starts = sentence_starts(text, language)
    around = surroundings(text, starts)
    found = unspaced_names(around, language) if language in SEGMENTERS else capitalised_names(around, language)
    shaped = [
        Mention(
            text[shape.start : shape.end], shape.type, bisect_right(starts, shape.start) - 1, shape.start, shape.end
        )
        for shape in shaped_names(around)
    ]
    apart = [each for each in found if all(each.end <= other.start or other.end <= each.start for other in shaped)]
    mentions = sorted([*shaped, *apart], key=lambda each: each.start)
    return Extraction(chunk.id, tuple(starts), tuple(mentions), ())
