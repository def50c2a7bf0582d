"""Trees as they are stored in the graph."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from overstory.graph import Corpus, GraphClient
from overstory.graph.statements import add_statements

add_statements(Path(__file__).parent / "cypher")


class StoredNode(NamedTuple):
    """A node of a stored tree.

    Attributes:
        parent: Id of the parent; "" for the root.
        unit: Id of the unit that a leaf stands for; "" for a community.
    """

    parent: str
    level: int
    unit: str


StoredTree = dict[str, StoredNode]
"""Nodes by id."""


def read_tree(graph: GraphClient, corpus: Corpus, name: str, generation: int) -> StoredTree:
    rows = graph.stream("benchmarks/tree_nodes", corpus.label, tree=name, generation=generation)
    return {row["id"]: StoredNode(row["parent"] or "", row["level"], row["unit"] or "") for row in rows}
