"""Encoding trees over edges and texts at once, as T-Retriever builds them: PARTITION, PRUNE, REGULATE."""

from __future__ import annotations

from overstory.entropy.semantic.density import Density
from overstory.entropy.semantic.encode import encode_semantic
from overstory.entropy.semantic.formula import node_semantic_entropy, semantic_entropy, semantic_structural_entropy
from overstory.entropy.semantic.partition import Capped, Step, partition
from overstory.entropy.semantic.prune import prune, prune_node
from overstory.entropy.semantic.regulate import regulate
from overstory.entropy.semantic.semantic_tree import SemanticTree, distinct

__all__ = [
    "Capped",
    "Density",
    "SemanticTree",
    "Step",
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
