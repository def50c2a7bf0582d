"""Metadata values as nodes, for filters and counts.

Each distinct key, type and value of a corpus is one `MetadataValue` node, with the value in a property named after its
type, connected to the documents that have it. It belongs to the `MetadataKey` node of its key and type, which counts
the documents with a value. Both are updated in the transaction that writes or deletes documents, and deleted with the
last document, so that they depend only on the stored documents.
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
"""Prefix of a document's metadata properties, which avoids collisions with other properties."""

FILE_METADATA = "file_metadata"
"""Property that lists the metadata keys from `Document.file_metadata`."""


def metadata_properties(document: Document) -> dict[str, object]:
    of_file = sorted(document.file_metadata.keys() - document.metadata.keys())
    properties: dict[str, object] = {METADATA + k: _stored(value) for k, value in document.all_metadata.items()}
    return properties | {FILE_METADATA: of_file}


def stored_metadata(properties: _Properties) -> dict[str, MetadataValue]:
    return {k.removeprefix(METADATA): _read(value) for k, value in properties.items() if k.startswith(METADATA)}


def own_metadata(properties: _Properties) -> dict[str, MetadataValue]:
    """Return the metadata of a document node without its file metadata."""
    of_file = set[str](properties.get(FILE_METADATA) or ())
    return {key: value for key, value in stored_metadata(properties).items() if key not in of_file}


def known_file_metadata(row: _Properties) -> dict[str, MetadataValue]:
    """Return the file metadata in a row of `ingest/known_documents`."""
    return {name: _read(value) for name, value in zip(row["names"], row["values"], strict=True)}


def file_metadata_of(document: Document) -> Metadata:
    """Return the file metadata that is stored for a document, without keys that the document's metadata overrides."""
    return {key: value for key, value in document.file_metadata.items() if key not in document.metadata}


def _stored(value: MetadataValue) -> object:
    """Convert a value for storage. Time zones become offsets, because the server may not know their names."""
    if isinstance(value, list):
        return [_stored(each) for each in value]
    return with_zone(value) if isinstance(value, datetime) else value


def _read(value: object) -> MetadataValue:
    if isinstance(value, list):
        return cast("MetadataValue", [native_value(each) for each in cast("list[object]", value)])
    return native_value(value)


def native_value(value: Any) -> MetadataScalar:  # the driver returns its own date type
    """Convert a value from the driver to Python types."""
    if isinstance(value, str | int | float):
        return value
    return with_zone(value if isinstance(value, datetime) else value.to_native())


FINGERPRINT = "metadata-1"
"""Version of value nodes. A change writes the values of all documents again."""

FORGOTTEN = "forgotten"
"""Stored in place of the fingerprint while values are deleted."""

LONGEST_INDEXED_TEXT_CHARACTERS = 1_000
"""Characters of a text in the index. With the longest key these are up to 6,000 bytes; Neo4j accepts about 8,000."""

_VALUE_TIES_A_STATEMENT = 5_000

Key = tuple[str, str]


def write_values(tx: Transaction, corpus: Corpus, documents: Mapping[str, Metadata]) -> None:
    """Connect documents to the values of all their metadata, in the transaction that writes the documents.

    Args:
        documents: new metadata of each document, by id.
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
    """Disconnect documents from their values, before the same transaction deletes the documents."""
    parted: dict[str, list[str]] = {}
    change: Counter[Key] = Counter()
    for id_, values in _known(tx, corpus, ids).items():
        for value_id in values:
            parted.setdefault(value_id, []).append(id_)
        change.subtract(set(values.values()))
    _count(tx, corpus, change)
    _part(tx, corpus, parted, change)


def forget_values(writer: Writer) -> None:
    """Delete all values and keys in batches, because millions of documents may share a value.

    The stage `metadata` writes the values of all documents again, also after an interruption.
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


# Splits rows so that no statement connects too many documents.
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
