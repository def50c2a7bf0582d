"""Storing metadata values as nodes, for filters and counts.

For each distinct combination of key, type and value there is one `MetadataValue` node. It stores the value in a
property that is named after the type, and it is connected to the documents with this value. For each combination of key
and type there is one `MetadataKey` node, which counts the documents with such a value.

The transaction that writes or deletes documents also updates these nodes. When the last document with a value is
deleted, the nodes are deleted, too. They therefore depend only on the stored documents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from overstory.graph import Corpus, Transaction, Writer, batches
from overstory.graph.client import Row
from overstory.graph.ids import metadata_key_id, metadata_value_id
from overstory.model import Document, Metadata, MetadataScalar, MetadataValue, TypedValue, with_zone
from overstory.model.metadata import typed_values

_Properties = Mapping[str, Any]

METADATA = "metadata_"
"""Prefix of the properties in which a document node stores metadata, so that they do not collide with others."""

FILE_METADATA = "file_metadata"
"""Property of a document node that lists the keys which come from `Document.file_metadata`."""


def metadata_properties(document: Document) -> dict[str, object]:
    of_file = sorted(document.file_metadata.keys() - document.metadata.keys())
    properties: dict[str, object] = {METADATA + k: _stored(value) for k, value in document.all_metadata.items()}
    return properties | {FILE_METADATA: of_file}


def stored_metadata(properties: _Properties) -> dict[str, MetadataValue]:
    return {k.removeprefix(METADATA): _read(value) for k, value in properties.items() if k.startswith(METADATA)}


def own_metadata(properties: _Properties) -> dict[str, MetadataValue]:
    """Return the metadata in a document node's properties, without the file metadata."""
    of_file = set[str](properties.get(FILE_METADATA) or ())
    return {key: value for key, value in stored_metadata(properties).items() if key not in of_file}


def known_file_metadata(row: _Properties) -> dict[str, MetadataValue]:
    """Return the file metadata in a row that `ingest/known_documents` returned."""
    return {name: _read(value) for name, value in zip(row["names"], row["values"], strict=True)}


def file_metadata_of(document: Document) -> Metadata:
    """Return a document's file metadata, without the keys that its other metadata overrides."""
    return {key: value for key, value in document.file_metadata.items() if key not in document.metadata}


def _stored(value: MetadataValue) -> object:
    """Named time zones become offsets, because the server may not know the names."""
    if isinstance(value, list):
        return [_stored(each) for each in value]
    return with_zone(value) if isinstance(value, datetime) else value


def _read(value: object) -> MetadataValue:
    if isinstance(value, list):
        return cast("MetadataValue", [native_value(each) for each in cast("list[object]", value)])
    return native_value(value)


def native_value(value: Any) -> MetadataScalar:  # the driver returns dates in its own types
    """Convert a value that the driver returned to a Python type."""
    if isinstance(value, str | int | float):
        return value
    return with_zone(value if isinstance(value, datetime) else value.to_native())


FINGERPRINT = "metadata-1"
"""Version of the value nodes. When it changes, the values of all documents are written again."""

FORGOTTEN = "forgotten"
"""Value stored instead of the fingerprint while the value nodes are being deleted."""

LONGEST_INDEXED_TEXT_CHARACTERS = 1_000
"""Maximum characters of a text value in the index. With the longest key, this is 6,000 bytes; Neo4j accepts 8,000."""

_VALUE_TIES_A_STATEMENT = 5_000

Key = tuple[str, str]


