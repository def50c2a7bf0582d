"""Encoding trees: hierarchies that describe the edges of a graph in the fewest bits.

Pure functions on arrays, independent of Neo4j, text and models.
"""

from __future__ import annotations

from overstory.entropy.consolidation import community_vectors, structural_weights
from overstory.entropy.encode import encode
from overstory.entropy.encoding_tree import EncodingTree, flat_entropy, structural_entropy
from overstory.entropy.graph import Graph

__all__ = [
    "EncodingTree",
    "Graph",
    "community_vectors",
    "encode",
    "flat_entropy",
    "structural_entropy",
    "structural_weights",
]
