"""Safe parsing of untrusted JSON, TOML and YAML. A text that exceeds a limit or is invalid raises a `ValueError`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import yaml

MOST_NESTED_LEVELS = 100
"""Maximum number of nested levels in YAML, TOML and JSON, and maximum number of parts in a dotted TOML key.

Deeper YAML would overflow the stack of PyYAML's C code. For a dotted key, the memory that tomllib needs grows with the
square of the number of parts.
"""
MOST_YAML_VALUES = 10_000
"""Maximum number of values in a YAML text. A value that aliases repeat counts each time."""
_LONGEST_STRUCTURED_TEXT = 65_536
"""Maximum number of characters in a YAML or TOML text. For some characters, the parsers need hundreds of bytes."""

_NOT_KEYS = re.compile(r'"""(?s:.*?)"""|\'\'\'(?s:.*?)\'\'\'|"(?:[^"\\\n]|\\.)*+"|\'[^\'\n]*+\'|#[^\n]*+')
_LONG_KEY = re.compile(rf"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){{{MOST_NESTED_LEVELS}}}")


class BeyondBounds(ValueError):
    """A text is too long or too deeply nested to be parsed."""


def parse_json(text: str | bytes, **options: Any) -> Any:  # `json.loads` has the same return type
    """Parse JSON.

    Raises:
        BeyondBounds: the text is too deeply nested.
        ValueError: the text is not JSON, or contains a number of more than 4,300 digits.
    """
    try:
        return json.loads(text, **options)
    except RecursionError as error:
        raise BeyondBounds("it is nested too deeply") from error


def parse_toml(text: str) -> dict[str, Any]:  # `tomllib.loads` has the same return type
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
    check_depth(values)  # together, dotted keys and nested tables may have too many levels
    return values


def compose_yaml(text: str, *, most_values: int = MOST_YAML_VALUES) -> tuple[yaml.Node | None, int]:
    """Parse YAML to a tree of nodes. Return the root and the number of values; for an empty text, the root is None.

    Raises:
        BeyondBounds: the text is too long or too deeply nested, or contains too many values. A value that aliases
            repeat counts each time.
        ValueError: the text is not YAML.
    """
    import yaml

    _check_length(text)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # only PyYAML built with libyaml contains `CSafeLoader`
    try:
        _check_events(yaml.parse(text, Loader=loader), most_values)
        root = yaml.compose(text, Loader=loader)
    except yaml.YAMLError as error:
        raise ValueError(f"it is not YAML: {error}") from error
    return root, _count_values(root, most_values)


def check_depth(value: object) -> None:
    """Raise an error if a value is nested too deeply to be read recursively.

    Raises:
        BeyondBounds: the value contains too many nested dictionaries and lists.
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


def _check_events(events: Any, most_values: int) -> None:  # `yaml.Event` is not used, because its stubs are incomplete
    """Check the depth and the number of values before PyYAML composes the nodes recursively."""
    import yaml

    depth = values = 0
    for event in events:
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.NodeEvent):
            depth += isinstance(event, yaml.CollectionStartEvent)
            values += 1
            _check_bounds(depth, values, 2 * most_values)  # doubled, because keys are also counted here


def _count_values(root: yaml.Node | None, most_values: int) -> int:
    """An aliased node may have several parents, or even be its own ancestor."""
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
