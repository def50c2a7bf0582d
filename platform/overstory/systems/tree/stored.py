"""A tree as stored in the graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from overstory.graph import Corpus, GraphClient
from overstory.graph.client import Row
from overstory.systems.tree.kinds import TreeKind


@dataclass(frozen=True, slots=True)
class StoredNode:
    """A node of a stored tree.

    Attributes:
        parent: its id; "" for the root.
        unit: the id of what a leaf stands for; "" for a community.
        vector: packed; empty for a leaf.
        properties: of a community, in the order of `TreeKind.properties`; empty for a leaf.
    """

    parent: str
    level: int
    size: int
    volume: float
    cut: float
    unit: str
    vector: bytes
    properties: tuple[Any, ...] = ()


StoredTree = dict[str, StoredNode]
"""Nodes by id."""


def read_tree(graph: GraphClient, corpus: Corpus, kind: TreeKind, generation: int) -> StoredTree:
    rows = graph.stream(
        "systems/tree/nodes", corpus.label, tree=kind.name, generation=generation, properties=list(kind.properties)
    )
    return {row["id"]: stored_node(row, properties=tuple(row["properties"]) if row["vector"] else ()) for row in rows}


def stored_node(row: Row, *, properties: tuple[Any, ...] = ()) -> StoredNode:
    """A row with parent, level, size, volume, cut, unit and vector, of which parent, unit and vector may be null."""
    return StoredNode(
        parent=row["parent"] or "",
        level=row["level"],
        size=row["size"],
        volume=row["volume"],
        cut=row["cut"],
        unit=row["unit"] or "",
        vector=row["vector"] or b"",
        properties=properties,
    )
