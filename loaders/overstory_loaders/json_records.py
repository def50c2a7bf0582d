"""Reads JSON files as streams of records. A file contains either one record per line or an array of records."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import TypeGuard, cast

from overstory.errors import BrokenSource
from overstory.protocols import OnBroken
from overstory.structured_text import MOST_NESTED_LEVELS, BeyondBounds, check_depth, parse_json
from overstory_loaders.files import empty, has_suffix, read_head
from overstory_loaders.place import Place
from overstory_loaders.records import Fields, Record
from overstory_loaders.text_encoding import bad_byte, marked_encoding, not_utf8, read_lines, read_text

LINES_SUFFIXES = (".jsonl", ".ndjson")
SUFFIXES = (*LINES_SUFFIXES, ".json")

JsonObject = dict[str, object]

_SNIFFED_BYTES = 2**20
_TRIED_LINES = 20
_WRONG_FILE_LINES = 100
_CORRECT = "Correct it, or leave it out."
_BLANK = "\ufeff \t\r\n"
_ARRAY = re.compile(r"\[\s*")
_DOCS = re.compile(r'\{\s*"docs"\s*:\s*\[\s*')
_TO_LINES = "Convert it to JSON lines, which have no limit: jq -c '.[]' OLD.json > NEW.jsonl"


def json_records(source: str, *, on_broken: OnBroken, opens_objects: bool = False) -> Iterator[Record]:
    """Yield the objects in a JSON file.

    If there is one object per line, they are read lazily. The following files are read all at once:

    - an array of objects;
    - a single object that extends over several lines;
    - an object whose member `docs` is a list of objects.

    Args:
        opens_objects: True if other lists of objects within the only object of a file are its records.
    """
    if _stands_in_lines(source):
        yield from _from_lines(source, on_broken)
    else:
        yield from _from_whole(source, on_broken, opens_objects=opens_objects)


def holds_large_object(source: str) -> bool:
    """Return True if a JSON file begins with an object, or a list of objects, that is too large for `first_record`."""
    try:
        head = _head(source)
    except BrokenSource:
        return False
    return len(head) >= _SNIFFED_BYTES // 4 and re.match(r"(?:\[\s*)?\{", head) is not None


def first_record(source: str) -> JsonObject | None:
    """Return the first readable object in a JSON file, or None if the first MiB contains none."""
    try:
        head = _head(source)
    except BrokenSource:
        return None
    if container := _ARRAY.match(head) or _DOCS.match(head):
        return _decoded(head, container.end())
    for line in islice(re.finditer(r"^[ \t]*(?=\{)", head, re.MULTILINE), _TRIED_LINES):
        if found := _decoded(head, line.end()):
            return next(filter(_is_object, _items(found)), None)
    return None


def _from_lines(source: str, on_broken: OnBroken) -> Iterator[Record]:
    faults = _Faults(source, on_broken)
    any_line = False
    for line in read_lines(source, on_broken=on_broken):
        text = line.text.strip(_BLANK)
        if not text:
            continue
        any_line = True
        place = Place(source, line.number)
        try:
            values = _parse_line(text, place)
        except BrokenSource as error:
            faults.add(error)
        else:
            faults.release()
            yield Record(place, values)
    faults.release()
    if not any_line:
        raise _empty(source)


class _Faults:
    """Holds back errors until the first valid line. If the first hundred lines are invalid, it raises one error."""

    def __init__(self, source: str, on_broken: OnBroken) -> None:
        self._source = source
        self._on_broken = on_broken
        self._held: list[BrokenSource] | None = []

    def add(self, error: BrokenSource) -> None:
        if self._held is None:
            self._on_broken(error)
            return
        self._held.append(error)
        if len(self._held) == _WRONG_FILE_LINES:
            raise BrokenSource(
                f"is not JSON lines: none of its first {_WRONG_FILE_LINES} lines is a JSON object",
                source=self._source,
                remedy="Check that each record is on a line of its own: {…}.",
            ) from error

    def release(self) -> None:
        held, self._held = self._held, None
        for error in held or ():
            self._on_broken(error)


def _from_whole(source: str, on_broken: OnBroken, *, opens_objects: bool) -> Iterator[Record]:
    text = read_text(source, remedy=_TO_LINES).strip(_BLANK)
    read = _opened if opens_objects else _items
    items = read(json_at(text, Place(source))) if text else []
    if not items:
        raise _empty(source)
    for number, item in enumerate(items, start=1):
        place = Place(source, record=number)
        if _is_object(item):
            yield Record(place, item)
        else:
            on_broken(place.broken("is not a JSON object", remedy="Each record must be a JSON object: {…}."))


def _empty(source: str) -> BrokenSource:
    return empty(source, "it has no records")


def _items(value: object) -> list[object]:
    if isinstance(value, dict):
        docs = cast("JsonObject", value).get("docs")
        return cast("list[object]", docs) if isinstance(docs, list) else [cast("object", value)]
    return cast("list[object]", value) if isinstance(value, list) else [value]


def _opened(value: object) -> list[object]:
    """Return the records in a JSON text: the objects in a list, or in the lists within an object that is no record.

    An object is a record if it has a text, a title or an id, or contains no list of objects and not only objects. The
    members of an object with only objects get their names as ids. Other members of an object are one more record.
    """
    if not _is_object(value):
        return _items(value)
    names = {name.strip().casefold() for name in value}
    if value.get("type") == "FeatureCollection" and isinstance(features := value.get("features"), list):
        return [*cast("list[object]", features), *_rest(value, ("type", "features", "crs", "bbox"))]
    if isinstance(value.get("docs"), list):
        return _items(value)
    if names & {*Fields().text, *Fields().title, *Fields().id}:
        return [value]
    members = list(value.values())
    if len(members) == 1 and _is_object(members[0]):
        return _opened(members[0])
    if len(members) > 1 and all(map(_is_object, members)):
        return [{"id": name, **cast("JsonObject", member)} for name, member in value.items()]
    lists = {name: items for name, items in value.items() if _is_list_of_objects(items)}
    if not lists:
        return [value]
    return [*(item for items in lists.values() for item in items), *_rest(value, tuple(lists))]


def _rest(value: JsonObject, read: tuple[str, ...]) -> list[object]:
    rest = {name: member for name, member in value.items() if name not in read and member not in (None, "", [], {})}
    return [rest] if rest else []


def _is_list_of_objects(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list) and bool(value) and all(map(_is_object, cast("list[object]", value)))


def _stands_in_lines(source: str) -> bool:
    """Return True if each line is a record. The content decides, because some .jsonl files contain an array."""
    head = _head(source)
    if _ARRAY.match(head):
        return False
    if has_suffix(source, LINES_SUFFIXES):
        return True
    line, _, rest = head.partition("\n")
    first = _decoded(line, 0)
    return first is not None and not isinstance(first.get("docs"), list) and rest.lstrip(_BLANK).startswith("{")


def _head(source: str) -> str:
    data = read_head(source, _SNIFFED_BYTES)
    text = data.decode(marked_encoding(data) or "utf-8", "replace")
    return text.lstrip(_BLANK)


def _decoded(text: str, start: int) -> JsonObject | None:
    try:
        value: object = json.JSONDecoder().raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return None
    return value if _is_object(value) else None


def _parse_line(text: str, place: Place) -> JsonObject:
    if (bad := bad_byte(text)) is not None:
        raise not_utf8(place, bad)
    value = json_at(text, place)
    if not _is_object(value):
        raise place.broken("is not a JSON object", remedy="Each line must be a JSON object: {…}.")
    return value


def json_at(text: str, place: Place) -> object:
    """Parse a JSON text.

    Args:
        place: position of the text in its file, for error messages.

    Raises:
        BrokenSource: the text is not JSON, is nested too deeply, or contains a number with too many digits.
    """
    try:
        value = cast("object", parse_json(text))
        if text.count("[") + text.count("{") > MOST_NESTED_LEVELS:
            check_depth(value)
        return value
    except json.JSONDecodeError as error:
        where = f"column {error.colno}" if place.line else f"line {error.lineno}, column {error.colno}"
        raise place.broken(f"is not JSON: {error.msg} at {where}", remedy=_CORRECT) from error
    except BeyondBounds as error:
        raise place.broken("is JSON nested too deeply", remedy=_CORRECT) from error
    except ValueError as error:  # Python rejects integers of more than 4,300 digits
        raise place.broken("is JSON with a number of more than 4,300 digits", remedy=_CORRECT) from error


def _is_object(value: object) -> TypeGuard[JsonObject]:
    return isinstance(value, dict)
