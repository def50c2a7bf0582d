"""Readings, which extract values from a parsed text. Several readings can share one parse."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from spacy.tokens import Doc

T = TypeVar("T")

_COMBINED = "combined"


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """A function that extracts a value from a parsed text, and functions that merge and decode such values.

    A value consists of tuples and of dataclasses with slots. It is never None.

    Attributes:
        address: "module:NAME" of the variable that contains this reading, so that other processes can import it.
        of: returns the value for a spaCy document.
        united: merges the values for the parts of a long text, given as (offset of the part's first character, value).
        decoded: restores a value from JSON lists.
    """

    address: str
    of: Callable[[Doc], T]
    united: Callable[[list[tuple[int, T]]], T]
    decoded: Callable[[list[Any]], T]


def combined(readings: Sequence[Reading[Any]]) -> Reading[tuple[Any, ...]]:
    """Return a reading whose value is a tuple with the values of all these readings."""

    def of(doc: Doc) -> tuple[Any, ...]:
        return tuple(reading.of(doc) for reading in readings)

    def united(parts: list[tuple[int, tuple[Any, ...]]]) -> tuple[Any, ...]:
        return tuple(
            reading.united([(start, values[place]) for start, values in parts])
            for place, reading in enumerate(readings)
        )

    def decoded(fields: list[Any]) -> tuple[Any, ...]:
        return tuple(reading.decoded(each) for reading, each in zip(readings, fields, strict=True))

    return Reading(" ".join([_COMBINED, *(reading.address for reading in readings)]), of, united, decoded)


def find_reading(address: str) -> Reading[Any]:
    """Return the reading with this address. It may be the address of a combined reading."""
    kind, *addresses = address.split()
    if kind == _COMBINED:
        return combined([find_reading(each) for each in addresses])
    module, _, name = address.partition(":")
    found: Reading[Any] = getattr(importlib.import_module(module), name)
    return found


def encoded(values: object) -> str:
    """Encode values as one line of JSON.

    Tuples and dataclasses become lists, from which `Reading.decoded` restores them.
    """
    return json.dumps(values, default=_fields)


def _fields(value: object) -> list[object]:
    return [getattr(value, name) for name in value.__slots__]  # type: ignore[attr-defined] # a dataclass with slots
