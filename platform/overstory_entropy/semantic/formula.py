"""Semantic–structural entropy: the bits that describe the edges plus the bits that describe the texts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from overstory_entropy.compile import Flags, Floats, Ints, kernel
from overstory_entropy.encoding_tree import EncodingTree, structural_entropy
from overstory_entropy.errors import GraphError
from overstory_entropy.graph import Graph
from overstory_entropy.semantic.density import Density


@dataclass(frozen=True, eq=False)
class Spans:
    """The vertices in an order in which those below each node are adjacent: order[start[a] : stop[a]] for node a.

    Attributes:
        order: Shape (n,), vertices.
        start: Shape (nodes,).
        stop: Shape (nodes,).
    """

    order: Ints
    start: Ints
    stop: Ints

    @classmethod
    def of(cls, tree: EncodingTree) -> Spans:
        """Return the spans of a tree, children in descending order of their numbers."""
        start = _starts(tree.parents, tree.sizes)
        order = np.empty(tree.leaves, dtype=np.int64)
        order[start[: tree.leaves]] = np.arange(tree.leaves)
        return cls(order, start, start + tree.sizes)

    def slice(self, node: int) -> slice:
        """Return the positions of a node's vertices in the order."""
        return slice(int(self.start[node]), int(self.stop[node]))

    def members(self, node: int) -> Ints:
        """Return the vertices of a node, in the order."""
        return self.order[self.slice(node)]


@kernel
def _starts(parents: Ints, sizes: Ints) -> Ints:
    starts = np.zeros(len(parents), dtype=np.int64)
    free = np.zeros(len(parents), dtype=np.int64)
    for node in range(len(parents) - 2, -1, -1):
        starts[node] = free[parents[node]]
        free[node] = starts[node]
        free[parents[node]] += sizes[node]
    return starts


def loops_below(graph: Graph, tree: EncodingTree) -> Floats:
    """Return the weight of the loops of each node's vertices, shape (nodes,)."""
    loops = np.zeros(len(tree))
    loops[: tree.leaves] = graph.loops
    _add_to_parents(tree.parents.copy(), loops)
    return loops


@kernel
def _add_to_parents(parents: Ints, values: Floats) -> None:
    for node in range(len(parents) - 1):
        values[parents[node]] += values[node]


def semantic_structural_entropy(
    graph: Graph, tree: EncodingTree, vectors: Density | ArrayLike, *, weight: float = 1.0
) -> float:
    """Return S² = H(T) + λ · H_sem(T) of a whole tree, in bits, computed from scratch; λ is `weight`.

    H_sem is the mean, over vertices v and over the groups a of v, of −log2 p₋ᵥ(z_v | a). The groups of v are its
    internal ancestors below the root, and equal sets count once. An ancestor that contains only v is replaced by the
    nearest larger one; if there is none, by the root. So more levels cost nothing by themselves, single-vertex groups
    are never rewarded, and a pass-through node changes nothing.

    Args:
        vectors: Shape (n, d), or a `Density` made from the vectors. Use the same one for all trees that are compared.
        weight: λ ≥ 0; 0.0 gives the structural entropy.

    Raises:
        GraphError: The numbers of vertices differ, the vectors are invalid, or the weight is negative.

    Source: T-Retriever Eq. 4 and 5. The weighting differs from the paper, whose sum makes one-against-all splits
    optimal.
    """
    check_weight(weight)
    density = density_for(graph, vectors)
    return structural_entropy(graph, tree) + (weight * semantic_entropy(tree, density) if weight > 0.0 else 0.0)


def semantic_entropy(tree: EncodingTree, density: Density) -> float:
    """Return H_sem of a tree in bits, the mean of −log2 p₋ᵥ over vertices and their groups; 0.0 below two vertices."""
    if tree.leaves < 2:
        return 0.0
    return float(vertex_surprise(tree, density)[2].mean())


def node_semantic_entropy(tree: EncodingTree, density: Density) -> Floats:
    """Return H_sem(a) of each node in bits, the mean surprise of its vertices among each other. Shape (nodes,).

    For a node of one vertex, including a leaf, it is the vertex's surprise in the nearest larger ancestor.

    Source: T-Retriever Eq. 4.
    """
    means = np.zeros(len(tree))
    own = np.zeros(tree.leaves)
    spans = Spans.of(tree)
    for node in range(tree.root, tree.leaves - 1, -1):
        if tree.sizes[node] > 1:
            repeats = node != tree.root and tree.sizes[tree.parents[node]] == tree.sizes[node]
            if not repeats:
                own[spans.slice(node)] = density.surprise(spans.members(node))
            means[node] = own[spans.slice(node)].mean()
    alone = np.flatnonzero(tree.sizes == 1)
    means[alone] = own[spans.start[alone]]
    return means


def vertex_surprise(tree: EncodingTree, density: Density) -> tuple[Floats, Ints, Floats]:
    """Return the surprise of each vertex over its groups, in the order of `Spans.of(tree)`; each array has shape (n,).

    Returns:
        The sum over its groups below the root, the number of these groups, and the mean. A vertex without groups has
            its surprise in the root as mean.
    """
    spans = Spans.of(tree)
    total, groups = np.zeros(tree.leaves), np.zeros(tree.leaves, dtype=np.int64)
    for node in group_nodes(tree):
        total[spans.slice(node)] += density.surprise(spans.members(node))
        groups[spans.slice(node)] += 1
    mean = total / np.maximum(groups, 1)
    ungrouped = np.flatnonzero(groups == 0)
    mean[ungrouped] = density.surprise(spans.order, spans.order[ungrouped])
    return total, groups, mean


def estimated_groups(tree: EncodingTree, density: Density) -> int:
    """Return how many groups are so large that their density is estimated."""
    counts = counts_as_group(tree)
    large = int((tree.sizes[counts] > density.exact_members).sum())
    grouped = counts[tree.parents[: tree.leaves]] | (tree.parents[: tree.leaves] != tree.root)
    return large + int(tree.leaves > density.exact_members and not grouped.all())


def group_nodes(tree: EncodingTree) -> Iterator[int]:
    """Yield the nodes that count in H_sem, topmost first: below the root, two or more vertices, each set once."""
    counts = counts_as_group(tree)
    for node in range(tree.root - 1, tree.leaves - 1, -1):
        if counts[node]:
            yield node


def counts_as_group(tree: EncodingTree) -> Flags:
    """Return True for nodes below the root with two or more vertices that do not repeat their parent's group."""
    above = tree.parents[:-1]
    repeats = (tree.sizes[:-1] == tree.sizes[above]) & (above != tree.root)
    return np.append((tree.sizes[:-1] > 1) & ~repeats, False)


def density_for(graph: Graph, vectors: Density | ArrayLike, *, seed: int = 0) -> Density:
    """Return the density, made from vectors if necessary; raise `GraphError` if its number of vertices differs."""
    density = vectors if isinstance(vectors, Density) else Density.from_vectors(vectors, seed=seed)
    if density.vertices != graph.vertices:
        raise GraphError(f"there are {density.vertices} rows of vectors, but the graph has {graph.vertices} vertices")
    return density


def check_weight(weight: float) -> None:
    """Raise `GraphError` if λ is negative, infinite or not a number."""
    if not 0.0 <= weight < math.inf:
        raise GraphError(f"the weight of the texts is {weight}; expected a finite number ≥ 0")
