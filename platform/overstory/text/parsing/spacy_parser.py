"""Parses texts with a spaCy pipeline in the current process."""

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
"""Number of texts in a batch for spaCy."""

_LONGEST_PARSED_CHARACTERS = 20_000
"""Maximum length of a text that is parsed as a whole. spaCy needs about 1 kB of memory per character, and rejects texts
with more than a million characters."""


class SpacyParser(Generic[T]):
    """Parses texts, and extracts a value from each.

    The pipeline is loaded on first use and shared within the process. Several threads can use a parser at once. They
    take turns on the same pipeline.
    """

    def __init__(self, pipeline: Pipeline, reading: Reading[T]) -> None:
        self.pipeline = pipeline
        self.reading = reading

    def parse(self, texts: Sequence[str]) -> list[T]:
        """Return the value of the reading for each text."""
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
    """Return the offsets at which a long text is split for parsing, including its start and end.

    The text is split at ends of sentences if possible.
    """
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
        while start - last > _LONGEST_PARSED_CHARACTERS:  # a single long sentence
            last += _LONGEST_PARSED_CHARACTERS
            yield last
        before = start
    if last < len(text):
        yield len(text)
