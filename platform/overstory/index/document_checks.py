"""Checks that a document can be stored. Loaders clean what they read; documents also come straight from a program."""

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
from overstory.text.language_detection import with_language


def with_languages(items: Iterable[Loaded]) -> Iterator[Loaded]:
    """Documents with the language that they say or are recognised to be in, lazily."""
    for item in items:
        yield with_language(item) if isinstance(item, Document) else item


def storable(batch: Iterable[Document | Annotation], on_broken: OnBroken, keys: set[str]) -> list[Document]:
    """The documents of a batch that can be stored, with metadata in NFC; the others go to `on_broken`.

    Args:
        keys: keys of metadata that the corpus has; those of these documents are added.
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
    """The keys of metadata that the documents of a corpus have."""
    return {row["key"] for row in graph.run("corpus/metadata_keys", label, read=True)}


def _composed(document: Document) -> Document:
    own, of_file = composed(document.metadata), composed(document.file_metadata)
    if own is document.metadata and of_file is document.file_metadata:
        return document
    return replace(document, metadata=own, file_metadata=of_file)


RESERVED = FILE_METADATA_NAMES | OWN_NAMES | {PAGE_STARTS}
"""What documents and passages have themselves: given for all of them, it would be wrong."""


def checked_metadata(given: Metadata) -> Metadata:
    """Metadata that can be stored, or an error."""
    for key, value in cast("Mapping[object, object]", given).items():  # as a program without type checks may give it
        if key in RESERVED:
            raise SettingsError(
                f"{key!r} cannot be given as metadata: each document or passage has its own.",
                remedy=f"Use another name than {', '.join(sorted(RESERVED))}.",
            )
        if not isinstance(key, str) or not key.strip() or not is_metadata(key, value):
            raise SettingsError(
                f"The metadata {key!r} cannot be stored: {value!r:.60}", remedy=f"Name it by a text. {METADATA_REMEDY}"
            )
    if excess := metadata_excess(given):
        raise SettingsError(f"Too much metadata is given: {excess}.", remedy=EXCESS_REMEDY)
    return given


def metadata_of_json(given: Mapping[str, object]) -> Metadata:
    """Metadata that came as JSON, in which dates are texts and null is none; or an error as of `checked_metadata`."""
    return checked_metadata(cast("Metadata", from_json(given)))


def with_metadata(items: Iterable[Loaded], given: Metadata) -> Iterator[Loaded]:
    """Documents with metadata besides their own, of which those with the same keys are replaced; lazily."""
    for item in items:
        yield replace(item, metadata={**item.metadata, **given}) if given and isinstance(item, Document) else item


_LONGEST_ORIGIN_BYTES = 8_000
"""Bytes of a source and its key: an index of Neo4j takes keys of up to about 8 kB."""

METADATA_REMEDY = (
    "Use texts, numbers of 64 bits, truth values, dates with a time zone, as in datetime(2024, 2, 29, tzinfo=UTC), or "
    "lists of one of these."
)

_MOST_METADATA_KEYS = 256
"""Keys of metadata of a document: Neo4j keeps each new one forever, and takes longer for it the more it has."""
MOST_KEYS_OF_A_CORPUS = 10_000
"""Keys of metadata of all documents of a corpus; Neo4j creates this number in some 10 s, and twice as many in 40."""
_LONGEST_METADATA_KEY_CHARACTERS = 500
"""Characters of a key of metadata: an index has it together with the beginning of a text, see `metadata_values`."""
_MOST_METADATA_VALUES = 10_000
"""Values of a key of metadata in one document; each is a node."""
_LONGEST_METADATA_CHARACTERS = 100_000
"""Characters of the texts of a key in one document, which each filter on the key reads and compares."""

EXCESS_REMEDY = (
    f"Leave some out, or move them into the text: a document has at most {_MOST_METADATA_KEYS} keys of up to "
    f"{_LONGEST_METADATA_KEY_CHARACTERS} characters, each with up to {_MOST_METADATA_VALUES:,} values and "
    f"{_LONGEST_METADATA_CHARACTERS:,} characters."
)

_INTEGER_BOUND = 2**63


def fault_of(document: Document) -> BrokenSource | None:
    """Why a document cannot be stored; None if it can."""
    source = str(document.source).encode("utf-8", "replace").decode("utf-8")
    for name in ("source", "source_key", "title", "text"):
        value: object = getattr(document, name)
        if not isinstance(value, str) or not is_well_formed(value):
            return BrokenSource(f"the {name} of document {document.source_key!r} is no Unicode text.", source=source)
    if len(document.source.encode()) + len(document.source_key.encode()) > _LONGEST_ORIGIN_BYTES:
        return BrokenSource(
            f"the source and the key of a document have more than {_LONGEST_ORIGIN_BYTES:,} bytes.",
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
    """A document whose keys of metadata are too many for the corpus."""
    return BrokenSource(
        f"document {document.source_key!r} has new keys of metadata, and the corpus has as many as it may.",
        source=str(document.source),
        remedy=f"A corpus has at most {MOST_KEYS_OF_A_CORPUS:,} different keys: make values of those that differ from "
        "document to document.",
    )


def link_fault(link: Link) -> BrokenSource | None:
    """Why a link cannot be stored; None if it can."""
    source = str(link.source).encode("utf-8", "replace").decode("utf-8")
    for name in ("source", "source_key", "target_source", "target_key", "type", "text"):
        value: object = getattr(link, name)
        if not isinstance(value, str) or not is_well_formed(value):
            return BrokenSource(f"the {name} of a link from {link.source_key!r} is no Unicode text.", source=source)
    target = len((link.target_source or link.source).encode()) + len(link.target_key.encode())
    if max(target, len(link.source.encode()) + len(link.source_key.encode())) > _LONGEST_ORIGIN_BYTES:
        return BrokenSource(
            f"the source and the key at an end of a link have more than {_LONGEST_ORIGIN_BYTES:,} bytes.",
            source=shortened(source),
            remedy="Give it shorter ones.",
        )
    if not _is_weight(link.weight):
        return BrokenSource(
            f"a link from {link.source_key!r} to {link.target_key!r} has the weight {link.weight!r:.40}.",
            source=source,
            remedy=f"Use a number above 0 and up to {HEAVIEST_LINK:g}.",
        )
    return None


def _is_weight(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= HEAVIEST_LINK


def is_metadata(key: object, value: object) -> bool:
    """Whether a key and its value can be stored: a list has values of one type."""
    if not isinstance(key, str) or not is_well_formed(key):
        return False
    if isinstance(value, list):
        return len({type(each) for each in value}) <= 1 and all(_is_scalar(each) for each in value)
    return _is_scalar(value)


def metadata_excess(metadata: Metadata) -> str:
    """Return the part of metadata that is over a limit, as in "300 keys of metadata"; "" if no part is."""
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
