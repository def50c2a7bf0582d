"""Validating documents and links before they are stored, because programs can pass documents with any values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import cast

from overstory.display import shortened
from overstory.errors import BrokenSource, SettingsError
from overstory.graph import GraphClient
from overstory.model import HEAVIEST_LINK, Annotation, Document, Link, Loaded, Metadata, with_zone
from overstory.model.metadata import FILE_METADATA_NAMES, OWN_NAMES, PAGE_STARTS, composed, from_json, page_starts
from overstory.protocols import OnBroken
from overstory.surrogates import is_well_formed
from overstory.text.document_dates import with_date
from overstory.text.language_detection import with_language


def with_found_metadata(items: Iterable[Loaded]) -> Iterator[Loaded]:
    """Yield items lazily. The language and the date of each document are added, as stated or as found in its text."""
    for item in items:
        yield with_date(with_language(item)) if isinstance(item, Document) else item


def storable(batch: Iterable[Document | Annotation], on_broken: OnBroken, keys: set[str]) -> list[Document]:
    """Return the valid documents of a batch, with metadata in Unicode form NFC. Pass the others to `on_broken`.

    Args:
        keys: metadata keys of the corpus. The keys of the valid documents are added to it.
    """
    documents: list[Document] = []
    for item in batch:
        if isinstance(item, Document):
            fault = fault_of(item)
            document = item if fault else _composed(item)
            new = set[str]() if fault else document.all_metadata.keys() - keys
            if new and len(keys) + len(new) > MOST_KEYS_OF_A_CORPUS:
                fault = too_many_keys(document)
            if fault is None:
                keys |= new
                documents.append(document)
            else:
                on_broken(fault)
    return documents


def keys_of(graph: GraphClient, label: str) -> set[str]:
    """Return the metadata keys of all documents in a corpus."""
    return {row["key"] for row in graph.run("corpus/metadata_keys", label, read=True)}


def _composed(document: Document) -> Document:
    own, of_file = composed(document.metadata), composed(document.file_metadata)
    if own is document.metadata and of_file is document.file_metadata:
        return document
    return replace(document, metadata=own, file_metadata=of_file)


RESERVED = FILE_METADATA_NAMES | OWN_NAMES | {PAGE_STARTS}
"""Names of fields that every document or passage sets itself. They must not be set for all documents at once."""


def checked_metadata(given: Metadata) -> Metadata:
    """Return metadata unchanged if it can be stored; otherwise raise `SettingsError`."""
    for key, value in cast("Mapping[object, object]", given).items():  # a caller without type checks may pass anything
        if key in RESERVED:
            raise SettingsError(
                f"{key!r} cannot be used as a metadata key, because each document or passage has its own value.",
                remedy=f"Use a key other than {', '.join(sorted(RESERVED))}.",
            )
        if not isinstance(key, str) or not key.strip() or not is_metadata(key, value):
            raise SettingsError(
                f"The metadata {key!r} cannot be stored: {value!r:.60}", remedy=f"Keys must be text. {METADATA_REMEDY}"
            )
    if excess := metadata_excess(given):
        raise SettingsError(f"There is too much metadata: {excess}.", remedy=EXCESS_REMEDY)
    return given


def metadata_of_json(given: Mapping[str, object]) -> Metadata:
    """Convert a JSON object to metadata: parse dates and drop null values. Invalid metadata raises `SettingsError`."""
    return checked_metadata(cast("Metadata", from_json(given)))


def with_metadata(items: Iterable[Loaded], given: Metadata) -> Iterator[Loaded]:
    """Yield items lazily. Metadata is added to each document, and replaces its values with the same keys."""
    for item in items:
        yield replace(item, metadata={**item.metadata, **given}) if given and isinstance(item, Document) else item


_LONGEST_ORIGIN_BYTES = 8_000
"""Maximum bytes of a document's source and key together, because a Neo4j index accepts about 8 kB."""

METADATA_REMEDY = (
    "Use text, 64-bit numbers, booleans, dates with a time zone such as datetime(2024, 2, 29, tzinfo=UTC), or "
    "lists of one of these types."
)

_MOST_METADATA_KEYS = 256
"""Maximum number of metadata keys per document. Neo4j keeps every property key forever; many keys slow it down."""
MOST_KEYS_OF_A_CORPUS = 10_000
"""Maximum number of metadata keys per corpus. Neo4j creates this many in about 10 s, and twice as many in 40 s."""
_LONGEST_METADATA_KEY_CHARACTERS = 500
"""Maximum characters of a metadata key. An index stores the key with the start of a value (see `metadata_values`)."""
_MOST_METADATA_VALUES = 10_000
"""Maximum number of values that one document may have for a metadata key. Each value is a node."""
_LONGEST_METADATA_CHARACTERS = 100_000
"""Maximum total characters of a document's texts for one metadata key. A filter on the key compares all of them."""

