"""Ids and labels, computed from content alone, so that loading the same content twice finds the same nodes."""

from __future__ import annotations

import hashlib
import re
from typing import Literal

from overstory.errors import CorpusNameInvalid

CORPUS_LABEL = re.compile(r"Corpus_[0-9a-f]{16}")
INDEX_SET_LABEL = re.compile(r"IndexSet_[0-9]+")
DERIVED_LABEL = re.compile(r"Corpus_[0-9a-f]{16}_[A-Z][A-Za-z]*(_[AB])?")
"""Label of one kind of nodes of a corpus, with the slot of their generation if they have one."""

VECTOR_INDEX = re.compile(
    rf"overstory_(?:vector(?:_alternate)?_{CORPUS_LABEL.pattern}|derived_{DERIVED_LABEL.pattern})"
)
"""Name of a vector index, as `graph/schema.py` creates it."""

Slot = Literal["A", "B"]
"""Distinguishes a generation from the previous one (`graph/generations.py`)."""

_CORPUS_NAME_CHARACTERS = 200


def content_id(kind: str, *parts: str) -> str:
    """Return 32 hexadecimal digits of a SHA-256 over kind and parts, each prefixed by its length."""
    digest = hashlib.sha256()
    for part in (kind, *parts):
        data = part.encode("utf-8")
        digest.update(f"{len(data)}:".encode())
        digest.update(data)
    return digest.hexdigest()[:32]


def corpus_label(name: str) -> str:
    """Return the label of all nodes of the corpus: `Corpus_` and 16 hexadecimal digits of the SHA-256 of its name."""
    if not name or name != name.strip() or len(name) > _CORPUS_NAME_CHARACTERS or not name.isprintable():
        raise CorpusNameInvalid(
            f"{name!r} is not a valid corpus name.",
            remedy=f"Use 1 to {_CORPUS_NAME_CHARACTERS} printable characters without leading or trailing spaces.",
        )
    return "Corpus_" + content_id("corpus", name)[:16]


def derived_label(label: str, kind: str, slot: Slot | None = None) -> str:
    """Return the label of one kind of nodes of a corpus (`Corpus_…_Report`), with their slot (`Corpus_…_Report_A`)."""
    derived = f"{label}_{kind}" if slot is None else f"{label}_{kind}_{slot}"
    if not DERIVED_LABEL.fullmatch(derived):
        raise ValueError(f"{derived!r} is not a valid label for a kind of nodes")
    return derived


def document_id(label: str, source: str, source_key: str) -> str:
    return content_id("document", label, source, source_key)


def missing_document_id(document: str) -> str:
    """Return the id of the placeholder node for a document that is not stored, given the document's id."""
    return content_id("missing-document", document)


def failed_file_id(label: str, source: str) -> str:
    return content_id("failed-file", label, source)


def chunk_id(document: str, text: str, occurrence: int) -> str:
    """Return the id of a chunk, which stays the same if the chunk moves; `occurrence` distinguishes equal texts."""
    return content_id("chunk", document, text, str(occurrence))


def entity_id(label: str, key: str) -> str:
    """Return the id of an entity; `key` is its normalised name (`overstory.text.names.keys.entity_key`)."""
    return content_id("entity", label, key)


def fact_id(label: str, subject: str, predicate: str, object_: str) -> str:
    """Return the id of a fact. Subject and object come from `entity_argument` or `text_argument`."""
    return content_id("fact", label, subject, predicate, object_)


def entity_argument(key: str) -> str:
    """Return a fact argument for a known entity, so that all spellings give the same fact."""
    return f"entity:{key}"


def text_argument(text: str) -> str:
    """Return a fact argument that is not a known entity."""
    return f"text:{text}"


def stage_id(label: str, name: str) -> str:
    return content_id("stage", label, name)


def derived_vector_id(label: str, embedder: str, text: str) -> str:
    """Return the id of the stored vector of a text by an embedder, given the embedder's fingerprint."""
    return content_id("derived-vector", label, embedder, text)


def passage_vector_id(label: str, text: str) -> str:
    """Return the id of the stored vector of a chunk's embedded text, independent of the embedder."""
    return content_id("passage-vector", label, text)


def metadata_key_id(label: str, key: str, type_: str) -> str:
    """Return the id of a metadata key for values of one type."""
    return content_id("metadata-key", label, key, type_)


def metadata_value_id(label: str, key: str, type_: str, value: str) -> str:
    """Return the id of a metadata value, given as `TypedValue.canonical`."""
    return content_id("metadata-value", label, key, type_, value)
