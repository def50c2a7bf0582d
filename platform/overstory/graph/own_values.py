"""Values that a statement of the user's own returns, as plain ones of Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast


def own_value(value: object) -> object:
    """A value as text, number, truth value, `datetime`, None, or a list or dict of these.

    Nodes and relationships are dicts of their properties, a path the list of its nodes and relationships, points and
    vectors lists of numbers; dates without a time, times without a date and durations are ISO 8601.
    """
    from neo4j import graph, spatial, time, vector

    match value:
        case time.DateTime():
            return value.to_native()
        case time.Date() | time.Time() | time.Duration():
            return value.iso_format()
        case spatial.Point():
            return list(cast("tuple[float, ...]", value))
        case vector.Vector():
            return value.to_native()
        case graph.Path():
            steps = zip(value.nodes[1:], value.relationships, strict=True)
            return [own_value(each) for each in (value.start_node, *(each for to, by in steps for each in (by, to)))]
        case graph.Node() | graph.Relationship():
            return {name: own_value(each) for name, each in sorted(value.items())}
        case Mapping():
            return {str(name): own_value(each) for name, each in cast("Mapping[object, object]", value).items()}
        case list() | tuple():
            return [own_value(each) for each in cast("list[object]", value)]
        case bytes() | bytearray():
            return value.hex()
        case _:
            return value
