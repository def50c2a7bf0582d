"""Front matter: the block of metadata at the beginning of many Markdown files."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

import yaml

from overstory.model import date_of
from overstory.model.metadata import number_of

MOST_FRONT_MATTER_VALUES = 10_000
"""Values of a block of YAML, those that aliases repeat included; one with more is no front matter."""

_YAML_OPENS = re.compile(r"---[ \t]*\n")
_YAML_CLOSES = re.compile(r"^(?:---|\.\.\.)[ \t]*$\n?", re.MULTILINE)
_TOML_FENCE = re.compile(r"^\+\+\+[ \t]*$\n?", re.MULTILINE)
_KEY = re.compile(r"[^\s#:\-][^:\n]*:(?:\s|$)")
_ENTRY = re.compile(r"^(?=[^\s#\-])", re.MULTILINE)
_WORDS: Mapping[str, bool | None] = {"true": True, "false": False, "null": None, "~": None, "": None}
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # where PyYAML was built with libyaml

Scalar = str | int | float | bool | datetime | None


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The values of the block, and the text below it."""

    text: str
    values: Mapping[str, object] = field(default_factory=dict)


def split_front_matter(text: str) -> FrontMatter:
    """Split a text with "\\n" line ends from its front matter: YAML between `---`, or TOML between `+++`.

    An entry that is no YAML, such as `title: Rust: a guide`, is taken as text; a text that merely begins with a
    horizontal rule is not split.
    """
    opening = _YAML_OPENS.match(text)
    closing = _YAML_CLOSES.search(text, opening.end()) if opening else None
    if opening and closing and (values := _yaml(text[opening.end() : closing.start()])) is not None:
        return FrontMatter(text[closing.end() :], values)
    opening = _TOML_FENCE.match(text)
    closing = _TOML_FENCE.search(text, opening.end()) if opening else None
    if opening and closing:
        try:
            return FrontMatter(text[closing.end() :], tomllib.loads(text[opening.end() : closing.start()]))
        except tomllib.TOMLDecodeError:
            return FrontMatter(text)
    return FrontMatter(text)


def _yaml(block: str) -> dict[str, object] | None:
    """The entries of a block; None if it has none."""
    lines = (line for line in block.splitlines() if line.strip() and not line.startswith("#"))
    if not _KEY.match(next(lines, "")):
        return None
    try:
        return _entries(block)
    except yaml.YAMLError:
        pass
    found: dict[str, object] = {}
    for entry in _ENTRY.split(block):
        try:
            found |= _entries(entry) or {}
        except yaml.YAMLError:
            key, colon, rest = entry.partition(":")
            if colon:
                found[key.strip()] = " ".join(rest.split())
    return found


def _entries(block: str) -> dict[str, object] | None:
    """The entries of YAML; None if it is no mapping, or has too many values.

    Raises:
        yaml.YAMLError: it is none.
    """
    node = yaml.compose(block, Loader=_LOADER)
    if not isinstance(node, yaml.MappingNode) or sum(1 for _ in _nodes(node)) > MOST_FRONT_MATTER_VALUES:
        return None
    return {str(key.value): _value(value) for key, value in node.value}


def _nodes(node: yaml.Node) -> Iterator[yaml.Node]:
    """A node and those below it, at most one more than are taken; an alias may lead back to a node above."""
    waiting = [node]
    for _ in range(MOST_FRONT_MATTER_VALUES + 1):
        if not waiting:
            return
        each = waiting.pop()
        yield each
        if isinstance(each, yaml.SequenceNode):
            waiting += each.value
        elif isinstance(each, yaml.MappingNode):
            waiting += [value for _, value in each.value]


def _value(node: yaml.Node) -> object:
    if isinstance(node, yaml.SequenceNode):
        return [_value(each) for each in node.value]
    if isinstance(node, yaml.MappingNode):
        return {str(key.value): _value(value) for key, value in node.value}
    plain = isinstance(node, yaml.ScalarNode) and node.style in (None, "")
    return _scalar(node.value) if plain else node.value.strip()


def _scalar(text: str) -> Scalar:
    """Converts to numbers only without loss: "007" and "1.10" stay texts. What is in quotes is a text."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    number = number_of(text)
    return number if number is not None else date_of(text) or text
