"""Metadata on the command line: key=value."""

from __future__ import annotations

from collections.abc import Sequence

import click

from overstory.model import MetadataValue
from overstory.model.metadata import value_of


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
        found[key] = value_of(value)
    return found
