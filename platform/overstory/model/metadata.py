"""Values of metadata: their types, and dates, which have a time zone and are ISO 8601 as text."""

from __future__ import annotations

import math
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, timezone
from typing import Literal, TypeGuard, cast, get_args

MetadataScalar = str | int | float | bool | datetime
MetadataValue = MetadataScalar | list[str] | list[int] | list[float] | list[bool] | list[datetime]
"""Types of metadata values. A date has a time zone; a day without a time is its midnight in UTC."""

Metadata = Mapping[str, MetadataValue]

ValueType = Literal["text", "number", "date", "boolean"]
"""What values are compared as: whole numbers and others are one type."""

VALUE_TYPES: tuple[ValueType, ...] = get_args(ValueType)

_DATE = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|[+-]\d\d(?::?\d\d(?::\d\d(?:\.\d+)?)?)?))?)?",
    re.ASCII,
)
_SPACE_BEFORE_ZONE = re.compile(r" (?=[Z+-])")
_WIDEST_OFFSET_HOURS = 18
"""Hours that Neo4j lets a time zone be apart from UTC; Python has up to 24."""


@dataclass(frozen=True, slots=True)
class TypedValue:
    """A value of a document's metadata, or of a list there, in the one form that equal values have.

    Attributes:
        value: a number without a fraction is an `int`, and a date is in UTC.
    """

    key: str
    type: ValueType
    value: MetadataScalar

    @property
    def canonical(self) -> str:
        """The value as text that no other value of its type has."""
        return self.value.isoformat() if isinstance(self.value, datetime) else str(self.value)


def typed_values(metadata: Metadata) -> Iterator[TypedValue]:
    """The distinct values of metadata, those of lists one by one. NaN, which equals nothing, and where pages begin
    (`PAGE_STARTS`) are left out."""
    seen: set[tuple[str, ValueType, str]] = set()
    for key, value in metadata.items():
        if key == PAGE_STARTS and page_starts(metadata):
            continue
        for each in _each(value):
            typed = TypedValue(key, type_of(each), _comparable(each))
            identity = (key, typed.type, typed.canonical)
            if identity not in seen and not (isinstance(each, float) and math.isnan(each)):
                seen.add(identity)
                yield typed


def composed(metadata: Metadata) -> Metadata:
    """Metadata whose keys and texts are in Unicode's composed form (NFC), in which filters compare: names of files that
    come from macOS have "é" in two code points.
    """
    if all(map(str.isascii, metadata)) and not any(map(_has_other_text, metadata.values())):
        return metadata
    return {composed_text(key): _composed(value) for key, value in metadata.items()}


