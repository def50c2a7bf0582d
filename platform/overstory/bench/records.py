"""Reads benchmark files line by line; errors name the file and the line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

from overstory.errors import BenchError
from overstory.model.metadata import Metadata, MetadataValue, date_of
from overstory.structured_text import parse_json
from overstory.surrogates import is_well_formed

Record = dict[str, object]


def broken(path: Path, line: int, message: str, *, remedy: str = "") -> BenchError:
    """The error for one line of a file."""
    return BenchError(f"{path}, line {line}: {message}", remedy=remedy or "Correct the line, or remove it.")


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file with their numbers, counted from 1, without line ends; blank ones are skipped."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                text = _decoded(path, number, line).rstrip("\r\n")
                if text.strip():
                    yield number, text
    except OSError as error:
        raise BenchError(
            f"{path}: it cannot be read: {error.strerror or error}",
            remedy="A BEIR folder contains corpus.jsonl, queries.jsonl and qrels/; check the path and its permissions.",
        ) from error


def read_records(path: Path) -> Iterator[tuple[int, Record]]:
    """The objects of a JSON-lines file with their line numbers."""
    for number, line in read_lines(path):
        try:
            record = parse_json(line)
        except ValueError as error:
            raise broken(path, number, f"this is not JSON: {error}") from error
        if not isinstance(record, dict):
            raise broken(path, number, "a JSON object is wanted, as {...}")
        yield number, cast("Record", record)


def identifier(record: Record, path: Path, line: int) -> str:
    """The `_id` of a record; a number is converted to text."""
    value = record.get("_id")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise broken(path, line, '"_id" is missing or empty')
    return _storable(value, "_id", path, line)


def string(record: Record, key: str, path: Path, line: int, *, default: str | None = None) -> str:
    """A text of a record, stripped; `default` if it is missing or null."""
    value = record.get(key)
    if value is None and default is not None:
        return default
    if not isinstance(value, str):
        raise broken(path, line, f'"{key}" is missing or not a text')
    return _storable(value, key, path, line).strip()


def metadata(record: Record) -> Metadata:
    """What the `metadata` of a record say that a document can have: texts, numbers, dates, true and false, and lists of
    one of these."""
    said = record.get("metadata")
    if not isinstance(said, dict):
        return {}
    return {
        key: _dated(value) for key, value in cast("Record", said).items() if _is_value(value) and is_well_formed(key)
    }


def _dated(value: object) -> MetadataValue:
    """A value, and an ISO date, or a list of these, as dates."""
    every = cast("list[object]", value) if isinstance(value, list) else [value]
    dates = [date_of(each) if isinstance(each, str) else None for each in every]
    known = [each for each in dates if each is not None]
    if len(known) < len(every):
        return cast("MetadataValue", value)
    return known if isinstance(value, list) else known[0]


def _is_value(value: object) -> bool:
    every = cast("list[object]", value) if isinstance(value, list) else [value]
    if len({type(each) for each in every}) != 1:  # an empty list has none
        return False
    return all(
        is_well_formed(each)
        if isinstance(each, str)
        else isinstance(each, bool | float) or (isinstance(each, int) and abs(each) < 2**63)
        for each in every
    )


def _storable(value: str, key: str, path: Path, line: int) -> str:
    """The text, unless it has half a surrogate pair, which JSON allows and UTF-8 does not."""
    if not is_well_formed(value):
        raise broken(path, line, f'"{key}" has half a character (a lone surrogate)')
    return value


def _decoded(path: Path, number: int, line: bytes) -> str:
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise broken(path, number, "this is not UTF-8", remedy="Convert the file to UTF-8.") from error
