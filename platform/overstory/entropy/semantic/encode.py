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
from overstory.entropy.semantic.selection import best_selection, without_pass_throughs
from overstory.errors import GraphError


class SemanticTree(EncodingTree):
    """An encoding tree that knows how alike the texts below each node are."""

    def __init__(self, tree: EncodingTree, semantic_entropy: Floats, total: float, capped: Capped) -> None:
        """A tree and what was found out about it; `encode_semantic` makes them."""
        super().__init__(tree.parents, tree.leaves, tree.volume, tree.cut)
        self._semantic_entropy, self._total, self._capped = semantic_entropy, total, capped

    @property
    def semantic_entropy(self) -> Floats:
        """Shape (nodes,), bits: H_sem of each node, low where its texts are alike. Not a share of the total.

        Of a node of one vertex, the surprise of that vertex in the nearest ancestor of two or more.
        """
        return self._semantic_entropy

    @property
    def total(self) -> float:
        """The semantic–structural entropy S² that was minimised, in bits; without structure, of the texts alone."""
        return self._total

    @property
    def capped(self) -> Capped:
        """Where the encoding was cut short, counted."""
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

    Three high trees are made: PARTITION from the root down; PARTITION inside the communities of the structural engine;
    the structural engine's tree of this height. Of each the nodes worth keeping are chosen (`best_selection`), PRUNE
    takes out what still raises the entropy, and REGULATE evens the tree that has the least. With λ = 0 it is therefore
    never worse than the structural engine's.

    More than √`kernel_entries` vertices (4,096) in one node are divided as blocks that move whole: neighbours in the
    structural tree, and within its groups by their texts, as many as keep the kernels between blocks and vertices
    within 128 MiB. No larger array than that and the vectors is held.

    Args:
        graph: n vertices.
        vectors: shape (n, d), finite: of the text of each vertex; or the density made of them.
        height: ≥ 1, of the tree; height − 1 levels of groups.
        weight: λ ≥ 0, what a bit of the texts counts; 0.0 leaves them out.
        structure: without it the edges are left out.
        seed: the same seed, the same tree.
        kernel_entries: the largest matrix of kernels.

    Raises:
        GraphError: arguments that do not fit together. Names the first bad row of the vectors.

    Source: T-Retriever, Adaptive Compression Encoding; density and weighting as `Density` and
    `semantic_structural_entropy` say.
    """
    check_weight(weight)
    if height < 1:
        raise GraphError(f"the height is {height}, and a tree needs 1 or more")
    density = density_for(graph, vectors, seed=seed)
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
