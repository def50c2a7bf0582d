"""Identifiers and labels: functions of content alone, so that loading the same thing twice finds the same nodes."""

from __future__ import annotations

import hashlib
import re
from typing import Literal

from overstory.errors import CorpusNameInvalid

CORPUS_LABEL = re.compile(r"Corpus_[0-9a-f]{16}")
INDEX_SET_LABEL = re.compile(r"IndexSet_[0-9]+")
DERIVED_LABEL = re.compile(r"Corpus_[0-9a-f]{16}_[A-Z][A-Za-z]*(_[AB])?")
"""A kind of nodes of one corpus, and the slot of their generation where they have one."""

VECTOR_INDEX = re.compile(
    rf"overstory_(?:vector(?:_alternate)?_{CORPUS_LABEL.pattern}|derived_{DERIVED_LABEL.pattern})"
)
"""The name of a vector index, as `graph/schema.py` makes it."""

Slot = Literal["A", "B"]
"""Distinguishes a generation from the one before it (`graph/generations.py`)."""

_CORPUS_NAME_CHARACTERS = 200


def content_id(kind: str, *parts: str) -> str:
    """32 hexadecimal digits of SHA-256 over the kind and the parts, each with its length, so that none runs over."""
    digest = hashlib.sha256()
    for part in (kind, *parts):
        data = part.encode("utf-8")
        digest.update(f"{len(data)}:".encode())
        digest.update(data)
    return digest.hexdigest()[:32]


def corpus_label(name: str) -> str:
    """The label that every node of the corpus carries: `Corpus_` and 16 hexadecimal digits of its name's SHA-256."""
    if not name or name != name.strip() or len(name) > _CORPUS_NAME_CHARACTERS or not name.isprintable():
        raise CorpusNameInvalid(
            f"{name!r} cannot be the name of a corpus.",
            remedy=f"Use 1 to {_CORPUS_NAME_CHARACTERS} printable characters without white space at either end.",
        )
    return "Corpus_" + content_id("corpus", name)[:16]


def derived_label(label: str, kind: str, slot: Slot | None = None) -> str:
    """The label of one kind of nodes of a corpus (`Corpus_…_Report`), with their slot (`Corpus_…_Report_A`)."""
    derived = f"{label}_{kind}" if slot is None else f"{label}_{kind}_{slot}"
    if not DERIVED_LABEL.fullmatch(derived):
        raise ValueError(f"{derived!r} cannot be the label of a kind of nodes of a corpus")
    return derived


def document_id(label: str, source: str, source_key: str) -> str:
    return content_id("document", label, source, source_key)


def missing_document_id(document: str) -> str:
    """The node to which links to a document lead while it is not stored; `document` is the document's id."""
    return content_id("missing-document", document)


def failed_file_id(label: str, source: str) -> str:
    return content_id("failed-file", label, source)


def chunk_id(document: str, text: str, occurrence: int) -> str:
    """`occurrence` distinguishes equal texts of one document; a moved chunk keeps its id."""
    return content_id("chunk", document, text, str(occurrence))


def entity_id(label: str, key: str) -> str:
    """`key` is the normalised name (`overstory.text.names.keys.entity_key`)."""
    return content_id("entity", label, key)


def fact_id(label: str, subject: str, predicate: str, object_: str) -> str:
    """Subject and object are `entity_argument` or `text_argument` values."""
    return content_id("fact", label, subject, predicate, object_)


def entity_argument(key: str) -> str:
    """How a fact's identity names an argument that is a known entity: every surface form gives the same fact."""
    return f"entity:{key}"


def text_argument(text: str) -> str:
    """How a fact's identity names an argument that is no known entity."""
    return f"text:{text}"


def stage_id(label: str, name: str) -> str:
    return content_id("stage", label, name)


def derived_vector_id(label: str, embedder: str, text: str) -> str:
    """The stored vector of a text by an embedder, which is named by its fingerprint."""
    return content_id("derived-vector", label, embedder, text)


def passage_vector_id(label: str, text: str) -> str:
    """The stored vector of the text that is embedded for a chunk, by whatever embedder the corpus has."""
    return content_id("passage-vector", label, text)


def metadata_key_id(label: str, key: str, type_: str) -> str:
    """The node of a key of metadata, for the values of one type."""
    return content_id("metadata-key", label, key, type_)


def metadata_value_id(label: str, key: str, type_: str, value: str) -> str:
    """`value` is as `TypedValue.canonical` has it."""
    return content_id("metadata-value", label, key, type_, value)
