"""Documents, their headings, annotations, and the pieces they are cut into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from overstory.display import origin, printable, shortened
from overstory.model.metadata import Metadata


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a document. `start` is its first character in `Document.text`; `level` counts from 1."""

    start: int
    level: int
    text: str


@dataclass(frozen=True, slots=True, repr=False)
class Document:
    """One text with its origin, as loaders yield it.

    Attributes:
        source: the namespace of the key: a path or another address without what changes between runs.
        source_key: unique within the source (a BEIR `_id`, a line's `id`, or "" where a source is one document).
        text: the whole text, stripped; its chunks, in order, concatenate to it.
        title: "" where there is none.
        headings: in order of `start`; a chunk never crosses one.
        file_metadata: what is known of the file that it was read from. It is read like metadata, where `metadata` has
            nothing of that name; a document is not another one because its file was moved or touched.
    """

    source: str
    source_key: str
    text: str
    title: str = ""
    metadata: Metadata = field(default_factory=dict)
    headings: tuple[Heading, ...] = ()
    file_metadata: Metadata = field(default_factory=dict)

    @property
    def all_metadata(self) -> Metadata:
        """`metadata`, and what `file_metadata` has besides."""
        return {**self.file_metadata, **self.metadata}

    def __repr__(self) -> str:
        return printable(f"<Document [{origin(self.source, self.source_key)}] {self.title!r}: {shortened(self.text)}>")


@dataclass(frozen=True, slots=True)
class Annotation:
    """Entities and facts from external extraction (OpenIE) of a document; stored with `by: "openie"`.

    Attributes:
        source: the namespace of the annotated document; "" finds it by its key alone.
        triples: subject, predicate, object, in text order.
    """

    source: str
    source_key: str
    entities: tuple[str, ...]
    triples: tuple[tuple[str, str, str], ...]


HYPERLINK = "HYPERLINK"
"""The type of links that stand in a text: what may be read next, but no statement on the two documents."""


HEAVIEST_LINK = 1e15
"""The largest weight of a link, and of the sum of those with the same ends, type and text: sums of sums stay finite."""


@dataclass(frozen=True, slots=True)
class Link:
    """A directed link from one document to another. It belongs to the document that it starts from.

    Of links with the same ends, type and text, a corpus keeps one, with the sum of their weights.

    Attributes:
        source, source_key: the document that it starts from.
        target_key, target_source: the document that it leads to, which need not be loaded yet; "" as the target's
            source stands for the link's own.
        type: like "ACTED_IN"; "" where links have no types.
        text: what the link itself says, such as the words of a hyperlink; "" where it says nothing.
        weight: above 0, at most `HEAVIEST_LINK`.
    """

    source: str
    source_key: str
    target_key: str
    target_source: str = ""
    type: str = ""
    text: str = ""
    weight: float = 1.0


Loaded = Document | Annotation | Link
"""What loaders yield."""


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


Unit = Literal["document", "chunk", "entity"]

SINGULAR: Mapping[Unit, str] = {"document": "document", "chunk": "passage", "entity": "name"}
PLURAL: Mapping[Unit, str] = {unit: f"{word}s" for unit, word in SINGULAR.items()}
"""Names shown to readers."""
