"""The default extractor: entities and facts by a spaCy pipeline, in several processes when that pays.

A chunk in another language than the pipeline's is read by a further pipeline of that language, where the settings name
one, and else by rules (`by_rules`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice

from overstory.errors import install_command
from overstory.model import ChunkText, Extraction
from overstory.settings import ExtractionSettings
from overstory.text.extraction.by_rules import RULES_VERSION, extracted_by_rules
from overstory.text.extraction.facts import FACT_RULES_VERSION
from overstory.text.extraction.findings import FINDINGS
from overstory.text.extraction.sharing import LanguageNote
from overstory.text.extraction.unspaced import SEGMENTERS, segmenter_version
from overstory.text.parsing.jobs import read_texts
from overstory.text.parsing.parsed_texts import ParsedTexts
from overstory.text.parsing.pipelines import find_pipeline
from overstory.text.parsing.readings import combined
from overstory.text.parsing.spacy_parser import SpacyParser

_EXTRACTOR_VERSION = 2
"""Changes whenever the same parse may give other sentences or mentions."""

_MIXED_CHUNKS_READ_TOGETHER = 2_000
"""Chunks for which processes are started once, in a corpus of several languages."""

Read = Callable[[Iterable[ChunkText]], Iterator[Extraction]]


class SpacyExtractor:
    """Sentences, named entities of all types, and facts. Safe to use from several threads."""

    by: str = "ner"

    def __init__(self, settings: ExtractionSettings) -> None:
        self._pipeline = find_pipeline(settings.pipeline)
        others = map(find_pipeline, settings.further_pipelines)
        digest = hashlib.sha256(
            f"{self._pipeline.fingerprint} {_EXTRACTOR_VERSION} {FACT_RULES_VERSION}".encode()
        ).hexdigest()
        self.fingerprint: str = f"spacy:{digest[:16]}"
        self._processes = settings.processes
        self._parser = SpacyParser(self._pipeline, FINDINGS)
        self._others = {each.language: SpacyParser(each, FINDINGS) for each in others}

    def reading_of(self, language: str) -> str:
        """What chunks in another language are read with: changes whenever the same one may give another extraction."""
        if self._is_own(language):
            return ""
        if language in self._others:
            return self._others[language].pipeline.fingerprint
        return f"rules {RULES_VERSION} {segmenter_version(language) if language in SEGMENTERS else ''}".strip()

    def language_notes(self, languages: Sequence[str]) -> tuple[LanguageNote, ...]:
        """Which of these languages lack the package that parts their words."""
        without = [
            each
            for each in languages
            if each in SEGMENTERS
            and each not in self._others
            and not self._is_own(each)
            and not segmenter_version(each)
        ]
        if not without:
            return ()
        packages = " and ".join(f"{SEGMENTERS[each]} ({each})" for each in without)
        missing = f"names in {' and '.join(without)} are only those that the script marks: {packages} is not installed"
        return (LanguageNote(missing, f"{install_command('multilingual')}, then run overstory index again"),)

    def extract(self, chunks: Iterable[ChunkText]) -> Iterator[Extraction]:
        """One extraction a chunk, in order. Best called once with all chunks: processes live as long as it."""

        def read(some: Iterable[ChunkText]) -> Iterator[Extraction]:
            for chunk, found in read_texts(self._parser, some, _text, processes=self._processes):
                yield Extraction(chunk.id, *found)

        return self._in_order(chunks, read)

    def extract_sharing(self, chunks: Iterable[ChunkText], parsed: ParsedTexts) -> Iterator[Extraction]:
        """As `extract`; what the same parse gives for `parsed.readings` is added there."""
        parser = SpacyParser(self._pipeline, combined([FINDINGS, *parsed.readings]))

        def read(some: Iterable[ChunkText]) -> Iterator[Extraction]:
            for chunk, (found, *others) in read_texts(parser, some, _text, processes=self._processes):
                parsed.add(self._pipeline, chunk.text, others)
                yield Extraction(chunk.id, *found)

        return self._in_order(chunks, read)

    def _in_order(self, chunks: Iterable[ChunkText], read: Read) -> Iterator[Extraction]:
        """Those of the pipeline's language by `read`, called once for a corpus without others; the others one by
        one."""
        rest = iter(chunks)
        ahead: list[ChunkText] = []

        def own() -> Iterator[ChunkText]:
            for chunk in rest:
                if not self._is_own(chunk.language):
                    ahead.append(chunk)
                    return
                yield chunk

        yield from read(own())
        mixed = chain(ahead, rest)
        while page := list(islice(mixed, _MIXED_CHUNKS_READ_TOGETHER)):
            found = read([chunk for chunk in page if self._is_own(chunk.language)])
            for chunk in page:
                yield next(found) if self._is_own(chunk.language) else self._foreign(chunk)

    def _is_own(self, language: str) -> bool:
        """Whether the first pipeline reads a language: its own, and English as well as what is not known."""
        return language in ("", self._pipeline.language)

    def _foreign(self, chunk: ChunkText) -> Extraction:
        parser = self._others.get(chunk.language)
        if parser is None:
            return extracted_by_rules(chunk)
        (found,) = parser.parse([chunk.text])
        return Extraction(chunk.id, found.sentences, found.mentions, ())  # facts are read by rules of English


def _text(chunk: ChunkText) -> str:
    return chunk.text
