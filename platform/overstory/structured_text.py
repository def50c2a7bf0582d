"""JSON, TOML and YAML from users, parsed within bounds: each text gives a value or a `ValueError`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import yaml

MOST_NESTED_LEVELS = 100
"""Levels of lists and mappings in YAML, TOML and files of JSON, and parts of a dotted key in TOML. PyYAML's C composer
recurses until the stack overflows; tomllib's memory grows with the square of the parts."""
MOST_YAML_VALUES = 10_000
"""Values of a YAML text, with those that its aliases repeat."""
_LONGEST_STRUCTURED_TEXT = 65_536
"""Characters of a YAML or TOML text, such as front matter: both parsers need hundreds of bytes for some characters."""

_NOT_KEYS = re.compile(r'"""(?s:.*?)"""|\'\'\'(?s:.*?)\'\'\'|"(?:[^"\\\n]|\\.)*+"|\'[^\'\n]*+\'|#[^\n]*+')
_LONG_KEY = re.compile(rf"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){{{MOST_NESTED_LEVELS}}}")


class BeyondBounds(ValueError):
    """A text is too long or nested too deeply to be parsed."""


def parse_json(text: str | bytes, **options: Any) -> Any:  # as json.loads
    """Parse JSON.

    Raises:
        BeyondBounds: it is nested too deeply.
        ValueError: it is not JSON, or has a number of more than 4,300 digits.
    """
    try:
        return json.loads(text, **options)
    except RecursionError as error:
        raise BeyondBounds("it is nested too deeply") from error


def parse_toml(text: str) -> dict[str, Any]:  # as tomllib.loads
    """Parse TOML.

    Raises:
        BeyondBounds: it is too long, is nested too deeply, or has a key of too many parts.
        ValueError: it is not TOML.
    """
    import tomllib

    _check_length(text)
    if _LONG_KEY.search(_NOT_KEYS.sub("k", text)):
        raise BeyondBounds(f"it has a key of more than {MOST_NESTED_LEVELS} parts")
    try:
        values = tomllib.loads(text)
    except RecursionError as error:
        raise BeyondBounds("it is nested too deeply") from error
    check_depth(values)  # dotted keys in nested tables multiply
    return values


def compose_yaml(text: str, *, most_values: int = MOST_YAML_VALUES) -> tuple[yaml.Node | None, int]:
    """Parse YAML to a tree of nodes; return it with the number of its values. None if the text has no value.

    Raises:
        BeyondBounds: it is nested too deeply or has too many values; both count what aliases repeat.
        ValueError: it is not YAML.
    """
    import yaml

    _check_length(text)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # C where PyYAML was built with libyaml
    try:
        _check_events(yaml.parse(text, Loader=loader), most_values)
        root = yaml.compose(text, Loader=loader)
    except yaml.YAMLError as error:
        raise ValueError(f"it is not YAML: {error}") from error
    return root, _count_values(root, most_values)


def check_depth(value: object) -> None:
    """Check the depth of dictionaries and lists before code that recurses reads them. It takes twice as long as `json`.

    Raises:
        BeyondBounds: it is nested too deeply.
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


def _check_events(
    events: Any, most_values: int
) -> None:  # an iterable of yaml.Event, some types of which have no stubs
    """Check depth and number before the composer recurses."""
    import yaml

    depth = values = 0
    for event in events:
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.NodeEvent):
            depth += isinstance(event, yaml.CollectionStartEvent)
            values += 1
            _check_bounds(depth, values, 2 * most_values)  # keys are events, too


def _count_values(root: yaml.Node | None, most_values: int) -> int:
    """The values of a tree in which an alias is a node that has several parents, or is its own ancestor."""
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
