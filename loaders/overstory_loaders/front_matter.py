"""Front matter: the block of metadata at the beginning of many Markdown files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import yaml

from overstory.model import date_of
from overstory.model.metadata import number_of
from overstory.structured_text import MOST_YAML_VALUES, BeyondBounds, compose_yaml, parse_toml

_YAML_OPENS = re.compile(r"---[ \t]*\n")
_YAML_CLOSES = re.compile(r"^(?:---|\.\.\.)[ \t]*$\n?", re.MULTILINE)
_TOML_FENCE = re.compile(r"^\+\+\+[ \t]*$\n?", re.MULTILINE)
_KEY = re.compile(r"[^\s#:\-][^:\n]*:(?:\s|$)")
_ENTRY = re.compile(r"^(?=[^\s#\-])", re.MULTILINE)
_WORDS: Mapping[str, bool | None] = {"true": True, "false": False, "null": None, "~": None, "": None}

Scalar = str | int | float | bool | datetime | None


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The values of the block, and the text below it."""

    text: str
    values: Mapping[str, object] = field(default_factory=dict)


def split_front_matter(text: str) -> FrontMatter:
    """Split a text with "\\n" line ends from its front matter: YAML between `---`, or TOML between `+++`.

    An entry that is not YAML, such as `title: Rust: a guide`, is taken as text. A text that merely begins with a
    horizontal rule is not split, nor is one whose front matter is too long, too deep or has too many values.
    """
    for opens, closes, parse in ((_YAML_OPENS, _YAML_CLOSES, _yaml), (_TOML_FENCE, _TOML_FENCE, parse_toml)):
        opening = opens.match(text)
        closing = closes.search(text, opening.end()) if opening else None
        if opening and closing:
            try:
                return FrontMatter(text[closing.end() :], parse(text[opening.end() : closing.start()]))
            except ValueError:
                return FrontMatter(text)
    return FrontMatter(text)


def _yaml(block: str) -> dict[str, object]:
    """The entries of a block.

    Raises:
        ValueError: it is not a mapping, has a key that is not a scalar, or is beyond the bounds of `compose_yaml`.
    """
    lines = (line for line in block.splitlines() if line.strip() and not line.startswith("#"))
    if not _KEY.match(next(lines, "")):
        raise ValueError("it does not begin with an entry")
    try:
        root, _ = compose_yaml(block)
    except BeyondBounds:
        raise
    except ValueError:
        return _separate_entries(block)
    if not isinstance(root, yaml.MappingNode):
        raise ValueError("it is not a mapping")
    return _entries(root)


def _separate_entries(block: str) -> dict[str, object]:
    """The entries of a block that is not YAML as a whole, each parsed for itself."""
    found: dict[str, object] = {}
    left = MOST_YAML_VALUES
    for entry in _ENTRY.split(block):
        try:
            root, values = compose_yaml(entry, most_values=left)
            found |= _entries(root) if isinstance(root, yaml.MappingNode) else {}
        except BeyondBounds:
            raise
        except ValueError:
            values = 1
            key, colon, rest = entry.partition(":")
            if colon:
                found[key.strip()] = " ".join(rest.split())
        left -= values
    return found


def _entries(node: yaml.MappingNode) -> dict[str, object]:
    if not all(isinstance(key, yaml.ScalarNode) for key, _ in node.value):
        raise ValueError("a key is a list or a mapping")
    return {str(key.value): _value(value) for key, value in node.value}


def _value(node: yaml.Node) -> object:
    if isinstance(node, yaml.SequenceNode):
        return [_value(each) for each in node.value]
    if isinstance(node, yaml.MappingNode):
        return _entries(node)
    plain = isinstance(node, yaml.ScalarNode) and node.style in (None, "")
    return _scalar(node.value) if plain else node.value.strip()


def _scalar(text: str) -> Scalar:
    """Converts to numbers only without loss: "007" and "1.10" stay texts. What is in quotes is a text."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    number = number_of(text)
    return number if number is not None else date_of(text) or text
