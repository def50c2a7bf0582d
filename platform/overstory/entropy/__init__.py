"""Encoding trees: hierarchies over a graph that need the fewest bits to say where its edges lead.

Pure functions on arrays; nothing here knows Neo4j, text or models.
"""

from __future__ import annotations

from overstory.entropy.consolidation import community_vectors, structural_weights
from overstory.entropy.encode import encode
from overstory.entropy.encoding_tree import EncodingTree, flat_entropy, structural_entropy
from overstory.entropy.graph import Graph
from overstory.entropy.update import Updated, update

__all__ = [
    "EncodingTree",
    "Graph",
    "Updated",
    "community_vectors",
    "encode",
    "flat_entropy",
    "structural_entropy",
    "structural_weights",
    "update",
]
