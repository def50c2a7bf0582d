"""Readings: what is taken out of a parsed text. One parse can serve several of them."""

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
    """A kind of value read from parsed texts. Values are built of tuples and of dataclasses with slots, and never None.

    Attributes:
        address: "module:NAME" of this reading, by which another process finds it.
        of: a document's value.
        united: a text's value from those of its parts, each with the part's first character in the text.
        decoded: a value from the lists that JSON made of it.
    """

    address: str
    of: Callable[[Doc], T]
    united: Callable[[list[tuple[int, T]]], T]
    decoded: Callable[[list[Any]], T]


def combined(readings: Sequence[Reading[Any]]) -> Reading[tuple[Any, ...]]:
    """A reading whose values hold one value of each of these, in their order, all from the same parse."""

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
    """The reading at this address, which may be that of a combined one."""
    kind, *addresses = address.split()
    if kind == _COMBINED:
        return combined([find_reading(each) for each in addresses])
    module, _, name = address.partition(":")
    found: Reading[Any] = getattr(importlib.import_module(module), name)
    return found


def encoded(values: object) -> str:
    """JSON of values on one line; tuples and dataclasses become lists, from which `Reading.decoded` restores them."""
    return json.dumps(values, default=_fields)


def _fields(value: object) -> list[object]:
    return [getattr(value, name) for name in value.__slots__]  # type: ignore[attr-defined] # Mention, FactStatement
