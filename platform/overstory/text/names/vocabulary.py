"""Reads a user's vocabulary, a file of names with their types and aliases."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO, cast

from overstory.errors import BrokenSource
from overstory.structured_text import parse_json
from overstory.surrogates import is_well_formed, printable
from overstory.text.names.keys import entity_key
from overstory.text.names.shapes import CODE, COMMAND, FILE, OPTION, PACKAGE, TERM

NER_TYPES = (
    "PERSON", "NORP", "FAC", "ORG", "GPE", "LOC", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW", "LANGUAGE",
)  # fmt: skip
TYPES = (*NER_TYPES, CODE, OPTION, COMMAND, FILE, PACKAGE, TERM)
"""Types that a vocabulary may assign."""

_MOST_VOCABULARY_LINES = 100_000
_LONGEST_VOCABULARY_NAME_CHARACTERS = 200
"""Maximum number of characters in a name or alias."""

FIELDS = ["name", "type", "aliases"]
_BETWEEN_ALIASES = ";"
_FORM = 'CSV that begins with the line "name,type,aliases", or JSON lines with these keys'


@dataclass(frozen=True, slots=True)
class VocabularyName:
    """A name in a vocabulary, with its type ("" if not stated) and its aliases."""

    name: str
    type: str = ""
    aliases: tuple[str, ...] = ()


class Names:
    """Collects the names of a vocabulary, and rejects contradictions between them."""

    def __init__(self) -> None:
        self._names: dict[str, VocabularyName] = {}
        self._lines: dict[str, int] = {}
        self._owners: dict[str, tuple[str, int]] = {}
        """The name with an alias and the name's line in the file, by the key of the alias."""

    def add(self, name: str, type_: str, aliases: Iterable[str], line: int) -> None:
        """Add a name. Invisible characters are removed, and aliases with the same key as the name are ignored.

        Raises ValueError if the name or an alias is invalid, or contradicts an earlier line.
        """
        name, type_ = printable(name).strip(), type_.strip()
        key = _key(name, "the name")
        if type_ and type_ not in TYPES:
            raise ValueError(f"{type_!r:.40} is not a type; the types are {', '.join(TYPES)}")
        if key in self._lines:
            raise ValueError(f"{name!r} is already on line {self._lines[key]}")
        if key in self._owners:
            owner, at = self._owners[key]
            raise ValueError(f"{name!r} is an alias of {owner!r} on line {at}")
        others: dict[str, str] = {}
        for alias in filter(None, (printable(each).strip() for each in aliases)):
            other = _key(alias, "an alias")
            if other in self._lines:
                raise ValueError(f"the alias {alias!r} is a name on line {self._lines[other]}")
            if other in self._owners:
                owner, at = self._owners[other]
                raise ValueError(f"the alias {alias!r} is also an alias of {owner!r} on line {at}")
            if other != key:
                others.setdefault(other, alias)
        self._lines[key] = line
        self._owners |= dict.fromkeys(others, (name, line))
        self._names[key] = VocabularyName(name, type_, tuple(others.values()))

    def by_key(self) -> dict[str, VocabularyName]:
        """Return the names by their key, in the order of the file."""
        return self._names


def read_vocabulary(path: Path) -> dict[str, VocabularyName]:
    """Return the names in a vocabulary file by their key; {} if the file is empty."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return _read(file, str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise BrokenSource(
            f"cannot be read: {error}", source=str(path), remedy=f"A vocabulary is {_FORM}, in UTF-8."
        ) from error


def _read(file: TextIO, source: str) -> dict[str, VocabularyName]:
    names = Names()
    line = 0

    def lines() -> Iterator[str]:
        nonlocal line
        for text in file:
            line += 1
            if line > _MOST_VOCABULARY_LINES:
                raise ValueError(f"the file has more than {_MOST_VOCABULARY_LINES:,} lines")
            yield text

    read = lines()
    try:
        first = next((text for text in read if text.strip()), None)
        if first is None:
            return {}
        rest = itertools.chain([first], read)
        records = _json_lines(rest) if first.lstrip().startswith("{") else _csv_rows(rest)
        for name, type_, aliases in records:
            names.add(name, type_, aliases, line)
    except UnicodeDecodeError:
        raise
    except (ValueError, csv.Error) as error:
        raise BrokenSource(
            str(error),
            source=source,
            line=line,
            remedy=f"Correct this line and load the file again. A vocabulary is {_FORM}.",
        ) from error
    return names.by_key()


def _csv_rows(lines: Iterable[str]) -> Iterator[tuple[str, str, list[str]]]:
    rows = csv.reader(lines, strict=True)
    header = [field.strip() for field in next(rows)]
    if header != FIELDS:
        raise ValueError(f"the header must be {','.join(FIELDS)!r}, got {','.join(header)!r:.80}")
    for row in rows:
        if not any(field.strip() for field in row):
            if len(row) > 1:
                raise ValueError("the name is empty")
            continue
        if len(row) > len(FIELDS):
            raise ValueError(f"there are {len(row)} fields instead of {len(FIELDS)}; put names with commas in quotes")
        name, type_, aliases = [*row, "", ""][: len(FIELDS)]
        yield name, type_, aliases.split(_BETWEEN_ALIASES)


def _json_lines(lines: Iterable[str]) -> Iterator[tuple[str, str, list[str]]]:
    for text in lines:
        if not text.strip():
            continue
        record = parse_json(text)
        if not isinstance(record, dict):
            raise ValueError(f"{text.strip()!r:.40} is not a JSON object")  # not a TypeError, because the file is wrong
        fields = cast("dict[str, Any]", record)
        if unknown := sorted(fields.keys() - set(FIELDS)):
            raise ValueError(f"{unknown[0]!r:.40} is not a key of a vocabulary")
        aliases = fields.get("aliases") or []
        if isinstance(aliases, str):
            aliases = aliases.split(_BETWEEN_ALIASES)
        if not isinstance(aliases, list):
            raise ValueError("the aliases must be a list or a string")
        yield (
            _text(fields.get("name") or "", "name"),
            _text(fields.get("type") or "", "type"),
            [_text(alias, "alias") for alias in cast("list[object]", aliases)],
        )


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"the {what} {value!r:.40} must be a string")
    if not is_well_formed(value):
        raise ValueError(f"the {what} {value!r:.40} contains half of a character (a lone surrogate)")
    return value


def _key(name: str, what: str) -> str:
    if not name:
        raise ValueError(f"{what} is empty")
    if len(name) > _LONGEST_VOCABULARY_NAME_CHARACTERS:
        raise ValueError(
            f"{what} {name[:20]!r}… has {len(name):,} characters; the limit is {_LONGEST_VOCABULARY_NAME_CHARACTERS}"
        )
    key = entity_key(name)
    if not key:
        raise ValueError(f"{what} {name!r} has no word except an article")
    return key
