"""Computes the structural weight of each vertex in its communities, and community vectors with these weights.

The weight of a vertex v in a community β, and the vector of β, are:

    W(v|β) = −Σ_a g(a)/vol(β) · log2(vol(a)/vol(parent(a)))
    h_β = normalise(Σ_v W(v|β) · h_v / Σ_v W(v|β))

The first sum runs over the nodes a from the leaf v up to, but not including, β. g(a) is the cut of a node, vol(a) is
its volume, and h_v is the vector of the vertex v.

Source: SeRAG Eq. 8 and 9.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from overstory_entropy.compile import Floats, Ints, kernel
from overstory_entropy.encoding_tree import EncodingTree
from overstory_entropy.errors import GraphError

Vectors = NDArray[np.float32]
"""Array of vectors, with one row per vertex or node."""

WORKING_BYTES = 2**28
"""Memory in bytes for one block of columns. For 100,000 communities, 384 columns are processed in three blocks."""


def structural_weights(tree: EncodingTree, node: int) -> Floats:
    """Return the structural weight W(v|β) of each vertex v in a node β (SeRAG Eq. 8), in the order of `tree.members`.

    All weights are ≥ 0. A weight is 0.0 if the vertex has no edges, if β is the leaf of the vertex, or if no node on
    the path from the vertex to β has a sibling.

    Raises:
        GraphError: The tree does not contain the node.
    """
    members = tree.members(node)
    if tree.volume[node] == 0.0:
        return np.zeros(len(members))
    below = _sums_below(tree.parents.copy(), tree.node_entropy.copy(), node)
    weights: Floats = below[members] * (tree.volume[tree.root] / tree.volume[node])
    return weights


def community_vectors(tree: EncodingTree, vectors: ArrayLike) -> Vectors:
    """Return the vector h_β of every node β (SeRAG Eq. 9) as float32[nodes, d], normalised to unit length.

    The vector of a leaf is the vertex's own vector, normalised. If all weights in a community are 0, its vector is the
    unweighted mean of its members' vectors, normalised. If the vectors cancel out, the result is the zero vector.

    One pass from the leaves to the root suffices: let t(c) be the entropy term of the node c, and S(c) the sum of the
    vectors of its vertices. Then Σ_v W(v|β) · h_v is proportional to A(β), the sum of A(c) + t(c) · S(c) over the
    children c of β.

    Args:
        tree: Tree with n leaves.
        vectors: Shape (n, d). Vectors of the vertices, which must be finite. They are not normalised before they are
            averaged.

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
    """Return, for each node below `node`, the sum of `terms` on the path from it up to `node`, without `node` itself.

    For all other nodes, the sum is 0.
    """
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
    """Return the weighted mean of the vertices' vectors for each internal node, as an array with one row per node.

    The weights are the structural weights of the vertices. If they are all 0, the mean is unweighted.

    Args:
        terms: Shape (nodes,). Entropy term of each node.
        vectors: Shape (n, columns). Some columns of the vertices' vectors.
    """
    leaves, width = vectors.shape
    weighted, plain = np.zeros((len(parents) - leaves, width)), np.zeros((len(parents) - leaves, width))
    weight = np.zeros(len(parents))
    for node in range(len(parents) - 1):
        above, inner = parents[node] - leaves, node - leaves
        weight[parents[node]] += weight[node] + terms[node] * sizes[node]
        for column in range(width):  # operations on entire rows would take two more seconds to compile
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
