"""Loads JSON Lines files and other JSON files with objects, with one document per record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from overstory.errors import BrokenSource
from overstory.model import Annotation, Document
from overstory.protocols import OnBroken
from overstory_loaders.beir import is_beir_corpus
from overstory_loaders.files import address, has_suffix, is_file
from overstory_loaders.graph_json import is_graph_lines
from overstory_loaders.json_records import LINES_SUFFIXES, SUFFIXES, first_record, holds_large_object, json_records
from overstory_loaders.openie import is_openie_record
from overstory_loaders.records import ROWS, Record, documents

EXPORT_MARK = "overstory_export"
"""Member that marks the first object in an Overstory export. The platform reads such files without a loader."""


class JsonLinesLoader:
    """Loader for JSON Lines files (`.jsonl`, `.ndjson`) of any size, and for JSON files with objects.

    The objects may be in an array, or in lists within an object such as `{"items": […]}`. The features of GeoJSON and
    the messages of a chat are objects, too.
    """

    name = "jsonl"

    def recognises(self, source: str) -> bool:
        """Return True for a JSON Lines suffix, and for a `.json` file with an object.

        Return False for files that another loader reads, such as graphs, BEIR corpora and OpenIE results.
        """
        if not has_suffix(source, SUFFIXES) or is_beir_corpus(source):
            return False
        record = first_record(source)
        if record is None:
            return has_suffix(source, LINES_SUFFIXES) or holds_large_object(source)
        return not (EXPORT_MARK in record or is_openie_record(record) or is_graph_lines(source))

    def why_not(self, source: str) -> BrokenSource | None:
        """Return the error for a JSON file without objects; None for other files."""
        if not has_suffix(source, SUFFIXES) or not is_file(source):
            return None
        return BrokenSource(
            "contains no JSON object, or is not JSON", source=source, remedy="Read it as plain text: --loader text"
        )

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Annotation]:
        """Yield one document per record. `records.Fields` lists the field names that are recognised.

        The text of a record without a text field consists of all its fields.
        """
        records = json_records(source, on_broken=on_broken, opens_objects=True)
        yield from documents(map(_plain, records), source=address(source), fields=ROWS, on_broken=on_broken)


def _plain(record: Record) -> Record:
    """Return a record with the properties of a GeoJSON feature as its fields; any other record unchanged."""
    properties = record.values.get("properties")
    if record.values.get("type") != "Feature" or not isinstance(properties, dict):
        return record
    others = {name: value for name, value in record.values.items() if name not in ("type", "properties", "bbox")}
    return Record(record.place, others | cast("dict[str, object]", properties))
