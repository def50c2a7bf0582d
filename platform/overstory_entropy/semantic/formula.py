"""Computes semantic–structural entropy: the bits that describe the edges plus the bits that describe the texts."""

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
    """An order of the vertices of a tree in which the vertices below each node are adjacent.

    The vertices below the node a are order[start[a] : stop[a]].

    Attributes:
        order: Shape (n,). All vertices.
        start: Shape (nodes,). Start of each node in the order.
        stop: Shape (nodes,). End of each node in the order.
    """

    order: Ints
    start: Ints
    stop: Ints

    @classmethod
    def of(cls, tree: EncodingTree) -> Spans:
        """Return the spans of a tree. Children with higher numbers come first."""
        start = _starts(tree.parents, tree.sizes)
        order = np.empty(tree.leaves, dtype=np.int64)
        order[start[: tree.leaves]] = np.arange(tree.leaves)
        return cls(order, start, start + tree.sizes)

    def slice(self, node: int) -> slice:
        """Return the slice of `order` that contains the vertices below a node."""
        return slice(int(self.start[node]), int(self.stop[node]))

    def members(self, node: int) -> Ints:
        """Return the vertices below a node, in the order of `order`."""
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
    """Return the total weight of the loops at the vertices below each node, shape (nodes,)."""
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
    """Return the semantic–structural entropy of a tree in bits: S² = H(T) + λ · H_sem(T).

    H(T) is the structural entropy, λ is `weight`, and H_sem(T) is the semantic entropy. The semantic entropy is the
    mean surprise of the vertices. The surprise of a vertex v is the mean of −log2 p₋ᵥ(z_v | a) over its groups a; see
    `Density`. The groups of v are its ancestors between the root and v that contain at least two vertices. Ancestors
    with the same vertices count only once. If v has no group, the root is used.

    With these definitions, additional levels cost nothing by themselves, groups of one vertex never help, and nodes
    with one child change nothing.

    Args:
        vectors: Shape (n, d). Vectors of the texts, or a `Density` made from them. Use the same vectors or density for
            all trees that you compare.
        weight: Weight λ of the texts, ≥ 0. With 0.0, the result is the structural entropy.

    Raises:
        GraphError: The numbers of vertices differ, the vectors are invalid, or the weight is negative.

    Source: T-Retriever Eq. 4 and 5. The paper uses a sum instead of means. With a sum, it would be optimal to split
    off one vertex at a time.
    """
    check_weight(weight)
    density = density_for(graph, vectors)
    return structural_entropy(graph, tree) + (weight * semantic_entropy(tree, density) if weight > 0.0 else 0.0)


def semantic_entropy(tree: EncodingTree, density: Density) -> float:
    """Return the semantic entropy of a tree in bits, as defined in `semantic_structural_entropy`.

    In a tree with fewer than two vertices, it is 0.0.
    """
    if tree.leaves < 2:
        return 0.0
    return float(vertex_surprise(tree, density)[2].mean())


def node_semantic_entropy(tree: EncodingTree, density: Density) -> Floats:
    """Return the semantic entropy of each node in bits, shape (nodes,). It is the mean surprise of the node's vertices.

    The semantic entropy of a node with one vertex, such as a leaf, is the vertex's surprise in the nearest ancestor
    with several vertices.

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
    """Return how surprising each vertex is in its groups, in the order of `Spans.of(tree)`.

    The groups are those that count in `semantic_structural_entropy`.

    Returns:
        The sum of the vertex's surprises in its groups, the number of its groups, and the mean surprise, each of shape
            (n,). The mean surprise of a vertex without groups is its surprise in the root.
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
    """Return the number of groups that are so large that their density is estimated.

    The root counts if some vertex is in no other group.
    """
    counts = counts_as_group(tree)
    large = int((tree.sizes[counts] > density.exact_members).sum())
    grouped = counts[tree.parents[: tree.leaves]] | (tree.parents[: tree.leaves] != tree.root)
    return large + int(tree.leaves > density.exact_members and not grouped.all())


def group_nodes(tree: EncodingTree) -> Iterator[int]:
    """Yield the nodes that count as groups in the semantic entropy, from the top of the tree downwards."""
    counts = counts_as_group(tree)
    for node in range(tree.root - 1, tree.leaves - 1, -1):
        if counts[node]:
            yield node


def counts_as_group(tree: EncodingTree) -> Flags:
    """Return, for each node, True if it counts as a group in the semantic entropy.

    Such a node is below the root, contains at least two vertices, and is not the only child of a group.
    """
    above = tree.parents[:-1]
    repeats = (tree.sizes[:-1] == tree.sizes[above]) & (above != tree.root)
    return np.append((tree.sizes[:-1] > 1) & ~repeats, False)


def density_for(graph: Graph, vectors: Density | ArrayLike, *, seed: int = 0) -> Density:
    """Return the given density, or make one from the given vectors.

    Raises:
        GraphError: The number of vertices differs from that of the graph, or the vectors are invalid.
    """
    density = vectors if isinstance(vectors, Density) else Density.from_vectors(vectors, seed=seed)
    if density.vertices != graph.vertices:
        raise GraphError(f"there are {density.vertices} rows of vectors, but the graph has {graph.vertices} vertices")
    return density


def check_weight(weight: float) -> None:
    """Raise `GraphError` if the weight of the texts is negative, infinite or not a number."""
    if not 0.0 <= weight < math.inf:
        raise GraphError(f"the weight of the texts is {weight}; expected a finite number ≥ 0")
