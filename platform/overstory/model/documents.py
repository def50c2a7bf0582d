"""Documents with their headings and annotations, and the chunks and findings made from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from overstory.display import origin, plural_of, printable, shortened
from overstory.model.metadata import Metadata


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a document. `start` is its first character in `Document.text`; `level` counts from 1."""

    start: int
    level: int
    text: str


@dataclass(frozen=True, slots=True, repr=False)
class Document:
    """One text with its origin, as a loader yields it.

    Attributes:
        source: namespace of the key: a path or address, without parts that change between runs.
        source_key: key that is unique within the source (a BEIR `_id`, a line's `id`); "" if the source is one
            document.
        text: the whole text, stripped; the document's chunks, in order, concatenate to it.
        title: "" if the document has no title.
        headings: headings in order of `start`; a chunk never crosses a heading.
        file_metadata: metadata of the file, such as its name and time; `metadata` takes precedence. A document whose
            file was only moved or touched counts as unchanged.
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
        """Metadata and file metadata in one dictionary; `metadata` takes precedence."""
        return {**self.file_metadata, **self.metadata}

    def __repr__(self) -> str:
        return printable(f"<Document [{origin(self.source, self.source_key)}] {self.title!r}: {shortened(self.text)}>")


@dataclass(frozen=True, slots=True)
class Annotation:
    """Entities and facts of a document from external extraction (OpenIE); stored with `by: "openie"`.

    Attributes:
        source: namespace of the annotated document; "" finds the document by its key alone.
        triples: (subject, predicate, object) tuples in text order.
    """

    source: str
    source_key: str
    entities: tuple[str, ...]
    triples: tuple[tuple[str, str, str], ...]


HYPERLINK = "HYPERLINK"
"""Type of a hyperlink within a text. Such a link suggests further reading and states no fact."""


HEAVIEST_LINK = 1e15
"""Maximum weight of a link, and of the sum over links with equal ends, type and text; keeps larger sums finite."""


@dataclass(frozen=True, slots=True)
class Link:
    """A directed link from one document to another. The link belongs to the document at its start.

    If several links have the same ends, type and text, the corpus stores one link with the sum of their weights.

    Attributes:
        source, source_key: origin of the document at the start of the link.
        target_key, target_source: origin of the target document, which may be loaded later; if `target_source` is "",
            the target has the same source as the start.
        type: link type such as "ACTED_IN"; "" for links without a type.
        text: text of the link, such as the anchor text of a hyperlink; "" if there is none.
        weight: above 0 and at most `HEAVIEST_LINK`.
    """

    source: str
    source_key: str
    target_key: str
    target_source: str = ""
    type: str = ""
    text: str = ""
    weight: float = 1.0


Loaded = Document | Annotation | Link


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of a document, `text == document.text[start:end]`, with the path of its headings."""

    seq: int
    start: int
    end: int
    text: str
    heading: str
    token_count: int


@dataclass(frozen=True, slots=True)
class Mention:
    """A named entity as it appears in a text.

    Attributes:
        surface: words in the text.
        type: entity label of the pipeline ("PERSON", "GPE", …).
        sentence: index of the sentence in the chunk.
        start, end: character span in the chunk's text.
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
        subject, object: phrases in the text. `subject_mention` and `object_mention` are indexes into the chunk's
            mentions, if the phrase is a named entity or has one as its head.
        predicate: lemma of the verb with its particles and preposition ("be born in", "marry").
        sentence: index of the sentence in the chunk.
        position: rank of the fact in the chunk, in text order.
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
    """The findings of an extractor in one chunk. `sentences` contains the start offset of each sentence."""

    chunk_id: str
    sentences: tuple[int, ...]
    mentions: tuple[Mention, ...]
    facts: tuple[FactStatement, ...]


@dataclass(frozen=True, slots=True)
class ChunkText:
    """A chunk as input of a compute stage.

    Attributes:
        language: ISO code of the text's language if it is known and not English, otherwise "".
    """

    id: str
    title: str
    heading: str
    text: str
    language: str = ""


Unit = Literal["document", "chunk", "entity"]

SINGULAR: Mapping[Unit, str] = {"document": "document", "chunk": "passage", "entity": "entity"}
PLURAL: Mapping[Unit, str] = {unit: plural_of(word) for unit, word in SINGULAR.items()}
