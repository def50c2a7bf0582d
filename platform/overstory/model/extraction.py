"""Input and output of extractors: chunks, mentions of entities, and facts."""

from __future__ import annotations

from dataclasses import dataclass


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
    """The findings of an extractor in one chunk. `sentences` holds the first character of each sentence in its text."""

    chunk_id: str
    sentences: tuple[int, ...]
    mentions: tuple[Mention, ...]
    facts: tuple[FactStatement, ...]


@dataclass(frozen=True, slots=True)
class ChunkText:
    """A chunk as compute stages read it.

    Attributes:
        language: the ISO code of its language where that is known and is not English, else "".
    """

    id: str
    title: str
    heading: str
    text: str
    language: str = ""
