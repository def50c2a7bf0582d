"""A document by its id, and its passages in reading order."""

from __future__ import annotations

from dataclasses import dataclass

from overstory.errors import DocumentNotFound
from overstory.graph import Corpus, GraphClient
from overstory.index.status import StoredDocument, documents_by_id


@dataclass(frozen=True, slots=True)
class DocumentPassage:
    """A passage of a document.

    Attributes:
        heading: of the sections that it is in.
        start, end: its characters in the text of the document.
        position: how many passages of the document come before it.
    """

    chunk_id: str
    heading: str
    text: str
    start: int
    end: int
    position: int


def document_by_id(graph: GraphClient, corpus: Corpus, document: str) -> StoredDocument:
    """The document that has an id."""
    for found in documents_by_id(graph, corpus, [document]):
        return found
    raise document_unknown(document)


def document_passages(
    graph: GraphClient, corpus: Corpus, document: str, *, first: int, limit: int
) -> list[DocumentPassage]:
    """Passages of a document that is there.

    Args:
        first: how many are left out before them.
    """
    rows = graph.run("corpus/document_passages", corpus.label, read=True, id=document, skip=first, limit=limit)
    return [
        DocumentPassage(row["id"], row["heading"] or "", row["text"], int(row["start"]), int(row["end"]), position)
        for position, row in enumerate(rows, start=first)
    ]


def passage_position(graph: GraphClient, corpus: Corpus, document: str, passage: str) -> int:
    """How many passages of a document come before one of them.

    Raises:
        DocumentNotFound: there is no such document, or no such passage in it.
    """
    for row in graph.run("corpus/passage_position", corpus.label, read=True, id=document, passage=passage):
        return int(row["position"])
    title = document_by_id(graph, corpus, document).title
    raise DocumentNotFound(
        f"{title or document!r} has no passage {passage!r}.",
        remedy="Its text has changed since: ask again, or read the document from its beginning.",
    )


def document_unknown(document: str) -> DocumentNotFound:
    """Of an id that no document has."""
    return DocumentNotFound(f"No document has the id {document!r}.", remedy="`overstory documents` lists ids.")
