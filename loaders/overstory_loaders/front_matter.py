"""Front matter: the block of metadata at the beginning of many Markdown files."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from overstory.model import date_of

_YAML_OPENS = re.compile(r"---[ \t]*\n")
_YAML_CLOSES = re.compile(r"^(?:---|\.\.\.)[ \t]*$\n?", re.MULTILINE)
_TOML_FENCE = re.compile(r"^\+\+\+[ \t]*$\n?", re.MULTILINE)
_KEY = re.compile(r"([A-Za-z_][\w-]*(?: [\w-]+)*)[ \t]*:(?:[ \t]+(.*))?$")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)$")
_COMMENT = re.compile(r"(?:^|[ \t])#.*$")
_WORDS: Mapping[str, bool | None] = {"true": True, "false": False, "null": None, "~": None, "": None}

Scalar = str | int | float | bool | datetime | None


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The values of the block, and the text below it."""

    text: str
    values: Mapping[str, object] = field(default_factory=dict)


def split_front_matter(text: str) -> FrontMatter:
    """Split a text with "\\n" line ends from its front matter: YAML between `---`, or TOML between `+++`.

    Of YAML only the usual subset is supported: scalars (dates too), lists of scalars, and multi-line strings. Deeper
    nesting is ignored; a text that merely begins with a horizontal rule is not split.
    """
    opening = _YAML_OPENS.match(text)
    closing = _YAML_CLOSES.search(text, opening.end()) if opening else None
    if opening and closing and _begins_with_key(block := text[opening.end() : closing.start()]):
        return FrontMatter(text[closing.end() :], dict(_yaml_values(block)))
    opening = _TOML_FENCE.match(text)
    closing = _TOML_FENCE.search(text, opening.end()) if opening else None
    if opening and closing:
        try:
            return FrontMatter(text[closing.end() :], tomllib.loads(text[opening.end() : closing.start()]))
        except tomllib.TOMLDecodeError:
            return FrontMatter(text)
    return FrontMatter(text)


def _begins_with_key(block: str) -> bool:
    lines = (line for line in block.splitlines() if line.strip() and not line.startswith("#"))
    return _KEY.match(next(lines, "")) is not None


def _yaml_values(block: str) -> Iterator[tuple[str, object]]:
    for name, head, below in _yaml_entries(block):
        if head[:1] in ("|", ">"):
            yield name, _folded([line.strip() for line in below], "\n" if head[0] == "|" else " ")
        elif head or not below:
            yield name, _value(head)
        elif (items := [_ITEM.match(line) for line in below if line.strip()]) and all(items):
            yield name, [_scalar(item.group(1)) for item in items if item]


def _yaml_entries(block: str) -> Iterator[tuple[str, str, list[str]]]:
    """Each top-level key, with the rest of its line and the lines that belong to it."""
    entry: tuple[str, str, list[str]] | None = None
    for line in block.splitlines():
        if found := _KEY.match(line):
            if entry:
                yield entry
            entry = (found.group(1), (found.group(2) or "").strip(), [])
        elif entry and not line.startswith("#"):
            entry[2].append(line)
    if entry:
        yield entry


def _value(text: str) -> Scalar | list[Scalar]:
    bare = text if text[:1] in ("'", '"') else _COMMENT.sub("", text).strip()
    if bare.startswith("[") and bare.endswith("]"):
        return [_scalar(item) for item in bare[1:-1].split(",") if item.strip()]
    return _scalar(bare)


def _scalar(text: str) -> Scalar:
    """Converts to numbers only without loss: "007" and "1.10" stay texts. A date in quotes is a text."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if str(number) == text:
            return number
    return date_of(text) or text


def _folded(lines: list[str], joint: str) -> str:
    return joint.join(lines).strip()
