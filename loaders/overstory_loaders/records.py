"""Converts records with named fields, which come from JSON files or tables, to documents."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from overstory.errors import BrokenSource
from overstory.model import Document
from overstory.protocols import OnBroken
from overstory.spool import Spool
from overstory_loaders.blocks import clean_text, clean_title, is_storable
from overstory_loaders.metadata import clean_metadata
from overstory_loaders.place import Place
from overstory_loaders.record_rows import record_text

KEY_CHARACTER_LIMIT = 1000
"""Maximum length of an id. Neo4j can index keys of up to about 8 kB."""

_METADATA = "metadata"
_KEYS = "keys (namespace TEXT, key TEXT, line INTEGER, repeats INTEGER, PRIMARY KEY (namespace, key)) WITHOUT ROWID"
_INSERT = "INSERT OR IGNORE INTO keys VALUES (?, ?, ?, 1)"
_FIRST = "SELECT line FROM keys WHERE namespace = ? AND key = ?"
_REPEAT = "UPDATE keys SET repeats = repeats + 1 WHERE namespace = ? AND key = ?"
_REPEATS = "SELECT repeats FROM keys WHERE namespace = ? AND key = ?"


def content_key(values: Mapping[str, object]) -> str:
    """Return a key for a record without an id: the first 32 hexadecimal digits of the SHA-256 hash of its content."""
    canonical = json.dumps(values, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class KeyRegister(Spool):
    """Records which keys a source has used. Its memory use does not grow with the number of keys.

    Any thread may use it, but never two threads at once.
    """

    def __init__(self) -> None:
        super().__init__(_KEYS)

    def claim(self, key: str, place: Place, *, namespace: str = "") -> None:
        """Register the key of the record at `place`.

        Raises:
            BrokenSource: the key is invalid or already registered.
        """
        if len(key) > KEY_CHARACTER_LIMIT:
            raise place.broken(
                f"its id has {len(key)} characters",
                remedy=f"Ids may have at most {KEY_CHARACTER_LIMIT}; rename another field to id.",
            )
        if not is_storable(key):
            raise place.broken(f"its id {key!a} has a control character or a lone surrogate", remedy="Correct the id.")
        if not self._insert(namespace, key, place):
            word = "record" if place.line is None else "line"
            (first,) = self._table.execute(_FIRST, (namespace, key)).fetchone()
            raise place.broken(
                f"has the same id {key!r} as {word} {first}, which was loaded",
                remedy="Give each record an id of its own.",
            )

    def holds(self, key: str) -> bool:
        return self._table.execute(_FIRST, ("", key)).fetchone() is not None if is_storable(key) else False

    def claim_content(self, key: str, place: Place, *, namespace: str = "") -> str:
        """Register a key that was computed from a record's content, and return it.

        If an identical record has already been registered, the returned key has the suffix "-2", "-3", ….
        """
        if self._insert(namespace, key, place):
            return key
        self._table.execute(_REPEAT, (namespace, key))
        (repeats,) = self._table.execute(_REPEATS, (namespace, key)).fetchone()
        return f"{key}-{repeats}"

    def _insert(self, namespace: str, key: str, place: Place) -> bool:
        number = place.record if place.line is None else place.line
        return self._table.execute(_INSERT, (namespace, key, number)).rowcount == 1


_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Record:
    place: Place
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Fields:
    """The names of the fields that contain the text, the title and the id of a document.

    The first of these fields that has a value is used. Upper and lower case are not distinguished.

    Attributes:
        id_required: True if a record without an id is an error. If False, such a record gets a hash as its id.
        as_row: True if the text of a record without a text consists of all its fields.
    """

    text: tuple[str, ...] = ("text", "contents", "content", "body", "page_content")
    title: tuple[str, ...] = ("title", "name")
    id: tuple[str, ...] = ("id", "_id", "key")
    id_required: bool = False
    as_row: bool = False


ROWS = Fields(as_row=True)


def documents(records: Iterable[Record], *, source: str, fields: Fields, on_broken: OnBroken) -> Iterator[Document]:
    """Yield one document per record, lazily. Invalid records are passed to `on_broken`."""
    with KeyRegister() as keys:
        for record in records:
            try:
                document = document_of(record, source=source, fields=fields, keys=keys)
            except BrokenSource as error:
                on_broken(error)
            else:
                yield document


def document_of(record: Record, *, source: str, fields: Fields, keys: KeyRegister) -> Document:
    """Return the document for a record. Fields other than text, title and id become metadata.

    If the record has no text, its text consists of all its fields. If it has only a title, or `fields` does not allow
    rows, its title becomes the text. Some BEIR collections contain thousands of such records.
    """
    taken = _Taken(record)
    text = taken.text(fields.text, or_rows=fields.as_row)
    title = taken.title(fields.title)
    if not text and fields.as_row and taken.has_more(fields):
        text = record_text({name: value for name, value in record.values.items() if name != _METADATA}, record.place)
    if not (text or title):
        raise _without_text(record, fields)
    key = taken.key(fields, keys)
    metadata = clean_metadata(taken.rest())
    if metadata.dropped:
        _log.debug("%s, %s: left out of the metadata: %s", source, record.place, ", ".join(metadata.dropped))
    return Document(source=source, source_key=key, text=text or title, title=title, metadata=metadata.values)


def key_of(record: Record, *, fields: Fields, keys: KeyRegister) -> str:
    """Return the key of a record that annotates a document in another source."""
    return _Taken(record).key(fields, keys)


class _Taken:
    """Takes fields from a record, and keeps track of the fields that have not been taken."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._names: dict[str, str] = {}
        for name in record.values:
            self._names.setdefault(name.strip().casefold(), name)
        self._used: set[str] = set()

    def text(self, names: tuple[str, ...], *, or_rows: bool) -> str:
        """Return the text of the record; "" if it has none.

        Args:
            or_rows: True if a list or an object is no error, because it can be read as part of a row.
        """
        wrong = ""
        for name in self._present(names):
            value = self._record.values[name]
            if or_rows and isinstance(value, (list, dict)):
                continue
            if not isinstance(value, str):
                wrong = wrong or f"its {name} is {_kind(value)}, not a text"
                continue
            self._used.add(name)
            if text := clean_text(value):
                return text
        if wrong:
            raise self._record.place.broken(wrong, remedy="Make it a string, in quotes.")
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
            if key.strip():  # the key is not stripped, because relevance files refer to it
                keys.claim(key, place)
                return key
        if fields.id_required:
            raise place.broken(f"has no {fields.id[0]}", remedy="Give each record an id: relevance files refer to it.")
        return keys.claim_content(content_key(self._record.values), place)

    def rest(self) -> dict[str, object]:
        """Return the fields that have not been taken, with the members of an object `metadata` added to them.

        If a field and a member have the same name, the field wins.
        """
        left = {name: value for name, value in self._record.values.items() if name not in self._used}
        inner = left.get(_METADATA)
        if isinstance(inner, dict):
            del left[_METADATA]
            return {**inner, **left}
        return left

    def has_more(self, fields: Fields) -> bool:
        """Return True if a field other than text, title, id and `metadata` has a value."""
        known = {*fields.title, *fields.id, _METADATA}
        others = (self._record.values[name] for folded, name in self._names.items() if folded not in known)
        return any(value.strip() if isinstance(value, str) else value not in (None, [], {}) for value in others)

    def _present(self, names: tuple[str, ...]) -> list[str]:
        found = [self._names[name] for name in names if name in self._names]
        return [name for name in found if self._record.values[name] is not None]


def _without_text(record: Record, fields: Fields) -> BrokenSource:
    named = {name.strip().casefold() for name in record.values}
    if fields.as_row or named & {*fields.text, *fields.title}:
        return record.place.broken("is empty: it has neither a text nor a title", remedy="Leave it out.")
    return record.place.broken(
        f"has no text: none of the fields {', '.join(fields.text)}",
        remedy=f"Rename the field with the text to {fields.text[0]!r}.",
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
