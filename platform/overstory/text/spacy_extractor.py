"""The default extractor: entities and facts by a spaCy pipeline, in several processes when that pays."""

from __future__ import annotations

import hashlib
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from overstory.model import ChunkText, Extraction
from overstory.processors import processors
from overstory.settings import ExtractionSettings
from overstory.text.facts import RULES
from overstory.text.parsing import Parsed
from overstory.text.pipelines import find_pipeline
from overstory.text.spacy_parser import BATCH, SpacyParser
from overstory.text.workers import Workers

VERSION = 1
"""Changes whenever the same parse may give other sentences or mentions."""

PAYS = 100_000
"""Characters from which on the start of more processes is won back."""

MOST = 8
"""Processes that are started unasked; each holds a pipeline, some 300 MB."""


class SpacyExtractor:
    """Sentences, named entities of all types, and facts. Safe to use from several threads."""

    by: str = "ner"

    def __init__(self, settings: ExtractionSettings) -> None:
        """
        Raises:
            ModelError: the pipeline is not installed.
        """
        self._pipeline = find_pipeline(settings.pipeline)
        digest = hashlib.sha256(f"{self._pipeline.fingerprint} {VERSION} {RULES}".encode()).hexdigest()
        self.fingerprint: str = f"spacy:{digest[:16]}"
        self._processes = settings.processes
        self._parser = SpacyParser(self._pipeline)

    def extract(self, chunks: Iterable[ChunkText]) -> Iterator[Extraction]:
        """One extraction a chunk, in order. Best called once with all chunks: processes live as long as the iterator.

        Raises:
            ModelError: the pipeline cannot be loaded, or a process died.
        """
        waiting = iter(chunks)
        first = list(_first(waiting, PAYS))
        chunks = chain(first, waiting)
        processes = self._processes or _as_many_as_pay(sum(len(chunk.text) for chunk in first))
        if processes > 1 and len(first) > BATCH and sys.executable:
            with Workers(self._pipeline.name, processes) as workers:
                asked: deque[list[ChunkText]] = deque()
                for found in workers.parse(_remembered(chunks, asked)):
                    yield from _extractions(asked.popleft(), found)
        else:
            for batch in _batches(chunks):
                yield from _extractions(batch, self._parser.parse([chunk.text for chunk in batch]))


def _first(chunks: Iterator[ChunkText], characters: int) -> Iterator[ChunkText]:
    """Chunks until they have so many characters."""
    for chunk in chunks:
        yield chunk
        characters -= len(chunk.text)
        if characters <= 0:
            return


def _as_many_as_pay(characters: int) -> int:
    return min(MOST, processors()) if characters >= PAYS else 1


def _batches(chunks: Iterator[ChunkText]) -> Iterator[list[ChunkText]]:
    while batch := list(islice(chunks, BATCH)):
        yield batch


def _remembered(chunks: Iterator[ChunkText], asked: deque[list[ChunkText]]) -> Iterator[list[str]]:
    """The texts of each batch; the batch itself goes to the end of `asked`."""
    for batch in _batches(chunks):
        asked.append(batch)
        yield [chunk.text for chunk in batch]


def _extractions(batch: list[ChunkText], found: list[Parsed]) -> Iterator[Extraction]:
    for chunk, one in zip(batch, found, strict=True):
        yield Extraction(chunk.id, *one)
