"""Texts through a spaCy pipeline, in this process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Generic, TypeVar

from overstory.surrogates import well_formed
from overstory.text.parsing.pipelines import Pipeline
from overstory.text.parsing.readings import Reading
from overstory.text.sentences import sentence_starts

T = TypeVar("T")

TEXTS_PARSED_TOGETHER = 64
"""Texts that spaCy reads at a time."""

_LONGEST_PARSED_CHARACTERS = 20_000
"""Characters read at once: the parser needs about a kilobyte each, and refuses a million."""


class SpacyParser(Generic[T]):
    """Loads its pipeline when first used, and shares it with all parsers of the process, whatever they read.

    Safe to use from several threads; those that use one pipeline take turns.
    """

    def __init__(self, pipeline: Pipeline, reading: Reading[T]) -> None:
        self.pipeline = pipeline
        self.reading = reading

    def parse(self, texts: Sequence[str]) -> list[T]:
        """The reading's value of each text."""
        if not texts:
            return []
        texts = [well_formed(text) for text in texts]
        bounds = [_windows(text) for text in texts]
        parts = [text[s:e] for text, window in zip(texts, bounds, strict=True) for s, e in pairwise(window)]
        pipeline = self.pipeline.load()
        with pipeline.lock, pipeline.words():
            found = iter(
                [self.reading.of(doc) for doc in pipeline.language.pipe(parts, batch_size=TEXTS_PARSED_TOGETHER)]
            )
        return [self.reading.united([(start, next(found)) for start in window[:-1]]) for window in bounds]


def _windows(text: str) -> list[int]:
    """Bounds between which a text is read at once: sentences' as far as possible."""
    if len(text) <= _LONGEST_PARSED_CHARACTERS:
        return [0, len(text)]
    return list(_bounds(text))


def _bounds(text: str) -> Iterator[int]:
    yield 0
    last = before = 0
    for start in [*sentence_starts(text)[1:], len(text)]:
        if start - last > _LONGEST_PARSED_CHARACTERS and before > last:
            yield before
            last = before
        while start - last > _LONGEST_PARSED_CHARACTERS:  # one sentence
            last += _LONGEST_PARSED_CHARACTERS
            yield last
        before = start
    if last < len(text):
        yield len(text)
