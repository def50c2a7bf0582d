"""Conversion of arbitrary metadata to values that Neo4j can store in a property."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from numbers import Integral, Real
from pathlib import PurePath
from typing import cast
from uuid import UUID

from overstory.model import MetadataValue
from overstory_loaders.cleaning import clean_text, clean_title

_INT64 = 2**63


@dataclass(frozen=True, slots=True)
class CleanMetadata:
    """The kept values, and the names of those that cannot be stored (None values are not named)."""

    values: dict[str, MetadataValue]
    dropped: tuple[str, ...] = ()


def clean_metadata(values: Mapping[str, object]) -> CleanMetadata:
    """The values as text, numbers, booleans and lists of one of these.

    Dates become ISO text; integers beyond 64 bits, decimals, paths and UUIDs text; objects and mixed lists JSON text.
    NaN, infinity, bytes, and objects that JSON does not support are dropped.
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
            kept[name] = storable
    return CleanMetadata(kept, tuple(dropped))


def _storable(value: object) -> MetadataValue | None:
    if isinstance(value, Mapping):
        return _as_json(cast("object", value))
    if isinstance(value, (list, tuple, set, frozenset)):
        return _list(list(cast("Sequence[object]", value)))
    return _scalar(value)


def _scalar(value: object) -> str | int | float | bool | None:
    match value:
        case str():
            return clean_text(value)
        case bool():
            return value
        case Integral():  # including numpy's integers, which LangChain loaders often leave in metadata
            number = int(value)
            return number if -_INT64 <= number < _INT64 else str(number)
        case Real():
            return float(value) if math.isfinite(value) else None
        case datetime() | date() | time():
            return value.isoformat()
        case Decimal() | UUID() | PurePath():
            return clean_text(str(value))
        case _:
            return None


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
    scalar = _scalar(value)
    if scalar is None:
        raise TypeError(type(value).__name__)
    return scalar
