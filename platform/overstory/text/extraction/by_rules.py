"""Sentences and names of a text in another language than English, by rules."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from overstory.model import ChunkText, Extraction, Mention
from overstory.text.extraction.capitals import capitalised_names
from overstory.text.extraction.mentions import shaped_names, surroundings
from overstory.text.extraction.unspaced import SEGMENTERS, unspaced_names
from overstory.text.languages import stop_words
from overstory.text.names.shapes import Shape
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
        for shape in _without_words(shaped_names(around), text, language)
    ]
    apart = [each for each in found if all(each.end <= other.start or other.end <= each.start for other in shaped)]
    mentions = sorted([*shaped, *apart], key=lambda each: each.start)
    return Extraction(chunk.id, tuple(starts), tuple(mentions), ())


def _without_words(found: Iterable[Shape], text: str, language: str) -> Iterator[Shape]:
    """Names by their shape without a frequent word of the language, and what follows it with nothing but space between:
    in "ejecute apt install vim con privilegios" they are no packages."""
    common, left_out = stop_words(language), -1
    for shape in found:
        goes_on = left_out >= 0 and text[left_out : shape.start].isspace()
        if goes_on or text[shape.start : shape.end] in common:
            left_out = shape.end
        else:
            yield shape
