"""Loads JSON Lines files and arrays of JSON objects, with one document per record."""

from __future__ import annotations

from collections.abc import Iterator

from overstory.errors import BrokenSource
from overstory.model import Annotation, Document
from overstory.protocols import OnBroken
from overstory_loaders.beir import is_beir_corpus
from overstory_loaders.files import address, has_suffix, is_file
from overstory_loaders.graph_json import is_graph_lines
from overstory_loaders.json_records import LINES_SUFFIXES, SUFFIXES, first_record, json_records
from overstory_loaders.openie import is_openie_record
from overstory_loaders.records import Fields, documents

EXPORT_MARK = "overstory_export"
"""Member that marks the first object in an Overstory export. The platform reads such files without a loader."""


class JsonLinesLoader:
    """Loader for JSON Lines files (`.jsonl`, `.ndjson`) of any size, and for `.json` files with an array of objects."""

    name = "jsonl"

    def recognises(self, source: str) -> bool:
        """Return True for a JSON Lines suffix, and for a `.json` file whose first object has a text field.

        Return False for files that another loader reads, such as graphs, BEIR corpora and OpenIE results.
        """
        if not has_suffix(source, SUFFIXES) or is_beir_corpus(source):
            return False
        record = first_record(source)
        if record is None:
            return has_suffix(source, LINES_SUFFIXES)
        if EXPORT_MARK in record or is_openie_record(record) or is_graph_lines(source):
            return False
        return has_suffix(source, LINES_SUFFIXES) or bool(record.keys() & set(Fields().text))

    def why_not(self, source: str) -> BrokenSource | None:
        """Return the error for a JSON file whose records have no text field; None for other files."""
        if not has_suffix(source, SUFFIXES) or not is_file(source):
            return None
        return BrokenSource(
            f"has no list of objects with a text field ({', '.join(Fields().text)})",
            source=source,
            remedy="Read it as plain text: --loader text",
        )

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Annotation]:
        """Yield one document per record. `records.Fields` lists the field names that are recognised."""
        records = json_records(source, on_broken=on_broken)
        yield from documents(records, source=address(source), fields=Fields(), on_broken=on_broken)
