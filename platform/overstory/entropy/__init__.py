"""Encoding trees, under the name that `overstory_entropy` had before it became a package of its own.

The public names of `overstory_entropy`, for programs that import them from here.
"""

from __future__ import annotations

from overstory_entropy import (
    EncodingTree,
    Graph,
    GraphError,
    community_vectors,
    encode,
    flat_entropy,
    structural_entropy,
    structural_weights,
)

__all__ = [
    "EncodingTree",
    "Graph",
    "GraphError",
    "community_vectors",
    "encode",
    "flat_entropy",
    "structural_entropy",
    "structural_weights",
]
