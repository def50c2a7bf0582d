"""Consolidation: structural weights of vertices in their communities, and community vectors weighted by them.

    W(v|β) = −Σ_a g(a)/vol(β) · log2(vol(a)/vol(parent(a)))
    h_β = normalise(Σ_v W(v|β) · h_v / Σ_v W(v|β))

The first sum is over the nodes a from the leaf v up to, but not including, the community β. g is the cut of a node, vol
its volume, and h_v the vector of a vertex.

Source: SeRAG Eq. 8 and 9.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from overstory_entropy.compile import Floats, Ints, kernel
from overstory_entropy.encoding_tree import EncodingTree
from overstory_entropy.errors import GraphError

Vectors = NDArray[np.float32]
"""Vectors with one row per vertex or node."""

WORKING_BYTES = 2**28
"""Memory for one block of columns. A tree of 100,000 communities with 384 columns takes three blocks."""


def structural_weights(tree: EncodingTree, node: int) -> Floats:
    """Return W(v|β) of SeRAG Eq. 8 for each member of node β, in the order of `tree.members(node)`; all ≥ 0.

    The weight is 0.0 for a vertex without edges, for a leaf in itself, and if no node on the path has a sibling.

    Raises:
        GraphError: The tree has no such node.
    """
    members = tree.members(node)
    if tree.volume[node] == 0.0:
        return np.zeros(len(members))
    below = _sums_below(tree.parents.copy(), tree.node_entropy.copy(), node)
    weights: Floats = below[members] * (tree.volume[tree.root] / tree.volume[node])
    return weights


def community_vectors(tree: EncodingTree, vectors: ArrayLike) -> Vectors:
    """Return the vector h_β of every node (SeRAG Eq. 9), shape (nodes, d), float32, unit length.

    A leaf has its own vector, normalised. If all weights in a community are 0, its vector is the plain mean of its
    members' vectors. If the vectors cancel out, the result is the zero vector.

    One pass from the leaves to the root suffices. With t(c) the entropy term of node c and S(c) the sum of its vectors,
    Σ_v W(v|β) · h_v is proportional to A(β) = Σ over β's children c of A(c) + t(c) · S(c). All terms are ≥ 0.

    Args:
        tree: Tree with n leaves.
        vectors: Shape (n, d), finite: vectors of the vertices, used without normalisation.

    Raises:
        GraphError: The shape or type is wrong, or a value is not finite. The message names the row.
    """
    rows = _checked_vectors(tree.leaves, vectors)
    parents, terms, sizes = tree.parents.copy(), tree.node_entropy.copy(), tree.sizes.copy()
    found = np.empty((len(tree), rows.shape[1]), dtype=np.float32)
    found[: tree.leaves] = rows
    width = max(1, WORKING_BYTES // (16 * (len(tree) - tree.leaves)))
    for start in range(0, rows.shape[1], width):
        block = np.ascontiguousarray(rows[:, start : start + width], dtype=np.float64)
        found[tree.leaves :, start : start + width] = _weighted_means(parents, terms, sizes, block)
    lengths = np.sqrt(np.einsum("nd,nd->n", found, found, dtype=np.float64))
    found /= np.where(lengths > 0.0, lengths, 1.0)[:, np.newaxis].astype(np.float32)
    return found


def _checked_vectors(leaves: int, vectors: ArrayLike) -> Vectors:
    given = np.asarray(vectors)
    if given.ndim != 2 or len(given) != leaves:
        raise GraphError(f"vectors have the shape {given.shape}; expected ({leaves}, d): one row per vertex")
    if given.dtype.kind not in "iuf":
        raise GraphError(f"vectors are of type {given.dtype}; expected numbers")
    with np.errstate(over="ignore"):
        rows = given.astype(np.float32, copy=False)
    finite = np.isfinite(rows).all(axis=1)
    if not finite.all():
        raise GraphError(f"row {int(np.argmin(finite))} of the vectors has a value that is not finite in float32")
    return rows


@kernel
def _sums_below(parents: Ints, terms: Floats, node: int) -> Floats:
    """Return the sum of `terms` on the path from each node up to, but excluding, `node`; 0 outside its subtree."""
    below = np.zeros(len(parents), dtype=np.bool_)
    below[node] = True
    sums = np.zeros(len(parents))
    for inner in range(node - 1, -1, -1):
        if below[parents[inner]]:
            below[inner] = True
            sums[inner] = sums[parents[inner]] + terms[inner]
    return sums


@kernel
def _weighted_means(parents: Ints, terms: Floats, sizes: Ints, vectors: Floats) -> Floats:
    """Return Σ W·h / Σ W for each internal node, or the plain mean if Σ W = 0. Shape (internal nodes, w)."""
    leaves, width = vectors.shape
    weighted, plain = np.zeros((len(parents) - leaves, width)), np.zeros((len(parents) - leaves, width))
    weight = np.zeros(len(parents))
    for node in range(len(parents) - 1):
        above, inner = parents[node] - leaves, node - leaves
        weight[parents[node]] += weight[node] + terms[node] * sizes[node]
        for column in range(width):  # whole-row operations would add two seconds of compilation
            total = plain[inner, column] if inner >= 0 else vectors[node, column]
            plain[above, column] += total
            weighted[above, column] += terms[node] * total
            if inner >= 0:
                weighted[above, column] += weighted[inner, column]
    for inner in range(len(weighted)):
        for column in range(width):
            if weight[inner + leaves] > 0.0:
                weighted[inner, column] /= weight[inner + leaves]
            else:
                weighted[inner, column] = plain[inner, column] / max(sizes[inner + leaves], 1)
    return weighted
