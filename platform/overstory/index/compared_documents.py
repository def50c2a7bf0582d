"""Documents that are read, compared with those that are stored: which are new, and what changed of the others.

No digest of the text alone is stored: whether it is the same follows from the digest of the whole and the metadata that
are stored, so that this also holds for documents that an earlier version loaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from overstory.graph import GraphClient
from overstory.graph.client import Row
from overstory.graph.ids import document_id
from overstory.index.changes import Outcome, digest_of
from overstory.index.stored_metadata import file_metadata_of, known_file_metadata, own_metadata, stored_metadata
from overstory.model import Document
from overstory.model.metadata import page_starts
from overstory.text.languages import foreign_language


@dataclass(frozen=True, slots=True)
class ComparedDocuments:
    """Documents, and what is stored of them, by their ids.

    Attributes:
        shas: by which a changed one is known.
        known: rows of `ingest/known_documents`.
        described: the properties of those that are stored with other metadata, and otherwise as they are.
    """

    documents: Mapping[str, Document]
    shas: Mapping[str, str]
    known: Mapping[str, Row]
    outcomes: Mapping[str, Outcome]
    described: Mapping[str, Row]

    def is_new_text(self, id_: str) -> bool:
        """Whether a document is to be cut into chunks."""
        return self.outcomes[id_] != "unchanged" and id_ not in self.described

    def is_written(self, id_: str) -> bool:
        return self.outcomes[id_] != "unchanged" or id_ in self.described


def compared(graph: GraphClient, label: str, batch: Iterable[Document], *, is_stored: bool) -> ComparedDocuments:
    """Documents as they are compared with those that are stored.

    Args:
        is_stored: whether there is a corpus.
    """
    by_id = {document_id(label, d.source, d.source_key): d for d in batch}
    shas = {id_: sha256_of(document) for id_, document in by_id.items()}
    known = _known(graph, label, list(by_id)) if is_stored else {}
    outcomes: dict[str, Outcome] = {id_: _outcome(known.get(id_), sha) for id_, sha in shas.items()}
    others = [
        id_
        for id_, outcome in outcomes.items()
        if outcome == "changed" or (outcome == "unchanged" and _is_of_other_file(by_id[id_], known[id_]))
    ]
    rows = graph.run("corpus/documents_by_id", label, read=True, ids=others) if others else []
    stored: dict[str, Row] = {row["document"]["id"]: row["document"] for row in rows}
    described = {id_: row for id_, row in stored.items() if outcomes[id_] == "unchanged" or _has_text(by_id[id_], row)}
    return ComparedDocuments(by_id, shas, known, outcomes, described)


def _is_of_other_file(document: Document, known: Row) -> bool:
    """Whether the file of a document is another than when it was stored, such as one with another time."""
    return file_metadata_of(document) != known_file_metadata(known)


def _has_text(document: Document, stored: Row) -> bool:
    """Whether a stored document has the same text, so that only its metadata changed; a page is one of its chunks' too,
    and in another language it is read in another way.

    Its digest says so: it is that of the document with the metadata that are stored.
    """
    own = own_metadata(stored)
    if page_starts(own) != page_starts(document.metadata):
        return False
    if foreign_language(stored_metadata(stored)) != foreign_language(document.all_metadata):
        return False
    return str(stored["sha256"]) == sha256_of(replace(document, metadata=own))


def _outcome(stored: Row | None, sha256: str) -> Outcome:
    if stored is None:
        return "added"
    return "unchanged" if stored["sha256"] == sha256 else "changed"


def sha256_of(document: Document) -> str:
    """Detects a changed document: hexadecimal SHA-256 over its title, text, headings and metadata."""
    headings = [[h.start, h.level, h.text] for h in document.headings]
    return digest_of([document.title, document.text, headings, dict(document.metadata)])


def _known(graph: GraphClient, label: str, ids: list[str]) -> dict[str, Row]:
    """What is stored of documents, by id, as far as they are."""
    return {row["id"]: row for row in graph.run("ingest/known_documents", label, read=True, ids=ids)}
