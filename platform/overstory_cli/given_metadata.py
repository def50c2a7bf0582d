"""Metadata on the command line: key=value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import click

from overstory.model import MetadataValue
from overstory.model.metadata import date_of, value_of
from overstory.structured_text import parse_json


def given_metadata(settings: Sequence[str]) -> dict[str, MetadataValue]:
    """The values of `--set`, by key."""
    found: dict[str, MetadataValue] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        key = key.strip()
        if not equals or not key:
            raise click.UsageError(f"--set takes key=value, not {setting!r}: --set author='Ada Lovelace'")
        if not value.strip():
            raise click.UsageError(f"--set {key}= has no value; an empty text is --set '{key}=\"\"'.")
        if key in found:
            raise click.UsageError(f"--set {key}=… is given twice; a key has one value.")
        found[key] = _list(key, value) if value.lstrip().startswith("[") else value_of(value)
    return found


def _list(key: str, written: str) -> MetadataValue:
    """A list of values, as JSON."""
    try:
        values: object = parse_json(written)
    except ValueError as error:
        raise click.UsageError(
            f"--set {key}={written} begins like a list, and is none: {error}. A list is JSON, as in "
            f"--set '{key}=[1, 2]'; a text that begins so stands in quotes: --set {key}='\"[…]\"'."
        ) from None
    every = cast("list[object]", values) if isinstance(values, list) else []
    if not every or not all(isinstance(each, str | int | float) for each in every):
        raise click.UsageError(f"--set {key}=… takes a list of texts, numbers, or true and false, and at least one.")
    read = [value_of(each) if isinstance(each, str) and date_of(each) is not None else each for each in every]
    if len({type(each) for each in read}) > 1:
        raise click.UsageError(f"--set {key}=… has values of several types; those of a list are of one.")
    return cast("MetadataValue", read)
