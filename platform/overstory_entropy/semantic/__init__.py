"""Finds encoding trees for edges and texts together, with T-Retriever's operations PARTITION, PRUNE and REGULATE."""

from __future__ import annotations

from overstory_entropy.semantic.density import Density
from overstory_entropy.semantic.encode import SemanticTree, distinct, encode_semantic
from overstory_entropy.semantic.formula import node_semantic_entropy, semantic_entropy, semantic_structural_entropy
from overstory_entropy.semantic.partition import Capped, PartitionStep, partition
from overstory_entropy.semantic.prune import prune, prune_node, regulate

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
