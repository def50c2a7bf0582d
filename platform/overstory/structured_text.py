"""Parsing of untrusted JSON, TOML and YAML within limits: every text gives a value or a `ValueError`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import yaml

MOST_NESTED_LEVELS = 100
"""Maximum nesting in YAML, TOML and JSON files, and maximum parts of a dotted TOML key.

Deeper YAML overflows the stack of PyYAML's C composer, and tomllib's memory grows with the square of the parts.
"""
MOST_YAML_VALUES = 10_000
"""Maximum number of values in a YAML text, including repetitions by aliases."""
_LONGEST_STRUCTURED_TEXT = 65_536
"""Maximum characters of a YAML or TOML text, because both parsers need hundreds of bytes for some characters."""

_NOT_KEYS = re.compile(r'"""(?s:.*?)"""|\'\'\'(?s:.*?)\'\'\'|"(?:[^"\\\n]|\\.)*+"|\'[^\'\n]*+\'|#[^\n]*+')
_LONG_KEY = re.compile(rf"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){{{MOST_NESTED_LEVELS}}}")


class BeyondBounds(ValueError):
    """A text is too long or too deeply nested to be parsed."""


def parse_json(text: str | bytes, **options: Any) -> Any:  # the return type of json.loads
    """Parse JSON.

    Raises:
        BeyondBounds: the text is too deeply nested.
        ValueError: the text is not JSON, or contains a number of more than 4,300 digits.
    """
    try:
        return json.loads(text, **options)
    except RecursionError as error:
        raise BeyondBounds("it is nested too deeply") from error


def parse_toml(text: str) -> dict[str, Any]:  # the return type of tomllib.loads
    """Parse TOML.

    Raises:
        BeyondBounds: the text is too long or too deeply nested, or a key has too many parts.
        ValueError: the text is not TOML.
    """
    import tomllib

    _check_length(text)
    if _LONG_KEY.search(_NOT_KEYS.sub("k", text)):
        raise BeyondBounds(f"it has a key of more than {MOST_NESTED_LEVELS} parts")
    try:
        values = tomllib.loads(text)
    except RecursionError as error:
        raise BeyondBounds("it is nested too deeply") from error
    check_depth(values)  # dotted keys within nested tables add levels
    return values


def compose_yaml(text: str, *, most_values: int = MOST_YAML_VALUES) -> tuple[yaml.Node | None, int]:
    """Parse YAML to a node tree; return the root and the number of values. The root is None for an empty text.

    Raises:
        BeyondBounds: the text is too deeply nested or has too many values, counting repetitions by aliases.
        ValueError: the text is not YAML.
    """
    import yaml

    _check_length(text)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C loader exists if PyYAML was built with libyaml
    try:
        _check_events(yaml.parse(text, Loader=loader), most_values)
        root = yaml.compose(text, Loader=loader)
    except yaml.YAMLError as error:
        raise ValueError(f"it is not YAML: {error}") from error
    return root, _count_values(root, most_values)


def check_depth(value: object) -> None:
    """Check the nesting of dictionaries and lists before recursive code reads them.

    Raises:
        BeyondBounds: the value is too deeply nested.
    """
    level = [value]
    for _ in range(MOST_NESTED_LEVELS + 1):
        inner = [each for each in level if isinstance(each, dict | list)]
        level = [part for each in inner for part in (each.values() if isinstance(each, dict) else each)]
    if level:
        raise BeyondBounds("it is nested too deeply")


def _check_length(text: str) -> None:
    if len(text) > _LONGEST_STRUCTURED_TEXT:
        raise BeyondBounds(f"it has more than {_LONGEST_STRUCTURED_TEXT:,} characters")


def _check_events(events: Any, most_values: int) -> None:  # events of type yaml.Event, whose stubs are incomplete
    """Check depth and number of values before the composer recurses."""
    import yaml

    depth = values = 0
    for event in events:
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.NodeEvent):
            depth += isinstance(event, yaml.CollectionStartEvent)
            values += 1
            _check_bounds(depth, values, 2 * most_values)  # keys are events as well


def _count_values(root: yaml.Node | None, most_values: int) -> int:
    """Count the values of a tree in which an aliased node has several parents or is its own ancestor."""
    import yaml

    waiting = [] if root is None else [(root, 0)]
    values = 0
    while waiting:
        node, depth = waiting.pop()
        values += 1
        _check_bounds(depth, values, most_values)
        if isinstance(node, yaml.SequenceNode):
            waiting += [(each, depth + 1) for each in node.value]
        elif isinstance(node, yaml.MappingNode):
            waiting += [(value, depth + 1) for _, value in node.value]
    return values


def _check_bounds(depth: int, values: int, most_values: int) -> None:
    if depth > MOST_NESTED_LEVELS:
        raise BeyondBounds("it is nested too deeply")
    if values > most_values:
        raise BeyondBounds(f"it has more than {most_values:,} values")
