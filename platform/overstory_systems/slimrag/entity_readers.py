"""Readers that split documents into sentences and find the entities to which each sentence refers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple, Protocol

from overstory.graph.ids import content_id
from overstory.model import Usage
from overstory.settings import ExtractionSettings
from overstory.text.coreference.chains import Resolved, as_written, resolved
from overstory.text.coreference.references import REFERENCES, References, united
from overstory.text.parsing.jobs import read_texts
from overstory.text.parsing.parsed_texts import ParsedTexts
from overstory.text.parsing.pipelines import find_pipeline
from overstory.text.parsing.spacy_parser import SpacyParser
from overstory.text.sentences import sentence_texts


def sentence_id(chunk: str, seq: int) -> str:
    """Derive the id of a sentence from its position in its chunk. This is safe because a chunk's text never changes."""
    return content_id("slim-sentence", chunk, str(seq))


def entity_id(label: str, key: str) -> str:
    """Derive the id of an entity. `key` is the normalised canonical name."""
    return content_id("slim-entity", label, key)


_SLIMRAG_READING_VERSION = 1
"""Increase this number if the same document can be read differently."""


@dataclass(frozen=True, slots=True)
class WholeDocument:
    """A document that must be read, with the (id, text) of each chunk, in order."""

    id: str
    title: str
    chunks: tuple[tuple[str, str], ...]


class ReadSentence(NamedTuple):
    """A sentence and the entities to which it refers. `seq` is the sentence's index in the chunk."""

    chunk: str
    seq: int
    text: str
    refers: Sequence[Resolved]


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document that was split and read.

    Attributes:
        usage: Tokens used by a language model. Cached answers count with their original number of tokens.
        windows: Number of windows of sentences that were sent to a model.
        by_rules: Number of windows that were read by rules because the model's answer was unusable.
    """

    id: str
    sentences: tuple[ReadSentence, ...]
    usage: Usage = field(default_factory=Usage)
    windows: int = 0
    by_rules: int = 0


class EntityReader(Protocol):
    """Reads the entities of documents.

    Attributes:
        fingerprint: Must change whenever the same document can be read differently.
        at_once: Number of documents that are stored together. A killed build loses at most these.
    """

    fingerprint: str
    at_once: int

    def read(self, documents: Iterable[WholeDocument]) -> Iterator[ReadDocument]:
        """Yield each document with its references, in order, lazily."""
        ...


class RuleReader:
    """Finds names and noun phrases with spaCy, and resolves coreference by rules (`text.coreference`)."""

    at_once = 50

    def __init__(self, settings: ExtractionSettings, *, coreference: bool, parsed: ParsedTexts | None = None) -> None:
        pipeline = find_pipeline(settings.pipeline)
        self._parser = SpacyParser(pipeline, REFERENCES)
        self._processes = settings.processes
        self._coreference = coreference
        self._parsed = parsed
        digest = hashlib.sha256(f"{pipeline.fingerprint} {_SLIMRAG_READING_VERSION} {coreference}".encode()).hexdigest()
        self.fingerprint = f"rules:{digest[:16]}"

    def read(self, documents: Iterable[WholeDocument]) -> Iterator[ReadDocument]:
        pieces = ((document, place) for document in documents for place in range(max(1, len(document.chunks))))
        found = read_texts(self._parser, pieces, _text, processes=self._processes, parsed=self._parsed)
        for _, group in groupby(found, key=lambda read: read[0][0].id):
            read = list(group)
            yield self._together(read[0][0][0], [found for _, found in read])

    def of_sentences(self, sentences: Sequence[str], title: str) -> list[list[Resolved]]:
        """Return the references in each of the given sentences."""
        parts = [(0, _as_one(found)) for found in self._parser.parse(sentences)]
        return self._referring(united(parts), title)

    def _together(self, document: WholeDocument, parts: list[References]) -> ReadDocument:
        whole = united([(0, part) for part in parts])
        refers = iter(self._referring(whole, document.title))
        sentences: list[ReadSentence] = []
        for (chunk, text), part in zip(document.chunks, parts, strict=False):
            for seq, sentence in enumerate(sentence_texts(text, part.sentences)):
                sentences.append(ReadSentence(chunk, seq, sentence.strip(), next(refers)))
        return ReadDocument(document.id, tuple(sentence for sentence in sentences if sentence.text))

    def _referring(self, text: References, title: str) -> list[list[Resolved]]:
        return resolved(text, title) if self._coreference else as_written(text)


def _text(piece: tuple[WholeDocument, int]) -> str:
    document, place = piece
    return document.chunks[place][1] if document.chunks else ""


def _as_one(found: References) -> References:
    """Treat a text as a single sentence, and return its references."""
    return References((0,), tuple(reference._replace(sentence=0) for reference in found.references))
