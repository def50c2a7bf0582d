"""Semantic–structural entropy: the bits that describe the edges, and those that describe the texts."""

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
    """order[start[a] : stop[a]] are the vertices below node a; a child's span lies in its parent's.

    Attributes:
        order: shape (n,), vertices.
        start: shape (nodes,).
        stop: shape (nodes,).
    """

    order: Ints
    start: Ints
    stop: Ints

    @classmethod
    def of(cls, tree: EncodingTree) -> Spans:
        """The spans of a tree, children in descending order of their numbers."""
        start = _starts(tree.parents, tree.sizes)
        order = np.empty(tree.leaves, dtype=np.int64)
        order[start[: tree.leaves]] = np.arange(tree.leaves)
        return cls(order, start, start + tree.sizes)

    def slice(self, node: int) -> slice:
        """The positions of a node's vertices in the order."""
        return slice(int(self.start[node]), int(self.stop[node]))

    def members(self, node: int) -> Ints:
        """The vertices of a node, in the order."""
        return self.order[self.slice(node)]


@kernel
def _starts(parents: Ints, sizes: Ints) -> Ints:
    """(nodes,), (nodes,) -> (nodes,): where each node's vertices begin; a parent's number is above its children's."""
    starts = np.zeros(len(parents), dtype=np.int64)
    free = np.zeros(len(parents), dtype=np.int64)
    for node in range(len(parents) - 2, -1, -1):
        starts[node] = free[parents[node]]
        free[node] = starts[node]
        free[parents[node]] += sizes[node]
    return starts


def loops_below(graph: Graph, tree: EncodingTree) -> Floats:
    """Shape (nodes,): the weight of the loops of each node's vertices."""
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
    """S² = H(T) + λ · H_sem(T) of a whole tree, in bits, from scratch; λ is `weight`.

    H_sem is the mean over vertices v, and over v's groups a, of −log2 p₋ᵥ(z_v | a). The groups of v are its internal
    ancestors below the root, a set that occurs twice counted once. An ancestor that holds only v is replaced by the
    nearest larger one; if all do, the root counts. So more levels cost nothing by themselves, being alone is never
    rewarded, and a pass-through node changes nothing.

    Args:
        graph: n vertices.
        tree: over these vertices.
        vectors: shape (n, d), or the density made of them: the same one for all trees that are compared.
        weight: λ ≥ 0; 0.0 is the structural entropy.

    Raises:
        GraphError: numbers of vertices differ, the vectors are invalid, or the weight is negative.

    Source: T-Retriever Eq. 4 and 5; the weighting is ours: the paper's sum makes one-against-all splits optimal.
    """
    check_weight(weight)
    density = density_for(graph, vectors)
    return structural_entropy(graph, tree) + (weight * semantic_entropy(tree, density) if weight > 0.0 else 0.0)


def semantic_entropy(tree: EncodingTree, density: Density) -> float:
    """H_sem of a tree, in bits: the mean over vertices and over their groups of −log2 p₋ᵥ; 0.0 below two vertices."""
    if tree.leaves < 2:
        return 0.0
    return float(vertex_surprise(tree, density)[2].mean())


def node_semantic_entropy(tree: EncodingTree, density: Density) -> Floats:
    """Shape (nodes,), bits: H_sem(a), the mean surprise of a node's vertices among each other.

    For a node of one vertex, a leaf too, its surprise in the nearest ancestor of two or more.

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
    """In the order of `Spans.of(tree)`, each of shape (n,): the surprise of each vertex summed over its groups below
    the root; the number of these groups; and its mean, or its surprise in the root if it has no groups."""
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
    """How many of the sets whose density counts are so large that it is estimated."""
    counts = counts_as_group(tree)
    large = int((tree.sizes[counts] > density.exact_members).sum())
    grouped = counts[tree.parents[: tree.leaves]] | (tree.parents[: tree.leaves] != tree.root)
    return large + int(tree.leaves > density.exact_members and not grouped.all())


def group_nodes(tree: EncodingTree) -> Iterator[int]:
    """The nodes that count in H_sem, the top ones first: below the root, of two or more vertices, each set once."""
    counts = counts_as_group(tree)
    for node in range(tree.root - 1, tree.leaves - 1, -1):
        if counts[node]:
            yield node


def counts_as_group(tree: EncodingTree) -> Flags:
    """Shape (nodes,): below the root, of two or more vertices, and not the set of a parent that counts."""
    above = tree.parents[:-1]
    repeats = (tree.sizes[:-1] == tree.sizes[above]) & (above != tree.root)
    return np.append((tree.sizes[:-1] > 1) & ~repeats, False)


def density_for(graph: Graph, vectors: Density | ArrayLike, *, seed: int = 0) -> Density:
    """The density itself, or that of the vectors; refused unless it has as many vertices as the graph."""
    density = vectors if isinstance(vectors, Density) else Density.from_vectors(vectors, seed=seed)
    if density.vertices != graph.vertices:
        raise GraphError(f"there are {density.vertices} rows of vectors, and the graph has {graph.vertices} vertices")
    return density


def check_weight(weight: float) -> None:
    """Refuse a λ that is negative, infinite or not a number."""
    if not 0.0 <= weight < math.inf:
        raise GraphError(f"the weight of the texts is {weight}; expected a finite number ≥ 0")
