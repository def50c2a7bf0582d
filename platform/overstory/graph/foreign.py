"""Reading graphs that other applications stored in Neo4j: nodes by label, and the relationships between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from overstory.graph.client import GraphClient


@dataclass(frozen=True, slots=True)
class ForeignNode:
    """A node of a graph that another application stored.

    Attributes:
        key: value of the key property; None if the node lacks this property.
        values: properties whose values are texts, numbers, booleans, or lists of these.
        codes: names of the properties whose values were converted to text, such as dates and points.
    """

    key: object
    labels: tuple[str, ...]
    values: Mapping[str, object]
    codes: frozenset[str]


@dataclass(frozen=True, slots=True)
class ForeignRelationship:
    """A relationship between two nodes of a graph that another application stored.

    Attributes:
        start: key of the start node.
        target: label by which the end node was found.
        end: key of the end node.
    """

    start: object
    target: str
    end: object
    type: str
    values: Mapping[str, object]


def foreign_nodes(graph: GraphClient, label: str, *, key: str, before: Sequence[str]) -> Iterator[ForeignNode]:
    """Yield the nodes that have `label` and no label in `before`, lazily. Overstory's own nodes are skipped."""
    for row in graph.stream("sources/nodes", node=label, before=list(before), key=key):
        values, codes = _plain_values(row["properties"])
        yield ForeignNode(_plain(row["key"]), tuple(row["labels"]), values, codes)


def foreign_relationships(
    graph: GraphClient, label: str, *, keys: Mapping[str, str], before: Sequence[str], types: Sequence[str]
) -> Iterator[ForeignRelationship]:
    """Yield the relationships from nodes with `label` to nodes with a label in `keys`, lazily.

    Args:
        keys: name of the key property for each label. For a node with several of these labels, the first one counts.
        before: labels that the start nodes must not have.
        types: types of the relationships; empty for all types.
    """
    for row in graph.stream(
        "sources/relationships",
        node=label,
        before=list(before),
        nodes=list(keys),
        key=keys[label],
        keys=dict(keys),
        types=list(types),
    ):
        values, _ = _plain_values(row["properties"])
        yield ForeignRelationship(_plain(row["start"]), row["target"], _plain(row["end"]), row["type"], values)


def foreign_labels(graph: GraphClient) -> list[str]:
    """Return the labels of the nodes that other applications stored, in alphabetical order."""
    return [row["label"] for row in graph.run("sources/labels", read=True)]


def foreign_keys(graph: GraphClient, label: str, *, of: int) -> list[str]:
    """Return the names of the properties that have a different value on every node with the label.

    Args:
        of: maximum number of nodes to compare.
    """
    return [row["name"] for row in graph.run("sources/keys", read=True, node=label, most=of)]


def _plain_values(properties: Mapping[str, object]) -> tuple[dict[str, object], frozenset[str]]:
    values = {name: _plain(value) for name, value in sorted(properties.items())}
    kept = {name: value for name, value in values.items() if value is not None}
    return kept, frozenset(name for name, value in kept.items() if value != properties[name])


def _plain(value: object) -> object:
    """Convert a property value to text, number, boolean or list; return None if that is not possible."""
    from neo4j import spatial, time

    if isinstance(value, spatial.Point):
        return f"point({', '.join(map(str, cast('tuple[float, ...]', value)))})"
    if isinstance(value, time.Date | time.Time | time.DateTime | time.Duration):
        return value.iso_format()
    if isinstance(value, list):
        parts = [_plain(each) for each in cast("list[object]", value)]
        return None if None in parts else parts
    return value if isinstance(value, str | bool | int | float) else None


def plain_value(value: object) -> object:
    """Convert a value from the driver to text, number, boolean, `datetime`, None, or a list or dict of these.

    - A node or relationship becomes a dict of its properties.
    - A path becomes a list of its nodes and relationships.
    - A point or vector becomes a list of numbers.
    - A date without a time, a time without a date, or a duration becomes ISO 8601 text.
    - Bytes become hexadecimal digits.
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
            return [plain_value(each) for each in (value.start_node, *(each for to, by in steps for each in (by, to)))]
        case graph.Node() | graph.Relationship():
            return {name: plain_value(each) for name, each in sorted(value.items())}
        case Mapping():
            return {str(name): plain_value(each) for name, each in cast("Mapping[object, object]", value).items()}
        case list() | tuple():
            return [plain_value(each) for each in cast("list[object]", value)]
        case bytes() | bytearray():
            return value.hex()
        case _:
            return value
