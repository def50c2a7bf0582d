"""The default extractor: entities and facts by a spaCy pipeline, in several processes when that pays."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from overstory.model import ChunkText, Extraction
from overstory.settings import ExtractionSettings
from overstory.text.extraction.facts import FACT_RULES_VERSION
from overstory.text.extraction.findings import FINDINGS
from overstory.text.parsing.jobs import read_texts
from overstory.text.parsing.parsed_texts import ParsedTexts
from overstory.text.parsing.pipelines import find_pipeline
from overstory.text.parsing.readings import combined
from overstory.text.parsing.spacy_parser import SpacyParser

EXTRACTOR_VERSION = 2
"""Changes whenever the same parse may give other sentences or mentions."""


class SpacyExtractor:
    """Sentences, named entities of all types, and facts. Safe to use from several threads."""

    by: str = "ner"

    def __init__(self, settings: ExtractionSettings) -> None:
        self._pipeline = find_pipeline(settings.pipeline)
        digest = hashlib.sha256(
            f"{self._pipeline.fingerprint} {EXTRACTOR_VERSION} {FACT_RULES_VERSION}".encode()
        ).hexdigest()
        self.fingerprint: str = f"spacy:{digest[:16]}"
        self._processes = settings.processes
        self._parser = SpacyParser(self._pipeline, FINDINGS)

    def extract(self, chunks: Iterable[ChunkText]) -> Iterator[Extraction]:
        """One extraction a chunk, in order. Best called once with all chunks: processes live as long as it."""
        for chunk, found in read_texts(self._parser, chunks, _text, processes=self._processes):
            yield Extraction(chunk.id, *found)

    def extract_sharing(self, chunks: Iterable[ChunkText], parsed: ParsedTexts) -> Iterator[Extraction]:
        """As `extract`; what the same parse gives for `parsed.readings` is added there."""
        parser = SpacyParser(self._pipeline, combined([FINDINGS, *parsed.readings]))
        for chunk, (found, *others) in read_texts(parser, chunks, _text, processes=self._processes):
            parsed.add(self._pipeline, chunk.text, others)
            yield Extraction(chunk.id, *found)


def _text(chunk: ChunkText) -> str:
    return chunk.text
