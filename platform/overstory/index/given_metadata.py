"""Metadata that a run adds to all of its documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import cast

from overstory.errors import SettingsError
from overstory.index.document_checks import EXCESS_REMEDY, METADATA_REMEDY, is_metadata, metadata_excess
from overstory.model import Document, Loaded, Metadata
from overstory.model.metadata import FILE_METADATA_NAMES, OWN_NAMES, PAGE_STARTS, from_json

RESERVED = FILE_METADATA_NAMES | OWN_NAMES | {PAGE_STARTS}
"""What documents and passages have themselves: given for all of them, it would be wrong."""


def checked_metadata(given: Metadata) -> Metadata:
    """Metadata that can be stored, or an error."""
    for key, value in cast("Mapping[object, object]", given).items():  # as a program without type checks may give it
        if key in RESERVED:
            raise SettingsError(
                f"{key!r} cannot be given as metadata: each document or passage has its own.",
                remedy=f"Use another name than {', '.join(sorted(RESERVED))}.",
            )
        if not isinstance(key, str) or not key.strip() or not is_metadata(key, value):
            raise SettingsError(
                f"The metadata {key!r} cannot be stored: {value!r:.60}", remedy=f"Name it by a text. {METADATA_REMEDY}"
            )
    if excess := metadata_excess(given):
        raise SettingsError(f"Too much metadata is given: {excess}.", remedy=EXCESS_REMEDY)
    return given


def metadata_of_json(given: Mapping[str, object]) -> Metadata:
    """Metadata that came as JSON, in which dates are texts and null is none; or an error as of `checked_metadata`."""
    return checked_metadata(cast("Metadata", from_json(given)))


def with_metadata(items: Iterable[Loaded], given: Metadata) -> Iterator[Loaded]:
    """Documents with metadata besides their own, of which those with the same keys are replaced; lazily."""
    for item in items:
        yield replace(item, metadata={**item.metadata, **given}) if given and isinstance(item, Document) else item
