"""The vocabulary that all floors share: what is loaded, stored and found. Plain frozen values, no behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

MetadataValue = str | int | float | bool | list[str] | list[int] | list[float] | list[bool]
"""What a metadata value may be: what Neo4j stores as a property."""

Metadata = Mapping[str, MetadataValue]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a document. `start` is its first character in `Document.text`; `level` counts from 1."""

    start: int
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Document:
    """What a loader yields: one text with its origin.

    Attributes:
        source: the namespace of the key: a path or another address without what changes between runs.
        source_key: unique within the source (a BEIR `_id`, a line's `id`, or "" where a source is one document).
        text: the whole text, stripped; its chunks, in order, concatenate to it.
        title: "" where there is none.
        headings: in order of `start`; a chunk never crosses one.
    """

    source: str
    source_key: str
    text: str
    title: str = ""
    metadata: Metadata = field(default_factory=dict)
    headings: tuple[Heading, ...] = ()


@dataclass(frozen=True, slots=True)
class Annotation:
    """Entities and facts that somebody else extracted from a document (OpenIE); stored with `by: "openie"`.

    Attributes:
        source: the namespace of the annotated document; "" finds it by its key alone.
        triples: subject, predicate, object, in text order.
    """

    source: str
    source_key: str
    entities: tuple[str, ...]
    triples: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of a document's text, `text == document.text[start:end]`, with the path of headings above it."""

    seq: int
    start: int
    end: int
    text: str
    heading: str
    token_count: int


@dataclass(frozen=True, slots=True)
class Mention:
    """A named entity as a text says it.

    Attributes:
        surface: the words of the text.
        type: the pipeline's label ("PERSON", "GPE", …).
        sentence: the index of its sentence in the chunk.
        start, end: characters in the chunk's text.
    """

    surface: str
    type: str
    sentence: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class FactStatement:
    """A subject–predicate–object fact as a sentence states it.

    Attributes:
        subject, object: the phrases of the text; `subject_mention` and `object_mention` index the chunk's mentions
            where the phrase is, or is headed by, a named entity.
        predicate: lemma of the verb with its particles and preposition ("be born in", "marry").
        sentence: the index of the sentence in the chunk.
        position: the rank of the fact in the chunk, in text order.
    """

    subject: str
    predicate: str
    object: str
    sentence: int
    position: int
    subject_mention: int | None = None
    object_mention: int | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """What an extractor found in one chunk. `sentences` holds the first character of each sentence in its text."""

    chunk_id: str
    sentences: tuple[int, ...]
    mentions: tuple[Mention, ...]
    facts: tuple[FactStatement, ...]


@dataclass(frozen=True, slots=True)
class ChunkText:
    """A chunk as compute stages read it."""

    id: str
    title: str
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class Reason:
    """One part of a hit's score: where it came from and how much it brought."""

    kind: str
    score: float
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """A ranked chunk. `score` falls along a result; its scale is the retriever's own."""

    chunk_id: str
    document_id: str
    source: str
    source_key: str
    title: str
    heading: str
    text: str
    score: float
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a retriever found for a question.

    Attributes:
        hits: best first, at most one per chunk.
        notes: what the reader should know of the result (an index older than the corpus, a shortened question).
    """

    question: str
    retriever: str
    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()


StageStatus = Literal["running", "done", "failed"]
