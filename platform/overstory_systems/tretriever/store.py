"""What the index stores beside the tree and its summaries: vectors of its nodes, digests, and edges between leaves."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from overstory.graph.client import Row
from overstory.graph.generations import slot_of
from overstory.graph.ids import derived_label
from overstory.protocols import Vectors
from overstory.systems.statements import ListedVectors, Statements
from overstory_systems.tretriever.names import NODE

Edge = tuple[str, str]
"""The ids of two leaves, the lower first."""


@dataclass(frozen=True, slots=True)
class NodeDigests:
    """What is stored of a node besides what every tree has.

    Attributes:
        source: a digest of the text whose vector the node has; "" where it has none.
        edges: of a leaf a digest of its edges; else "".
    """

    source: str
    edges: str


@dataclass(frozen=True, slots=True)
class StoredIndex:
    """The nodes of a generation by id, and the edges between leaves with weight and passages."""

    nodes: Mapping[str, NodeDigests] = field(default_factory=dict[str, NodeDigests])
    edges: Mapping[Edge, tuple[float, tuple[str, ...]]] = field(
        default_factory=dict[Edge, tuple[float, tuple[str, ...]]]
    )


@dataclass(frozen=True, slots=True)
class WantedNode:
    """A node as it should be stored.

    Attributes:
        source, edges: as `NodeDigests` has them.
        owner: the id of the node that is joined to the stored vector: itself, or its summary; "" for none.
        vector_id: of the stored vector; "" where vectors are not stored as those of derived texts.
    """

    id: str
    source: str
    edges: str = ""
    owner: str = ""
    vector_id: str = ""


@dataclass(slots=True)
class IndexChanges:
    """Rows of the statements that bring vectors, digests and edges up to date, after tree and summaries."""

    generation: int
    described: list[Row] = field(default_factory=list[Row])
    indexed: list[Row] = field(default_factory=list[Row])
    joined: list[Row] = field(default_factory=list[Row])
    unrelated: list[Row] = field(default_factory=list[Row])
    related: list[Row] = field(default_factory=list[Row])

    def __len__(self) -> int:
        return sum(map(len, (self.described, self.indexed, self.joined, self.unrelated, self.related)))

    def statements(self, label: str) -> Statements:
        """Each statement with its rows and what it takes besides."""
        slotted = derived_label(label, NODE, slot_of(self.generation))
        yield "systems/tretriever/describe_nodes", self.described, {}
        yield "systems/tretriever/index_nodes", ListedVectors(self.indexed), {"labels": [slotted]}
        yield "systems/tretriever/join_vectors", self.joined, {}
        yield "systems/store/unrelate", self.unrelated, {"type": "TRETRIEVER_EDGE"}
        yield "systems/tretriever/relate", self.related, {}


def index_changes(
    generation: int,
    nodes: Sequence[WantedNode],
    vectors: Mapping[str, Vectors],
    edges: Mapping[Edge, tuple[float, tuple[str, ...]]],
    stored: StoredIndex,
    new_summaries: Collection[str] = (),
) -> IndexChanges:
    """What differs from what is stored.

    Args:
        nodes: all but the root.
        vectors: float32[d] by the ids of nodes; a node that is left out has no vector, or keeps its own.
        new_summaries: ids of summaries that are written now.
    """
    changes = IndexChanges(generation)
    gone = stored.nodes.keys() - {node.id for node in nodes}
    for node in nodes:
        before = stored.nodes.get(node.id)
        if before != NodeDigests(node.source, node.edges):
            changes.described.append({"id": node.id, "properties": {"source": node.source, "edges": node.edges}})
        new = before is None or before.source != node.source
        if new and node.id in vectors:
            changes.indexed.append({"id": node.id, "vector": vectors[node.id]})
        if node.vector_id and (new or node.owner in new_summaries):
            changes.joined.append({"id": node.owner, "vector": node.vector_id})
    for (one, other), (weight, chunks) in edges.items():
        if stored.edges.get((one, other)) != (weight, chunks):
            changes.related.append({"source": one, "target": other, "weight": weight, "chunks": list(chunks)})
    changes.unrelated = [
        {"source": one, "target": other}
        for one, other in stored.edges
        if (one, other) not in edges and one not in gone and other not in gone
    ]
    return changes


def text_digest(text: str) -> str:
    """Recognises a text: 16 hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]