def composed_text(text: str) -> str:
    """A text in NFC."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def type_of(value: MetadataScalar) -> ValueType:
    match value:
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case datetime():
            return "date"
        case str():
            return "text"


def date_of(text: str) -> datetime | None:
    """The date that a text is, as a whole, in ISO 8601: "2024-02-29", "2024-02-29T12:30:00+01:00". None for any other.

    Without a time it is midnight, and without a time zone UTC.
    """
    if not _DATE.fullmatch(text):
        return None
    try:
        return with_zone(datetime.fromisoformat(_SPACE_BEFORE_ZONE.sub("", text)))
    except ValueError:  # no such day, or offset
        return None


def from_json(given: Mapping[str, object]) -> dict[str, object]:
    """Metadata as JSON has them: null is none, and a text that is a date in ISO 8601 as a whole becomes one, as does a
    list of such texts.
    """
    return {key: with_dates_read(value) for key, value in given.items() if value is not None}


def with_dates_read(value: object) -> object:
    """A text as the date that it is, or a list whose texts all are; any other value as it is."""
    if isinstance(value, str):
        return date_of(value) or value
    if isinstance(value, list) and value:
        every = cast("list[object]", value)
        dates = [date_of(each) for each in every if isinstance(each, str)]
        found = [date for date in dates if date is not None]
        return found if len(found) == len(every) else every
    return value


def value_of(written: str) -> MetadataScalar:
    """A value as people write it: a number, true or false, a date in ISO 8601, or a text, also in quotes.

    What is in quotes is a text, and so is a number that would lose digits, such as "007" and "1.10".
    """
    text = written.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    number = number_of(text)
    if number is not None and abs(number) < 2**63:
        return number
    return date_of(text) or text


def number_of(text: str) -> int | float | None:
    """The finite number that a text is without loss; None for any other, such as "007" and "1.10"."""
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if str(number) == text and (isinstance(number, int) or math.isfinite(number)):
            return number
    return None


def with_zone(moment: datetime) -> datetime:
    """A date with the offset of its time zone, which is UTC where it has none.

    Raises:
        ValueError: in UTC, it is before the year 1 or after 9999.
    """
    offset = moment.utcoffset() or timedelta(0)
    plain = datetime.combine(moment.date(), moment.time())  # of a subclass, such as that of pandas, too
    try:
        in_utc = (plain - offset).replace(tzinfo=UTC)
    except OverflowError as error:
        raise ValueError(f"{moment} is not between the years 1 and 9999 in UTC") from error
    if abs(offset) > timedelta(hours=_WIDEST_OFFSET_HOURS) or offset.microseconds:
        return in_utc
    return plain.replace(tzinfo=timezone(offset) if offset else UTC)


def shown(value: MetadataScalar) -> str:
    """A value as people read it: of a date at midnight in UTC, which may have had no time, the day alone."""
    match value:
        case bool():
            return "true" if value else "false"
        case datetime():
            is_day = value.utcoffset() == timedelta(0) and value.time() == time(0)
            return value.date().isoformat() if is_day else value.isoformat()
        case _:
            return str(value)


def as_json(metadata: Metadata) -> dict[str, object]:
    """Metadata as JSON has it, with dates in ISO 8601."""
    return {key: json_value(value) for key, value in metadata.items()}


def json_value(value: object) -> object:
    """A value as JSON has it, with dates in ISO 8601, also in lists and mappings."""
    match value:
        case datetime():
            return value.isoformat()
        case list():
            return [json_value(each) for each in cast("list[object]", value)]
        case dict():
            return {name: json_value(each) for name, each in cast("dict[str, object]", value).items()}
        case _:
            return value


def dated_keys(metadata: Metadata) -> list[str]:
    """The keys of metadata whose values are dates, or lists of dates."""
    return [key for key, value in metadata.items() if _has_dates(value)]


def endless_keys(metadata: Metadata) -> list[str]:
    """The keys of metadata with numbers that JSON does not have: infinite ones, and NaN."""
    return [key for key, value in metadata.items() if _is_endless(value)]


def with_dates(value: object) -> MetadataValue:
    """A value of `as_json` that is a date, or a list of dates, as it was.

    Raises:
        ValueError: it is no date.
    """
    if isinstance(value, list):
        return [_date_of(each) for each in cast("list[object]", value)]
    return _date_of(value)


def typed_json(value: object) -> object:
    """For `json.dumps(…, default=typed_json)`: dates as objects, so that they are not taken for texts."""
    if isinstance(value, datetime):
        return {"date": value.isoformat()}
    raise TypeError(f"{type(value).__name__} is no value of metadata")


def _comparable(value: MetadataScalar) -> MetadataScalar:
    if isinstance(value, datetime):
        return value.astimezone(UTC)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**63:
        return int(value)
    return value


def _each(value: MetadataValue) -> Sequence[MetadataScalar]:
    return value if isinstance(value, list) else [value]


def _has_other_text(value: MetadataValue) -> bool:
    return any(isinstance(each, str) and not each.isascii() for each in _each(value))


def _is_endless(value: MetadataValue) -> bool:
    return any(isinstance(each, float) and not math.isfinite(each) for each in _each(value))


def _composed(value: MetadataValue) -> MetadataValue:
    match value:
        case str():
            return composed_text(value)
        case list():
            return cast("MetadataValue", [composed_text(each) if isinstance(each, str) else each for each in value])
        case _:
            return value


def _date_of(value: object) -> datetime:
    found = date_of(value) if isinstance(value, str) else None
    if found is None:
        raise ValueError(f"{value!r:.40} is no date")
    return found


def _has_dates(value: MetadataValue) -> bool:
    return isinstance(value[0] if isinstance(value, list) and value else value, datetime)


FILE_NAME = "file_name"

FOLDER = "folder"
"""Relative to the path that was given, parted by "/"; "." for what lies in it."""

SIZE = "size"
"""In bytes, of a file that is one document."""

MODIFIED = "modified"
"""When a file that is one document was changed, to the second. A digest leaves it out."""

FILE_METADATA_NAMES = frozenset((FILE_NAME, FOLDER, SIZE, MODIFIED))

OWN_NAMES = frozenset(("id", "source", "source_key", "title", "text", "page", "section", "heading"))
"""What documents and passages have themselves besides metadata."""


PAGE_STARTS = "page_starts"
"""In the metadata of a document that has pages: the first character of each. A hit has its page instead."""


def page_starts(metadata: Mapping[str, object]) -> list[int]:
    """The first character of each page of a document, [] without pages; others may use the name for something else."""
    starts = metadata.get(PAGE_STARTS)
    return starts if _are_pages(starts) else []


def page_of(start: int, text: str, page_starts: Sequence[int]) -> int | None:
    """The page, from 1, of the first word of a passage; None for a document without pages.

    Args:
        start: the passage's first character in its document.
        page_starts: the first character of each page; a page without text begins where the text before it ends.
    """
    return bisect_right(page_starts, start + len(text) - len(text.lstrip())) or None


def _are_pages(starts: object) -> TypeGuard[list[int]]:
    return isinstance(starts, list) and bool(starts) and all(type(each) is int for each in cast("list[object]", starts))
