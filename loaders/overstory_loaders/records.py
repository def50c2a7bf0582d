"""Conversion of records with named fields, from JSON or a table, to documents."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from overstory.errors import BrokenSource
from overstory.model import Document
from overstory.protocols import OnBroken
from overstory_loaders.cleaning import clean_text, clean_title
from overstory_loaders.keys import KeyRegister, content_key
from overstory_loaders.metadata import clean_metadata
from overstory_loaders.place import Place

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Record:
    """A record and its position."""

    place: Place
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Fields:
    """The field names of a document's parts: the first one with a value counts, ignoring case.

    Attributes:
        id_required: whether a record without an id is broken; otherwise the id is a hash of its content.
    """

    text: tuple[str, ...] = ("text", "contents", "content", "body", "page_content")
    title: tuple[str, ...] = ("title", "name")
    id: tuple[str, ...] = ("id", "_id", "key")
    id_required: bool = False


def documents(records: Iterable[Record], *, source: str, fields: Fields, on_broken: OnBroken) -> Iterator[Document]:
    """One document per record, lazily; invalid records are passed to `on_broken`."""
    with KeyRegister() as keys:
        for record in records:
            try:
                document = document_of(record, source=source, fields=fields, keys=keys)
            except BrokenSource as error:
                on_broken(error)
            else:
                yield document


def document_of(record: Record, *, source: str, fields: Fields, keys: KeyRegister) -> Document:
    """The document of a record; fields other than text, title and id become metadata.

    Without a text the title is used as the text. Some BEIR collections have thousands of such records.
    """
    taken = _Taken(record)
    text = taken.text(fields.text)
    title = taken.title(fields.title)
    if not (text or title):
        raise _without_text(record, fields)
    key = taken.key(fields, keys)
    metadata = clean_metadata(taken.rest())
    if metadata.dropped:
        _log.debug("%s, %s: left out of the metadata: %s", source, record.place, ", ".join(metadata.dropped))
    return Document(source=source, source_key=key, text=text or title, title=title, metadata=metadata.values)


def key_of(record: Record, *, fields: Fields, keys: KeyRegister) -> str:
    """The key of a record that is used without its text."""
    return _Taken(record).key(fields, keys)


class _Taken:
    """Takes fields from a record, and keeps track of the remaining ones."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._names: dict[str, str] = {}
        for name in record.values:
            self._names.setdefault(name.strip().casefold(), name)
        self._used: set[str] = set()

    def text(self, names: tuple[str, ...]) -> str:
        wrong = ""
        for name in self._present(names):
            value = self._record.values[name]
            if not isinstance(value, str):
                wrong = wrong or f"its {name} is {_kind(value)}, not a text"
                continue
            self._used.add(name)
            if text := clean_text(value):
                return text
        if wrong:
            raise self._record.place.broken(wrong, remedy="Make it a text, in quotes.")
        return ""

    def title(self, names: tuple[str, ...]) -> str:
        for name in self._present(names):
            value = self._record.values[name]
            if isinstance(value, str) or _is_number(value):
                self._used.add(name)
                if title := clean_title(str(value)):
                    return title
        return ""

    def key(self, fields: Fields, keys: KeyRegister) -> str:
        place = self._record.place
        for name in self._present(fields.id):
            value = self._record.values[name]
            if not (isinstance(value, str) or _is_number(value)):
                raise place.broken(f"its {name} is {_kind(value)}", remedy="Make it a text or a number.")
            self._used.add(name)
            key = str(value)
            if key.strip():  # otherwise as it is: relevance files name it so
                keys.claim(key, place)
                return key
        if fields.id_required:
            raise place.broken(f"has no {fields.id[0]}", remedy="Give each record one: relevance files refer to it.")
        return keys.claim_content(content_key(self._record.values), place)

    def rest(self) -> dict[str, object]:
        """The remaining fields, merged with the members of an object `metadata`; the fields take precedence."""
        left = {name: value for name, value in self._record.values.items() if name not in self._used}
        inner = left.get("metadata")
        if isinstance(inner, dict):
            del left["metadata"]
            return {**inner, **left}
        return left

    def _present(self, names: tuple[str, ...]) -> list[str]:
        found = [self._names[name] for name in names if name in self._names]
        return [name for name in found if self._record.values[name] is not None]


def _without_text(record: Record, fields: Fields) -> BrokenSource:
    named = {name.strip().casefold() for name in record.values}
    if named & {*fields.text, *fields.title}:
        return record.place.broken("is empty: neither text nor title", remedy="Leave it out.")
    return record.place.broken(
        f"has no text: none of the fields {', '.join(fields.text)}",
        remedy=f"Name the field with the text {fields.text[0]!r}.",
    )


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _kind(value: object) -> str:
    match value:
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list():
            return "a list"
        case dict():
            return "an object"
        case _:
            return "null"
