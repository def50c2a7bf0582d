"""What an encoding of edges and texts returns: a tree, its entropies, and what was estimated."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from overstory_entropy.compile import Floats
from overstory_entropy.encoding_tree import EncodingTree
from overstory_entropy.graph import Graph
from overstory_entropy.semantic.density import Density
from overstory_entropy.semantic.formula import (
    estimated_groups,
    node_semantic_entropy,
    semantic_structural_entropy,
)
from overstory_entropy.semantic.partition import Capped
from overstory_entropy.semantic.selection import without_pass_throughs

Kept = Literal["partition", "partition of communities", "structure"]
PARTITION: Kept = "partition"
PARTITION_OF_COMMUNITIES: Kept = "partition of communities"
STRUCTURE: Kept = "structure"


class SemanticTree(EncodingTree):
    """An encoding tree with the semantic entropy of each node. Entropies are computed when they are asked for.

    Attributes:
        kept: where it is from: PARTITION from the root down, PARTITION inside the communities of the structural engine,
            or the structural engine's tree.
    """

    def __init__(
        self, tree: EncodingTree, edges: Graph, density: Density, weight: float, capped: Capped, kept: Kept
    ) -> None:
        """Made by `encode_semantic`."""
        super().__init__(tree.parents, tree.leaves, tree.volume, tree.cut)
        self._edges, self._density, self._weight = edges, density, weight
        self._capped = capped
        self.kept: Kept = kept

    @cached_property
    def semantic_entropy(self) -> Floats:
        """Shape (nodes,), bits: H_sem of each node, low if its texts are similar. They do not add up to the total.

        For a node of one vertex, the surprise of that vertex in the nearest ancestor of two or more.
        """
        return node_semantic_entropy(self, self._density)

    @cached_property
    def total(self) -> float:
        """The minimised semantic–structural entropy S², in bits; without structure, that of the texts alone.

        Exact if `estimated` is 0.
        """
        counted = EncodingTree.from_parents(self._edges, self.parents)
        return semantic_structural_entropy(self._edges, counted, self._density, weight=self._weight)

    @cached_property
    def estimated(self) -> int:
        """How many groups, the root counted where it is a vertex' only group, have a density that is estimated."""
        return estimated_groups(self, self._density) if self._weight > 0.0 else 0

    @property
    def capped(self) -> Capped:
        """Counts of the shortcuts taken."""
        return self._capped

    def distinct(self) -> EncodingTree:
        """The tree without pass-through nodes: each set of vertices occurs once."""
        return distinct(self._edges, self)


def distinct(graph: Graph, tree: EncodingTree) -> EncodingTree:
    """The same tree without nodes that have a single child, so that each set of vertices occurs once.

    Neither entropy changes. Node i of the result is a set of one vertex if i < n; the others have two or more; the last
    is the root. A leaf may be at any depth.

    Args:
        graph: the vertices of the tree.
        tree: such as `encode_semantic` returns.
    """
    return without_pass_throughs(graph, tree)
