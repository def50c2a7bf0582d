"""JSON files as streams of records: one a line, or one array of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import TypeGuard, cast

from overstory.errors import BrokenSource
from overstory.protocols import OnBroken
from overstory_loaders.decoding import marked_encoding, read_text
from overstory_loaders.files import has_suffix, open_bytes, reading
from overstory_loaders.lines import bad_byte, not_utf8, read_lines
from overstory_loaders.place import Place
from overstory_loaders.records import Record

LINES_SUFFIXES = (".jsonl", ".ndjson")
SUFFIXES = (*LINES_SUFFIXES, ".json")

JsonObject = dict[str, object]

_SNIFF = 2**20
_TRIED_LINES = 20
_WRONG_FILE = 100
_BLANK = "\ufeff \t\r\n"
_ARRAY = re.compile(r"\[\s*")
_DOCS = re.compile(r'\{\s*"docs"\s*:\s*\[\s*')
_TO_LINES = "Make JSON lines of it, which have no limit: jq -c '.[]' OLD.json > NEW.jsonl"


def json_records(source: str, *, on_broken: OnBroken) -> Iterator[Record]:
    """The objects of a JSON file, lazily where they stand one a line.

    An array, an object over several lines, and an object whose member `docs` is a list of objects are read whole.

    Raises:
        BrokenSource: the file cannot be read, is empty, is no JSON at all, or is too large to be read whole.
    """
    yield from _from_lines(source, on_broken) if _stands_in_lines(source) else _from_whole(source, on_broken)


def first_record(source: str) -> JsonObject | None:
    """The first object of a JSON file that can be read, for recognising; None where a megabyte shows none."""
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
    good = bad = 0
    for line in read_lines(source, on_broken=on_broken):
        text = line.text.strip(_BLANK)
        if not text:
            continue
        place = Place(source, line.number)
        try:
            values = _parse_line(text, place)
        except BrokenSource as error:
            bad += 1
            if bad == _WRONG_FILE and not good:
                raise BrokenSource(
                    f"is not JSON lines: none of its first {bad} lines is a JSON object", source=source
                ) from error
            on_broken(error)
        else:
            good += 1
            yield Record(place, values)
    if not good + bad:
        raise _empty(source)


def _from_whole(source: str, on_broken: OnBroken) -> Iterator[Record]:
    text = read_text(source, remedy=_TO_LINES).strip(_BLANK)
    items = _items(_parse(text, Place(source))) if text else []
    if not items:
        raise _empty(source)
    for number, item in enumerate(items, start=1):
        place = Place(source, record=number)
        if _is_object(item):
            yield Record(place, item)
        else:
            on_broken(place.broken("is not a JSON object"))


def _empty(source: str) -> BrokenSource:
    return BrokenSource("is empty: it has no records", source=source)


def _items(value: object) -> list[object]:
    if isinstance(value, dict):
        docs = cast("JsonObject", value).get("docs")
        return cast("list[object]", docs) if isinstance(docs, list) else [cast("object", value)]
    return cast("list[object]", value) if isinstance(value, list) else [value]


def _stands_in_lines(source: str) -> bool:
    """Whether each line is a record; told by content, for there are arrays in files named .jsonl, and the reverse."""
    head = _head(source)
    if _ARRAY.match(head):
        return False
    if has_suffix(source, LINES_SUFFIXES, compressed=True):
        return True
    first = _decoded(head.partition("\n")[0], 0)
    return first is not None and not isinstance(first.get("docs"), list)


def _head(source: str) -> str:
    with open_bytes(source) as stream, reading(source):
        data = stream.read(_SNIFF)
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
    value = _parse(text, place)
    if not _is_object(value):
        raise place.broken("is not a JSON object", remedy="Each line has to be one: {…}.")
    return value


def _parse(text: str, place: Place) -> object:
    try:
        return cast("object", json.loads(text))
    except json.JSONDecodeError as error:
        where = f"column {error.colno}" if place.line else f"line {error.lineno}, column {error.colno}"
        raise place.broken(f"is not JSON: {error.msg} at {where}") from error
    except ValueError as error:  # an integer of more than 4,300 digits
        raise place.broken(f"is not JSON that can be read: {error}") from error
    except RecursionError as error:
        raise place.broken("is JSON nested too deeply") from error


def _is_object(value: object) -> TypeGuard[JsonObject]:
    return isinstance(value, dict)
