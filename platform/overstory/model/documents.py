"""Documents with their headings, annotations and links, the chunks of documents, and what extractors find in chunks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from overstory.display import origin, plural_of, printable, shortened
from overstory.model.metadata import Metadata


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a document.

    Attributes:
        start: position of the first character of the heading in `Document.text`.
        level: 1 for the highest level, 2 for the level below, and so on.
    """

    start: int
    level: int
    text: str


@dataclass(frozen=True, slots=True, repr=False)
class Document:
    """A text with its origin, as a loader yields it.

    Attributes:
        source: path or address from which the document was loaded, in a form that stays the same in every load.
        source_key: key that identifies the document within the source, such as the `_id` in a BEIR file; "" if the
            source consists of one document.
        text: the whole text, without white space at its ends. It is split into chunks without gaps or overlaps.
        headings: headings, sorted by `start`. A chunk never crosses a heading.
        file_metadata: metadata of the file, such as its name and modification time. If only these change, the document
            counts as unchanged.
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
        """`metadata` and `file_metadata` in one dictionary. If both contain a key, the value in `metadata` is used."""
        return {**self.file_metadata, **self.metadata}

    def __repr__(self) -> str:
        return printable(f"<Document [{origin(self.source, self.source_key)}] {self.title!r}: {shortened(self.text)}>")


@dataclass(frozen=True, slots=True)
class Annotation:
    """Entities and facts that another program extracted from a document. The graph stores them with `by: "openie"`.

    Attributes:
        source: source of the annotated document; "" if `source_key` alone identifies the document.
        triples: facts as (subject, predicate, object), in the order of the text.
    """

    source: str
    source_key: str
    entities: tuple[str, ...]
    triples: tuple[tuple[str, str, str], ...]


HYPERLINK = "HYPERLINK"
"""Link type of a hyperlink in a text. Such a link suggests further reading but does not state a fact."""


HEAVIEST_LINK = 1e15
"""Maximum weight of a link. The limit keeps sums of weights finite.

It also applies to the sum of the weights of links with the same ends, type and text.
"""


@dataclass(frozen=True, slots=True)
class Link:
    """A directed link from a start document, to which the link belongs, to a target document.

    If several links have the same ends, type and text, the corpus stores one link with the sum of their weights. The
    target document may be loaded later than the link.

    Attributes:
        source: source of the start document.
        target_source: source of the target document; "" if it is the source of the start document.
        type: type of the link, such as "ACTED_IN"; "" for links without a type.
        text: text of the link, such as the text of a hyperlink; "" if there is none.
        weight: weight of the link, greater than 0 and at most `HEAVIEST_LINK`.
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
    """A piece of a document's text.

    Attributes:
        seq: number of the piece within the document, in reading order.
        start: position of the first character of the piece in the document's text.
        end: position after the last character of the piece.
        heading: the headings above the piece, from the highest level down, such as "Setup › Linux".
    """

    seq: int
    start: int
    end: int
    text: str
    heading: str
    token_count: int


@dataclass(frozen=True, slots=True)
class Mention:
    """An occurrence of a named entity in the text of a chunk.

    Attributes:
        surface: the name as it is written in the text.
        type: entity type from the extractor, such as "PERSON" or "GPE".
        sentence: index, in the chunk, of the sentence that contains the name.
        start: position of the first character in the chunk's text.
        end: position after the last character.
    """

    surface: str
    type: str
    sentence: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class FactStatement:
    """A fact with subject, predicate and object that a sentence states.

    Attributes:
        predicate: base form of the verb with its particles and preposition, such as "be born in" or "marry".
        sentence: index of the sentence in the chunk.
        position: position of the fact in the chunk, in the order of the text.
        subject_mention: index, in the chunk's mentions, of the named entity that is the subject or its head; None if
            there is none.
        object_mention: the same for the object.
        holds_from: when the fact began, such as "2019" or "2019-03"; "" if the sentence does not say so.
        holds_to: when it ended; "" if the sentence does not say so.
        ended: True if the sentence says that the fact no longer holds, perhaps without a date: "the former head".
        time_words: the words that say so.
    """

    subject: str
    predicate: str
    object: str
    sentence: int
    position: int
    subject_mention: int | None = None
    object_mention: int | None = None
    holds_from: str = ""
    holds_to: str = ""
    ended: bool = False
    time_words: str = ""


@dataclass(frozen=True, slots=True)
class Extraction:
    """The entities and facts that an extractor found in one chunk.

    Attributes:
        sentences: position of the first character of each sentence in the chunk's text.
    """

    chunk_id: str
    sentences: tuple[int, ...]
    mentions: tuple[Mention, ...]
    facts: tuple[FactStatement, ...]


@dataclass(frozen=True, slots=True)
class ChunkText:
    """A chunk as an extractor gets it.

    Attributes:
        heading: the headings above the chunk, from the highest level down, such as "Setup › Linux".
        language: ISO code of the language of the text; "" if the language is English or unknown.
    """

    id: str
    title: str
    heading: str
    text: str
    language: str = ""


Unit = Literal["document", "chunk", "entity"]

SINGULAR: Mapping[Unit, str] = {"document": "document", "chunk": "passage", "entity": "entity"}
PLURAL: Mapping[Unit, str] = {unit: plural_of(word) for unit, word in SINGULAR.items()}
