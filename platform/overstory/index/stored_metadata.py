"""Metadata as a document has them in the graph: properties of its node, to be read with it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

from overstory.model import Document, Metadata, MetadataScalar, MetadataValue, with_zone

# Properties of a node, on their way to the driver or from it.
Row = Mapping[str, Any]

METADATA = "metadata_"
"""Prefix of a document's metadata properties, so that none collides with one of ours."""

FILE_METADATA = "file_metadata"
"""The property that names those of the metadata that come from `Document.file_metadata`."""


def metadata_properties(document: Document) -> dict[str, object]:
    """The properties that hold the metadata of a document."""
    of_file = sorted(document.file_metadata.keys() - document.metadata.keys())
    properties: dict[str, object] = {METADATA + k: _stored(value) for k, value in document.all_metadata.items()}
    return properties | {FILE_METADATA: of_file}


def stored_metadata(properties: Row) -> dict[str, MetadataValue]:
    """All metadata in the properties of a document's node."""
    return {k.removeprefix(METADATA): _read(value) for k, value in properties.items() if k.startswith(METADATA)}


def own_metadata(properties: Row) -> dict[str, MetadataValue]:
    """Those that the document itself has, without what is known of its file."""
    of_file = set[str](properties.get(FILE_METADATA) or ())
    return {key: value for key, value in stored_metadata(properties).items() if key not in of_file}


def known_file_metadata(row: Row) -> dict[str, MetadataValue]:
    """What is known of the file of a document, by a row of `ingest/known_documents`."""
    return {name: _read(value) for name, value in zip(row["names"], row["values"], strict=True)}


def file_metadata_of(document: Document) -> Metadata:
    """What `known_file_metadata` gives of the document once it is stored."""
    return {key: value for key, value in document.file_metadata.items() if key not in document.metadata}


def _stored(value: MetadataValue) -> object:
    """A time zone is stored as its offset: the server may not know its name."""
    if isinstance(value, list):
        return [_stored(each) for each in value]
    return with_zone(value) if isinstance(value, datetime) else value


def _read(value: object) -> MetadataValue:
    if isinstance(value, list):
        return cast("MetadataValue", [native_value(each) for each in cast("list[object]", value)])
    return native_value(value)


def native_value(value: Any) -> MetadataScalar:  # as the driver gives it, which has a type of its own for dates
    """A value of metadata as Python has it."""
    if isinstance(value, str | int | float):
        return value
    return with_zone(value if isinstance(value, datetime) else value.to_native())
