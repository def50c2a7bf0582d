"""Converts arbitrary metadata to values that Neo4j can store in a property."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from numbers import Integral, Real
from pathlib import PurePath
from typing import cast
from uuid import UUID

from overstory.model import MetadataScalar, MetadataValue, with_zone
from overstory.model.metadata import with_dates_read
from overstory_loaders.blocks import clean_text, clean_title

_INT64 = 2**63
_SEPARATORS = re.compile("[,;]")


@dataclass(frozen=True, slots=True)
class CleanMetadata:
    """Metadata that Neo4j can store.

    Attributes:
        dropped: names of values that cannot be stored. Names whose value is None are not listed.
    """

    values: dict[str, MetadataValue]
    dropped: tuple[str, ...] = ()


def clean_metadata(values: Mapping[str, object], *, dates_in_text: bool = True) -> CleanMetadata:
    """Convert the values to texts, numbers, booleans, datetimes, and lists with elements of one of these types.

    - A datetime without a time zone is taken as UTC. A date becomes midnight in UTC.
    - Times of day, integers beyond 64 bits, decimals, paths and UUIDs become text.
    - Mappings and lists of mixed types become JSON text.
    - NaN, infinity, bytes, and other values that JSON does not support are dropped.

    Args:
        dates_in_text: True to convert texts that are ISO 8601 dates, even in lists. Use False for formats that
            distinguish dates from texts.
    """
    kept: dict[str, MetadataValue] = {}
    dropped: list[str] = []
    for key, value in values.items():
        name = clean_title(str(key))
        if value is None or not name:
            continue
        storable = _storable(value)
        if storable is None:
            dropped.append(name)
        else:
            kept[name] = cast("MetadataValue", with_dates_read(storable)) if dates_in_text else storable
    return CleanMetadata(kept, tuple(dropped))


def separated(text: str) -> list[str]:
    """Split a text at commas and semicolons, and return the distinct keywords."""
    return list(dict.fromkeys(part for part in map(clean_title, _SEPARATORS.split(text)) if part))


def _storable(value: object) -> MetadataValue | None:
    if isinstance(value, Mapping):
        return _as_json(cast("object", value))
    if isinstance(value, (list, tuple, set, frozenset)):
        return _list(list(cast("Sequence[object]", value)))
    return _scalar(value)


def _scalar(value: object) -> MetadataScalar | None:
    match value:
        case str():
            return clean_text(value)
        case bool():
            return value
        case Integral():  # LangChain loaders often leave numpy integers in metadata
            number = int(value)
            return number if -_INT64 <= number < _INT64 else str(number)
        case Real():
            return float(value) if math.isfinite(value) else None
        case datetime():
            return _dated(value)
        case date():
            return datetime(value.year, value.month, value.day, tzinfo=UTC)
        case time():
            return value.isoformat()
        case Decimal() | UUID() | PurePath():
            return clean_text(str(value))
        case _:
            return None


def _dated(moment: datetime) -> datetime | str:
    try:
        return with_zone(moment)
    except ValueError:  # in UTC, the year is less than 1 or greater than 9999
        return moment.isoformat()


def _list(values: list[object]) -> MetadataValue | None:
    scalars = [_scalar(value) for value in values]
    if not any(scalar is None for scalar in scalars):
        kinds = {type(scalar) for scalar in scalars}
        if kinds == {int, float}:
            return [float(cast("float", scalar)) for scalar in scalars]
        if len(kinds) <= 1:
            return cast("MetadataValue", scalars)
    return _as_json(values)


def _as_json(value: object) -> str | None:
    try:
        return clean_text(json.dumps(value, ensure_ascii=False, allow_nan=False, default=_json_default))
    except (TypeError, ValueError, RecursionError):
        return None


def _json_default(value: object) -> object:
    if isinstance(value, date):
        return value.isoformat()
    scalar = _scalar(value)
    if scalar is None:
        raise TypeError(type(value).__name__)
    return scalar