EXCESS_REMEDY = (
    f"Remove metadata, or move it into the text: a document has at most {_MOST_METADATA_KEYS} keys of up to "
    f"{_LONGEST_METADATA_KEY_CHARACTERS} characters, each with up to {_MOST_METADATA_VALUES:,} values and "
    f"{_LONGEST_METADATA_CHARACTERS:,} characters."
)

_INTEGER_BOUND = 2**63


def fault_of(document: Document) -> BrokenSource | None:
    """Return an error that states why the document cannot be stored; None if it can be."""
    source = str(document.source).encode("utf-8", "replace").decode("utf-8")
    for name in ("source", "source_key", "title", "text"):
        value: object = getattr(document, name)
        if not isinstance(value, str) or not is_well_formed(value):
            return BrokenSource(f"the {name} of document {document.source_key!r} is not valid Unicode.", source=source)
    if len(document.source.encode()) + len(document.source_key.encode()) > _LONGEST_ORIGIN_BYTES:
        return BrokenSource(
            f"the source and key of a document have more than {_LONGEST_ORIGIN_BYTES:,} bytes.",
            source=shortened(source),
            remedy="Give it shorter ones.",
        )
    if not document.text.strip():
        return BrokenSource(f"document {document.source_key!r} has no text.", source=source)
    for key, value in document.all_metadata.items():
        if not is_metadata(key, value):
            return BrokenSource(
                f"document {document.source_key!r} has metadata {key!r} that cannot be stored: {value!r:.60}",
                source=source,
                remedy=METADATA_REMEDY,
            )
    if excess := metadata_excess(document.all_metadata):
        return BrokenSource(f"document {document.source_key!r} has {excess}", source=source, remedy=EXCESS_REMEDY)
    return None


def too_many_keys(document: Document) -> BrokenSource:
    return BrokenSource(
        f"document {document.source_key!r} has new metadata keys, but the corpus already has the maximum number.",
        source=str(document.source),
        remedy=f"A corpus has at most {MOST_KEYS_OF_A_CORPUS:,} different keys. Turn keys that differ from document to "
        "document into values.",
    )


def link_fault(link: Link) -> BrokenSource | None:
    """Return an error that states why the link cannot be stored; None if it can be."""
    source = str(link.source).encode("utf-8", "replace").decode("utf-8")
    for name in ("source", "source_key", "target_source", "target_key", "type", "text"):
        value: object = getattr(link, name)
        if not isinstance(value, str) or not is_well_formed(value):
            return BrokenSource(f"the {name} of a link from {link.source_key!r} is not valid Unicode.", source=source)
    target = len((link.target_source or link.source).encode()) + len(link.target_key.encode())
    if max(target, len(link.source.encode()) + len(link.source_key.encode())) > _LONGEST_ORIGIN_BYTES:
        return BrokenSource(
            f"source and key at one end of a link have more than {_LONGEST_ORIGIN_BYTES:,} bytes.",
            source=shortened(source),
            remedy="Give it shorter ones.",
        )
    if not _is_weight(link.weight):
        return BrokenSource(
            f"a link from {link.source_key!r} to {link.target_key!r} has the invalid weight {link.weight!r:.40}.",
            source=source,
            remedy=f"Use a number above 0 and at most {HEAVIEST_LINK:g}.",
        )
    return None


def _is_weight(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= HEAVIEST_LINK


def is_metadata(key: object, value: object) -> bool:
    """Return True if the metadata key and value can be stored. All values in a list must have the same type."""
    if not isinstance(key, str) or not is_well_formed(key):
        return False
    if isinstance(value, list):
        return len({type(each) for each in value}) <= 1 and all(_is_scalar(each) for each in value)
    return _is_scalar(value)


def metadata_excess(metadata: Metadata) -> str:
    """Return what exceeds a limit, such as "300 keys of metadata"; "" if all limits are respected."""
    if len(metadata) > _MOST_METADATA_KEYS:
        return f"{len(metadata)} keys of metadata"
    for key, value in metadata.items():
        if len(key) > _LONGEST_METADATA_KEY_CHARACTERS:
            return f"a key of metadata with {len(key):,} characters, {shortened(key)!r}"
        values = value if isinstance(value, list) else [value]
        if len(values) > _MOST_METADATA_VALUES and not (key == PAGE_STARTS and page_starts(metadata)):
            return f"metadata {shortened(key)!r} with {len(values):,} values"
        characters = sum(len(each) for each in values if isinstance(each, str))
        if characters > _LONGEST_METADATA_CHARACTERS:
            return f"metadata {shortened(key)!r} with {characters:,} characters"
    return ""


def _is_scalar(value: object) -> bool:
    if isinstance(value, str):
        return is_well_formed(value)
    if isinstance(value, bool | float):
        return True
    if isinstance(value, datetime):
        return value.utcoffset() is not None and _is_in_utc(value)
    return isinstance(value, int) and -_INTEGER_BOUND <= value < _INTEGER_BOUND


def _is_in_utc(moment: datetime) -> bool:
    try:
        with_zone(moment)
    except ValueError:
        return False
    return True
