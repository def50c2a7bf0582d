"""Loads entities and triples from open information extraction (OpenIE) by another program, in HippoRAG's format.

There are two kinds of records:

- A record with `_id`, `entities` and `triples` annotates the document with that key, which another source contains.
- A record with `idx`, `passage`, `extracted_entities` and `extracted_triples` also contains the document. HippoRAG
  stores such records in its cache.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from overstory.errors import BrokenSource
from overstory.model import Annotation, Document
from overstory.protocols import OnBroken
from overstory_loaders.blocks import clean_title
from overstory_loaders.files import address, has_suffix
from overstory_loaders.json_records import SUFFIXES, first_record, json_records
from overstory_loaders.place import Place
from overstory_loaders.records import Fields, KeyRegister, Record, document_of, key_of

ENTITIES = ("entities", "extracted_entities")
TRIPLES = ("triples", "extracted_triples")
_EXAMPLE_CHARACTERS = 200
_TEXT = ("passage", "text")
_ID = ("_id", "id", "idx")
_ANNOTATION = Fields(text=(), title=(), id=_ID, id_required=True)
_DOCUMENT = Fields(text=_TEXT, title=("title",), id=_ID)

OpenIETriple = tuple[str, str, str]


class OpenIELoader:
    """Loader for OpenIE results in a JSON Lines file, a JSON array or a file from HippoRAG's cache."""

    name = "openie"

    def recognises(self, source: str) -> bool:
        if not has_suffix(source, SUFFIXES):
            return False
        record = first_record(source)
        return record is not None and is_openie_record(record)

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Annotation]:
        """Yield an annotation for each record, preceded by its document if the record contains one.

        Triples that do not consist of three texts are reported and left out, as are entities that are not texts.
        """
        with KeyRegister() as keys:
            for record in json_records(source, on_broken=on_broken):
                try:
                    read = _read(record, address(source), keys)
                except BrokenSource as error:
                    on_broken(error)
                    continue
                for flaw in read.flaws:
                    on_broken(flaw)
                yield from read.items


def is_openie_record(record: Mapping[str, object]) -> bool:
    """Return True if a record contains a list of triples."""
    return any(isinstance(record.get(name), list) for name in TRIPLES)


@dataclass(frozen=True, slots=True)
class _RecordItems:
    items: list[Document | Annotation]
    flaws: list[BrokenSource]


def _read(record: Record, source: str, keys: KeyRegister) -> _RecordItems:
    entities, entity_flaws = _entities(_list(record, ENTITIES), record.place)
    triples, triple_flaws = _triples(_list(record, TRIPLES), record.place)
    extracted = {*ENTITIES, *TRIPLES}
    rest = Record(record.place, {name: value for name, value in record.values.items() if name not in extracted})
    items: list[Document | Annotation] = []
    if any(record.values.get(name) is not None for name in _TEXT):
        document = document_of(rest, source=source, fields=_DOCUMENT, keys=keys)
        items.append(document)
        namespace, key = source, document.source_key
    else:
        namespace, key = "", key_of(rest, fields=_ANNOTATION, keys=keys)
    items.append(Annotation(source=namespace, source_key=key, entities=entities, triples=triples))
    return _RecordItems(items, entity_flaws + triple_flaws)


def _list(record: Record, names: tuple[str, ...]) -> list[object]:
    found = next((record.values[name] for name in names if name in record.values), None)
    if not isinstance(found, list):
        raise record.place.broken(f"has no list {names[0]!r}", remedy="Add one, or [] if it has no entries.")
    return cast("list[object]", found)


def _entities(values: list[object], place: Place) -> tuple[tuple[str, ...], list[BrokenSource]]:
    good = [name for value in values if isinstance(value, str) and (name := clean_title(value))]
    wrong = [value for value in values if not isinstance(value, str)]
    return tuple(good), _flaws(wrong, len(values), place, "entities left out, because they are not texts")


def _triples(values: list[object], place: Place) -> tuple[tuple[OpenIETriple, ...], list[BrokenSource]]:
    good: list[OpenIETriple] = []
    wrong: list[object] = []
    for value in values:
        triple = _triple(value)
        if triple is None:
            wrong.append(value)
        else:
            good.append(triple)
    return tuple(good), _flaws(wrong, len(values), place, "triples left out, because they are not three texts")


def _triple(value: object) -> OpenIETriple | None:
    parts = cast("list[object]", value) if isinstance(value, list) else []
    texts = [clean_title(part) for part in parts if isinstance(part, str)]
    if len(parts) != 3 or len(texts) != 3 or not all(texts):
        return None
    return texts[0], texts[1], texts[2]


def _flaws(wrong: list[object], total: int, place: Place, what: str) -> list[BrokenSource]:
    """Return a list with one error for all invalid parts of a record; [] if all parts are valid."""
    if not wrong:
        return []
    example = clean_title(json.dumps(wrong[0], ensure_ascii=False))[:_EXAMPLE_CHARACTERS]
    message = f"{len(wrong)} of {total} {what}, like {example}"
    return [place.broken(message, remedy="Correct them, or ignore this: the other parts were kept.")]
