"""Types and values of metadata. Every date has a time zone and is written as text in ISO 8601."""

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
"""Types of metadata values. Every date has a time zone. A day without a time is stored as midnight UTC."""

Metadata = Mapping[str, MetadataValue]

ValueType = Literal["text", "number", "date", "boolean"]
"""Types by which values are compared. Integers and floats have the same type."""

VALUE_TYPES: tuple[ValueType, ...] = get_args(ValueType)

_DATE = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|[+-]\d\d(?::?\d\d(?::\d\d(?:\.\d+)?)?)?))?)?",
    re.ASCII,
)
_SPACE_BEFORE_ZONE = re.compile(r" (?=[Z+-])")
_WIDEST_OFFSET_HOURS = 18
"""Maximum UTC offset that Neo4j accepts, in hours. Python accepts offsets of almost 24 hours."""


@dataclass(frozen=True, slots=True)
class TypedValue:
    """A metadata value, or one value of a list, in a normalised form that is the same for equal values.

    Attributes:
        value: the value. A date is in UTC, and a number without a fraction is an `int`.
    """

    key: str
    type: ValueType
    value: MetadataScalar

    @property
    def canonical(self) -> str:
        """The value as text. Different values of one type have different texts."""
        return self.value.isoformat() if isinstance(self.value, datetime) else str(self.value)


def typed_values(metadata: Metadata) -> Iterator[TypedValue]:
    """Yield the distinct values of metadata, including each value of a list, but not NaN or the key `page_starts`."""
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
    """Return the metadata with keys and texts in composed Unicode form (NFC), in which filters compare them.

    For example, a file name from macOS represents "é" as two code points, which become one.
    """
    if all(map(str.isascii, metadata)) and not any(map(_has_other_text, metadata.values())):
        return metadata
    return {composed_text(key): _composed(value) for key, value in metadata.items()}


def composed_text(text: str) -> str:
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
    """Parse a text that is an ISO 8601 date; return None for other texts.

    Examples are "2024-02-29" and "2024-02-29T12:30:00+01:00". A missing time means midnight, and a missing time zone
    means UTC.
    """
    if not _DATE.fullmatch(text):
        return None
    try:
        return with_zone(datetime.fromisoformat(_SPACE_BEFORE_ZONE.sub("", text)))
    except ValueError:  # there is no such day or UTC offset
        return None


def from_json(given: Mapping[str, object]) -> dict[str, object]:
    """Convert JSON values to metadata: drop null values, and parse texts and lists of texts that are ISO 8601 dates."""
    return {key: with_dates_read(value) for key, value in given.items() if value is not None}


def with_dates_read(value: object) -> object:
    """Parse a date or a list of dates, written as ISO 8601 text; return any other value unchanged."""
    if isinstance(value, str):
        return date_of(value) or value
    if isinstance(value, list) and value:
        every = cast("list[object]", value)
        dates = [date_of(each) for each in every if isinstance(each, str)]
        found = [date for date in dates if date is not None]
        return found if len(found) == len(every) else every
    return value


