"""Ids and labels of nodes.

Ids are computed from content alone. If the same content is loaded twice, the second load therefore finds the nodes of
the first.
"""

from __future__ import annotations

import hashlib
import re
from typing import Literal

from overstory.errors import CorpusNameInvalid

CORPUS_LABEL = re.compile(r"Corpus_[0-9a-f]{16}")
INDEX_SET_LABEL = re.compile(r"IndexSet_[0-9]+")
DERIVED_LABEL = re.compile(r"Corpus_[0-9a-f]{16}_[A-Z][A-Za-z]*(_[AB])?")
"""Label of one kind of nodes in a corpus, such as `Corpus_…_Report`, or with a slot, `Corpus_…_Report_A`."""

VECTOR_INDEX = re.compile(
    rf"overstory_(?:vector(?:_alternate)?_{CORPUS_LABEL.pattern}|derived_{DERIVED_LABEL.pattern})"
)
"""Names of vector indexes that `graph/schema.py` creates."""

Slot = Literal["A", "B"]
"""Slots of generations: a generation and the one before it are in different slots (`graph/generations.py`)."""

_CORPUS_NAME_CHARACTERS = 200


def content_id(kind: str, *parts: str) -> str:
    """Return the first 32 hexadecimal digits of a SHA-256 hash of the kind and the parts.

    Each of them is preceded by its length, so that "ab", "c" and "a", "bc" have different ids.
    """
    digest = hashlib.sha256()
    for part in (kind, *parts):
        data = part.encode("utf-8")
        digest.update(f"{len(data)}:".encode())
        digest.update(data)
    return digest.hexdigest()[:32]


def corpus_label(name: str) -> str:
    """Return the label that all nodes of a corpus share: `Corpus_` and 16 hexadecimal digits, a hash of the name."""
    if not name or name != name.strip() or len(name) > _CORPUS_NAME_CHARACTERS or not name.isprintable():
        raise CorpusNameInvalid(
            f"{name!r} is not a valid corpus name.",
            remedy=f"Use 1 to {_CORPUS_NAME_CHARACTERS} printable characters without leading or trailing spaces.",
        )
    return "Corpus_" + content_id("corpus", name)[:16]


def derived_label(label: str, kind: str, slot: Slot | None = None) -> str:
    """Return the label of one kind of nodes in a corpus, such as `Corpus_…_Report`, or `Corpus_…_Report_A` with a slot.

    Args:
        slot: slot of the nodes' generation; None for nodes that are not built in generations.
    """
    derived = f"{label}_{kind}" if slot is None else f"{label}_{kind}_{slot}"
    if not DERIVED_LABEL.fullmatch(derived):
        raise ValueError(f"{derived!r} is not a valid label for a kind of nodes")
    return derived


def document_id(label: str, source: str, source_key: str) -> str:
    return content_id("document", label, source, source_key)


def missing_document_id(document: str) -> str:
    """Return the id of the placeholder node for a document that is not stored.

    Args:
        document: id that the document would have.
    """
    return content_id("missing-document", document)


def failed_file_id(label: str, source: str) -> str:
    return content_id("failed-file", label, source)


def chunk_id(document: str, text: str, occurrence: int) -> str:
    """Return the id of a chunk, which stays the same if the chunk moves within its document.

    Args:
        occurrence: number that distinguishes chunks of the document with equal texts.
    """
    return content_id("chunk", document, text, str(occurrence))


def entity_id(label: str, key: str) -> str:
    """Return the id of an entity.

    Args:
        key: normalised name of the entity, from `overstory.text.names.keys.entity_key`.
    """
    return content_id("entity", label, key)


def fact_id(label: str, subject: str, predicate: str, object_: str) -> str:
    """Return the id of a fact.

    Args:
        subject: result of `entity_argument` or `text_argument` for the subject.
        object_: result of `entity_argument` or `text_argument` for the object.
    """
    return content_id("fact", label, subject, predicate, object_)


def entity_argument(key: str) -> str:
    """Return the argument of `fact_id` for a known entity. Its spelling in the text does not affect the id."""
    return f"entity:{key}"


def text_argument(text: str) -> str:
    """Return the argument of `fact_id` for a phrase that is not a known entity."""
    return f"text:{text}"


def stage_id(label: str, name: str) -> str:
    return content_id("stage", label, name)


def derived_vector_id(label: str, embedder: str, text: str) -> str:
    """Return the id of the node that stores the vector of a text.

    Args:
        embedder: fingerprint of the embedder that computed the vector.
    """
    return content_id("derived-vector", label, embedder, text)


def passage_vector_id(label: str, text: str) -> str:
    """Return the id of the node that stores the vectors of chunks with this embedded text, from any embedder."""
    return content_id("passage-vector", label, text)


def metadata_key_id(label: str, key: str, type_: str) -> str:
    """Return the id of the node for a metadata key and one type of its values."""
    return content_id("metadata-key", label, key, type_)


def metadata_value_id(label: str, key: str, type_: str, value: str) -> str:
    """Return the id of the node for a metadata value.

    Args:
        value: the value as `TypedValue.canonical`.
    """
    return content_id("metadata-value", label, key, type_, value)
