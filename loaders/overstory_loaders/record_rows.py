"""Converts a record without a text to text: its fields with their names, as in a row of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from overstory_loaders.blocks import clean_text, clean_title
from overstory_loaders.files import WHOLE_FILE_BYTE_LIMIT
from overstory_loaders.place import Place
from overstory_loaders.table_text import CELL_GAP, cell_text, repeatable

_MOST_NUMBERS = 100
"""A list of more numbers is left out. It is a vector or an outline, and nobody reads it."""
_LONGEST_FIELD_NAME_CHARACTERS = 100
"""Longer names lose their beginning, because the name of an object is repeated for each of its fields."""


def record_text(values: Mapping[str, object], place: Place) -> str:
    """Return the fields of a record in one line such as "sku: GT-1 | price: 12.5".

    Each field has its own line if one of them is long or is a list of objects. The name of a field within an object is
    "maker.name".

    Raises:
        BrokenSource: the text is longer than 64 MiB.
    """
    fields: list[tuple[str, str]] = []
    length = 0
    for name, text in _fields(values, "", place):
        fields.append((name, text))
        length += len(name) + len(text)
        if length > WHOLE_FILE_BYTE_LIMIT:
            raise place.broken(f"has more than {WHOLE_FILE_BYTE_LIMIT // 2**20} MiB of text", remedy="Split it.")
    are_short = all(repeatable(text) and "\n" not in text and CELL_GAP not in text for _, text in fields)
    is_flat = len({name for name, _ in fields}) == len(fields)
    return (CELL_GAP if are_short and is_flat else "\n").join(f"{name}: {text}" for name, text in fields)


def _fields(values: Mapping[str, object], prefix: str, place: Place) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each field. A list of objects is a field for each object."""
    for key, value in values.items():
        name = f"{prefix}{clean_title(key)}"[-_LONGEST_FIELD_NAME_CHARACTERS:]
        if isinstance(value, dict):
            yield from _fields(cast("dict[str, object]", value), f"{name}.", place)
        elif isinstance(value, list):
            yield from ((name, text) for text in _texts(cast("list[object]", value), place))
        elif text := _scalar(value):
            yield name, text


def _texts(items: list[object], place: Place) -> Iterator[str]:
    scalars = [item for item in _scalars(items) if not isinstance(item, dict)]
    numbers = sum(isinstance(item, (int, float)) and not isinstance(item, bool) for item in scalars)
    if numbers <= _MOST_NUMBERS and (text := ", ".join(filter(None, map(_scalar, scalars)))):
        yield text
    for item in _scalars(items):
        if isinstance(item, dict) and (text := record_text(cast("dict[str, object]", item), place)):
            yield text


def _scalars(items: list[object]) -> Iterator[object]:
    for item in items:
        if isinstance(item, list):
            yield from _scalars(cast("list[object]", item))
        else:
            yield item


def _scalar(value: object) -> str:
    return clean_text(value) if isinstance(value, str) else cell_text(value)