def write_values(tx: Transaction, corpus: Corpus, documents: Mapping[str, Metadata]) -> None:
    """Connect documents to the nodes of their metadata values. Call this in the transaction that writes the documents.

    Args:
        documents: new metadata of each document, by document id.
    """
    wanted = {
        id_: {_value_id(corpus, value): value for value in typed_values(metadata)}
        for id_, metadata in documents.items()
    }
    known = _known(tx, corpus, documents)
    rows: dict[str, Row] = {}
    parted: dict[str, list[str]] = {}
    change: Counter[Key] = Counter()
    for id_, values in wanted.items():
        before = known.get(id_, {})
        for value_id in values.keys() - before.keys():
            row = rows.get(value_id) or rows.setdefault(value_id, _row(corpus, value_id, values[value_id]))
            row["documents"].append(id_)
        for value_id in before.keys() - values.keys():
            parted.setdefault(value_id, []).append(id_)
        change.update({(value.key, value.type) for value in values.values()})
        change.subtract(set(before.values()))
    _count(tx, corpus, change)
    for some in batches(_in_parts(rows[value_id] for value_id in sorted(rows)), _VALUE_TIES_A_STATEMENT):
        tx.run("ingest/write_values", corpus.label, rows=some)
    _part(tx, corpus, parted, change)


def remove_values(tx: Transaction, corpus: Corpus, ids: Sequence[str]) -> None:
    """Disconnect documents from their value nodes. Call this before the same transaction deletes the documents."""
    parted: dict[str, list[str]] = {}
    change: Counter[Key] = Counter()
    for id_, values in _known(tx, corpus, ids).items():
        for value_id in values:
            parted.setdefault(value_id, []).append(id_)
        change.subtract(set(values.values()))
    _count(tx, corpus, change)
    _part(tx, corpus, parted, change)


def forget_values(writer: Writer) -> None:
    """Delete all value nodes and key nodes. This takes several transactions: millions of documents may share a value.

    Afterwards, or after an interruption, the stage `metadata` writes the values of all documents again.
    """
    writer.set(metadata_by=FORGOTTEN)
    for statement in ("corpus/part_values", "corpus/delete_values", "corpus/delete_keys"):
        writer.graph.run_in_batches(statement, writer.corpus.label)


def _known(tx: Transaction, corpus: Corpus, ids: Iterable[str]) -> dict[str, dict[str, Key]]:
    rows = tx.run("ingest/known_values", corpus.label, ids=list(ids))
    return {row["document"]: {id_: (key, type_) for id_, key, type_ in row["values"]} for row in rows}


def _count(tx: Transaction, corpus: Corpus, change: Mapping[Key, int]) -> None:
    rows = [
        {"id": metadata_key_id(corpus.label, *key), "key": key[0], "type": key[1], "change": number}
        for key, number in sorted(change.items())
        if number
    ]
    if rows:
        tx.run("ingest/count_keys", corpus.label, rows=rows)


def _part(tx: Transaction, corpus: Corpus, parted: Mapping[str, list[str]], change: Mapping[Key, int]) -> None:
    rows = ({"id": value_id, "documents": parted[value_id]} for value_id in sorted(parted))
    for some in batches(_in_parts(rows), _VALUE_TIES_A_STATEMENT):
        tx.run("ingest/remove_values", corpus.label, rows=some)
    fewer = [metadata_key_id(corpus.label, *key) for key, number in change.items() if number < 0]
    if fewer:
        tx.run("ingest/remove_keys", corpus.label, ids=fewer)


# A row may list too many documents for one statement. `_in_parts` splits such rows.
def _in_parts(rows: Iterable[Row]) -> Iterable[Row]:
    for row in rows:
        for documents in batches(row["documents"], _VALUE_TIES_A_STATEMENT):
            yield row | {"documents": documents}


def _value_id(corpus: Corpus, value: TypedValue) -> str:
    return metadata_value_id(corpus.label, value.key, value.type, value.canonical)


def _row(corpus: Corpus, id_: str, value: TypedValue) -> Row:
    properties: Row = {"corpus": corpus.label, "key": value.key, "type": value.type, value.type: value.value}
    if isinstance(value.value, str) and len(value.value) > LONGEST_INDEXED_TEXT_CHARACTERS:
        properties |= {"text": value.value[:LONGEST_INDEXED_TEXT_CHARACTERS], "cut": True}
    return {
        "id": id_,
        "key": metadata_key_id(corpus.label, value.key, value.type),
        "properties": properties,
        "documents": [],
    }