def value_of(written: str) -> MetadataScalar:
    """Parse a value that a person typed: a number, true or false, an ISO 8601 date, or text.

    A value in quotes remains text. A number that would lose digits, such as "007" or "1.10", also remains text.
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
    """Convert a text to a finite number. Return None if digits would be lost ("007", "1.10") or it is not a number."""
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if str(number) == text and (isinstance(number, int) or math.isfinite(number)):
            return number
    return None


def with_zone(moment: datetime) -> datetime:
    """Return the date with a UTC offset. A date without a time zone is assumed to be in UTC.

    If Neo4j does not accept the offset of the date, the result is converted to UTC.

    Raises:
        ValueError: in UTC, the date is before the year 1 or after the year 9999.
    """
    offset = moment.utcoffset() or timedelta(0)
    plain = datetime.combine(moment.date(), moment.time())  # a plain `datetime` even if this is a `pandas.Timestamp`
    try:
        in_utc = (plain - offset).replace(tzinfo=UTC)
    except OverflowError as error:
        raise ValueError(f"{moment} is not between the years 1 and 9999 in UTC") from error
    if abs(offset) > timedelta(hours=_WIDEST_OFFSET_HOURS) or offset.microseconds:
        return in_utc
    return plain.replace(tzinfo=timezone(offset) if offset else UTC)


def shown(value: MetadataScalar) -> str:
    """Format a value for people. A date at midnight UTC is shown as a day, because it may not have had a time."""
    match value:
        case bool():
            return "true" if value else "false"
        case datetime():
            is_day = value.utcoffset() == timedelta(0) and value.time() == time(0)
            return value.date().isoformat() if is_day else value.isoformat()
        case _:
            return str(value)


def as_json(metadata: Metadata) -> dict[str, object]:
    """Convert metadata to JSON types. Dates become ISO 8601 text."""
    return {key: json_value(value) for key, value in metadata.items()}


def json_value(value: object) -> object:
    """Convert a value to JSON types. Dates become ISO 8601 text, also within lists and dictionaries."""
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
    """Return the metadata keys whose values are dates or lists of dates."""
    return [key for key, value in metadata.items() if _has_dates(value)]


def endless_keys(metadata: Metadata) -> list[str]:
    """Return the metadata keys whose values contain NaN or infinity, which JSON cannot represent."""
    return [key for key, value in metadata.items() if _is_endless(value)]


def with_dates(value: object) -> MetadataValue:
    """Parse a date or a list of dates that `as_json` converted to text.

    Raises:
        ValueError: a text is not a date.
    """
    if isinstance(value, list):
        return [_date_of(each) for each in cast("list[object]", value)]
    return _date_of(value)


def typed_json(value: object) -> object:
    """Return a date as a JSON object, so that it differs from a text. Use it as `json.dumps(…, default=typed_json)`."""
    if isinstance(value, datetime):
        return {"date": value.isoformat()}
    raise TypeError(f"metadata values cannot be {type(value).__name__}")


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
        raise ValueError(f"{value!r:.40} is not a date")
    return found


def _has_dates(value: MetadataValue) -> bool:
    return isinstance(value[0] if isinstance(value, list) and value else value, datetime)


FILE_NAME = "file_name"

FOLDER = "folder"
"""Metadata key: folder of the file, relative to the loaded path and with "/" as separator; "." for that path itself."""

SIZE = "size"
"""Metadata key: size in bytes of a file that is one document."""

MODIFIED = "modified"
"""Metadata key: modification time of a file that is one document, in whole seconds. Corpus digests ignore it."""

FILE_METADATA_NAMES = frozenset((FILE_NAME, FOLDER, SIZE, MODIFIED))

OWN_NAMES = frozenset(("id", "source", "source_key", "title", "text", "page", "section", "heading"))
"""Names of the fields that documents and passages have in addition to metadata."""


PAGE_STARTS = "page_starts"
"""Metadata key: position of the first character of each page of a document. Hits have the field `page` instead."""


def page_starts(metadata: Mapping[str, object]) -> list[int]:
    """Return the position of the first character of each page; [] if the metadata contains no valid page starts."""
    starts = metadata.get(PAGE_STARTS)
    return starts if _are_pages(starts) else []


def page_of(start: int, text: str, page_starts: Sequence[int]) -> int | None:
    """Return the number of the page that contains the first word of a passage; None if the document has no pages.

    Args:
        start: position of the passage in the document.
        page_starts: position of the first character of each page. The position of a page without text is the end of the
            text before it.
    """
    return bisect_right(page_starts, start + len(text) - len(text.lstrip())) or None


def _are_pages(starts: object) -> TypeGuard[list[int]]:
    return isinstance(starts, list) and bool(starts) and all(type(each) is int for each in cast("list[object]", starts))
