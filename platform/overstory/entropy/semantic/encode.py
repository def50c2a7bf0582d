"""The tree of a textual attributed graph: PARTITION down to the smallest groups, the best of them kept, REGULATE."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from overstory.entropy.compile import Floats
from overstory.entropy.encode import encode
from overstory.entropy.encoding_tree import EncodingTree
from overstory.entropy.graph import Graph
from overstory.entropy.semantic.blocks import Arrangement
from overstory.entropy.semantic.density import Density
from overstory.entropy.semantic.formula import (
    check_weight,
    density_for,
    node_semantic_entropy,
    semantic_structural_entropy,
)
from overstory.entropy.semantic.partition import KERNEL_ENTRIES, Capped, Divider, partition_all
from overstory.entropy.semantic.prune import prune
from overstory.entropy.semantic.regulate import regulate
from overstory.entropy.semantic.remembered import RememberedDensity
from overstory.entropy.semantic.selection import best_selection, without_pass_throughs
from overstory.errors import GraphError


class SemanticTree(EncodingTree):
    """An encoding tree with the semantic entropy of each node."""

    def __init__(self, tree: EncodingTree, semantic_entropy: Floats, total: float, capped: Capped) -> None:
        """Made by `encode_semantic`."""
        super().__init__(tree.parents, tree.leaves, tree.volume, tree.cut)
        self._semantic_entropy, self._total, self._capped = semantic_entropy, total, capped

    @property
    def semantic_entropy(self) -> Floats:
        """Shape (nodes,), bits: H_sem of each node, low if its texts are similar. They do not add up to the total.

        For a node of one vertex, the surprise of that vertex in the nearest ancestor of two or more.
        """
        return self._semantic_entropy

    @property
    def total(self) -> float:
        """The minimised semantic–structural entropy S², in bits; without structure, that of the texts alone."""
        return self._total

    @property
    def capped(self) -> Capped:
        """Counts of the shortcuts taken."""
        return self._capped


def encode_semantic(
    graph: Graph,
    vectors: Density | ArrayLike,
    *,
    height: int = 4,
    weight: float = 1.0,
    structure: bool = True,
    seed: int = 0,
    kernel_entries: int = KERNEL_ENTRIES,
) -> SemanticTree:
    """An encoding tree of low semantic–structural entropy, every leaf at depth `height`.

    Three high trees are built: PARTITION from the root down; PARTITION inside the communities of the structural engine;
    the structural engine's tree of this height. In each, `best_selection` chooses the nodes to keep and PRUNE removes
    those that still raise the entropy; REGULATE levels the best of the three. With λ = 0 the result is therefore never
    worse than the structural engine's.

    A node of more than √`kernel_entries` vertices (4,096) is divided by moving blocks: neighbours in the structural
    tree, and within its groups in text, as many as keep the kernels between blocks and vertices within 128 MiB. No
    larger array is held, except the vectors.

    Args:
        graph: n vertices.
        vectors: shape (n, d), finite: the vector of each vertex' text; or the density made of them.
        height: ≥ 1, of the tree; height − 1 levels of groups.
        weight: λ ≥ 0, the weight of a bit of the texts; 0.0 ignores them.
        structure: whether the edges count.
        seed: the same seed, the same tree.
        kernel_entries: the largest matrix of kernels.

    Raises:
        GraphError: inconsistent or invalid arguments. Names the first bad row of the vectors.

    Source: T-Retriever, Adaptive Compression Encoding; for density and weighting see `Density` and
    `semantic_structural_entropy`.
    """
    check_weight(weight)
    if height < 1:
        raise GraphError(f"the height is {height}, and a tree needs 1 or more")
    density = RememberedDensity.of(density_for(graph, vectors, seed=seed))
    edges = graph if structure else Graph.from_edges(graph.vertices, np.empty((0, 2), dtype=np.int64))
    divider = Divider(edges, density, weight, np.random.default_rng(seed), kernel_entries=kernel_entries)
    best, total = EncodingTree.from_labels(edges), np.inf
    for high in _high_trees(divider, height, seed):
        low = best_selection(edges, high, density, height, weight)
        low = prune(edges, low, density, height=height, weight=weight, gaining=True).tree
        bits = semantic_structural_entropy(edges, low, density, weight=weight)
        if bits < total:
            best, total = low, bits
    regulated = regulate(graph, best, height)
    return SemanticTree(regulated, node_semantic_entropy(regulated, density), float(total), divider.capped)


def _high_trees(divider: Divider, height: int, seed: int) -> Iterator[EncodingTree]:
    """Trees of any height, from which a low one is chosen."""
    graph = divider.graph
    if graph.edges == 0 or height == 1:
        yield partition_all(divider)
        return
    communities = _structural_tree(graph, 1, seed)
    divider.arrangement = Arrangement.of(divider.density.points, communities)
    yield partition_all(divider)
    yield partition_all(divider, communities)
    yield _structural_tree(graph, height - 1, seed)


def _structural_tree(graph: Graph, levels: int, seed: int) -> EncodingTree:
    """The structural engine's tree, without pass-through nodes."""
    return without_pass_throughs(graph, encode(graph, levels=levels, seed=seed))
