"""The public names of `overstory_entropy.semantic`, for programs that import them from here."""

from __future__ import annotations

from overstory_entropy.semantic import (
    Capped,
    Density,
    PartitionStep,
    SemanticTree,
    distinct,
    encode_semantic,
    node_semantic_entropy,
    partition,
    prune,
    prune_node,
    regulate,
    semantic_entropy,
    semantic_structural_entropy,
)

__all__ = [
    "Capped",
    "Density",
    "PartitionStep",
    "SemanticTree",
    "distinct",
    "encode_semantic",
    "node_semantic_entropy",
    "partition",
    "prune",
    "prune_node",
    "regulate",
    "semantic_entropy",
    "semantic_structural_entropy",
]
