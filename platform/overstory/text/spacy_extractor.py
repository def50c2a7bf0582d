"""The default extractor: entities and facts by a spaCy pipeline."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import islice

from overstory.model import ChunkText, Extraction
from overstory.settings import ExtractionSettings
from overstory.text.pipelines import find_pipeline
from overstory.text.spacy_parser import BATCH, SpacyParser

VERSION = 1


class SpacyExtractor:
    """Sentences, named entities of all types, and facts. Safe to use from several threads."""

    by = "ner"

    def __init__(self, settings: ExtractionSettings) -> None:
        """
        Raises:
            ModelError: the pipeline is not installed.
        """
        self._pipeline = find_pipeline(settings.pipeline)
        self.fingerprint = hashlib.sha256(f"{self._pipeline.fingerprint} {VERSION}".encode()).hexdigest()
        self._parser = SpacyParser(self._pipeline)

    def extract(self, chunks: Iterable[ChunkText]) -> Iterator[Extraction]:
        waiting = iter(chunks)
        while batch := list(islice(waiting, BATCH)):
            for chunk, found in zip(batch, self._parser.parse([chunk.text for chunk in batch]), strict=True):
                yield Extraction(chunk.id, *found)
