"""Trees over the chunk graph: made, mended, and turned into the nodes that the graph stores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from overstory.entropy import EncodingTree, Graph, community_vectors, encode, update
from overstory.entropy.compile import Floats, Ints
from overstory.graph.ids import tree_leaf_id, tree_node_id
from overstory.protocols import Vectors
from overstory.vectors.packed import packed


@dataclass(frozen=True, slots=True)
class TreeNodes:
    """A tree as it is stored, a node a place, the root last.

    Attributes:
        ids, parents: ids; "" is the parent of the root.
        levels, sizes, volumes, cuts: shape (nodes,).
        chunks: the chunks of the leaves, which are the first nodes.
        vectors: of the communities, those after the leaves, packed.
    """

    ids: list[str]
    parents: list[str]
    levels: list[int]
    sizes: list[int]
    volumes: Floats
    cuts: Floats
    chunks: list[str]
    vectors: list[bytes]


def make_tree(graph: Graph, levels: int) -> EncodingTree:
    """The encoding tree of the chunk graph (SeRAG, Eq. 1 and 2)."""
    return encode(graph, levels=levels)


def mend_tree(graph: Graph, labels: Ints, touched: Ints) -> EncodingTree:
    """The tree of a changed graph, from the communities of the chunks that were there before.

    Args:
        graph: as it is now, n vertices.
        labels: shape (levels, n), the community of each vertex in the tree before, −1 for one that is new.
        touched: shape (k, 2), further edges that changed, of weight 0 if they are gone; their ends may move.
    """
    levels, n = labels.shape
    fresh = labels[0] < 0
    order = np.concatenate([np.flatnonzero(~fresh), np.flatnonzero(fresh)])
    number = np.empty(n, dtype=np.int64)
    number[order] = np.arange(n)
    stayed = int((~fresh).sum())
    sources = np.repeat(np.arange(n), np.diff(graph.indptr))
    once = sources < graph.neighbours
    ends = number[np.stack([sources[once], graph.neighbours[once]], axis=1)]
    weights = graph.weights[once]
    old = (ends < stayed).all(axis=1)
    before = Graph.from_edges(stayed, ends[old], weights[old])
    moved = number[touched] if len(touched) else np.zeros((0, 2), dtype=np.int64)
    again, again_weights = _those_of_the_old(moved, stayed, ends[old], weights[old])
    after = update(
        before,
        EncodingTree.from_labels(before, *labels[:, order[:stayed]]),
        levels=levels,
        add=n - stayed,
        edges=np.concatenate([ends[~old], again]),
        weights=np.concatenate([weights[~old], again_weights]),
    )
    return EncodingTree.from_labels(graph, *(after.tree.labels(level)[number] for level in range(1, levels + 1)))


def _those_of_the_old(touched: Ints, stayed: int, ends: Ints, weights: Floats) -> tuple[Ints, Floats]:
    """Touched edges between old vertices, each once, with the weights that they have now."""
    pairs = np.sort(touched, axis=1)
    keys = np.unique((pairs[:, 0] * stayed + pairs[:, 1])[(pairs < stayed).all(axis=1)])
    known = np.sort(ends, axis=1)
    known_keys = known[:, 0] * stayed + known[:, 1]
    order = np.argsort(known_keys)
    place = np.minimum(np.searchsorted(known_keys[order], keys), max(len(order) - 1, 0))
    found = np.zeros(len(keys))
    if len(order):
        same = known_keys[order][place] == keys
        found[same] = weights[order][place][same]
    return np.stack(np.divmod(keys, max(stayed, 1)), axis=1), found


def stored_form(
    tree: EncodingTree, chunks: list[str], vectors: Vectors, *, label: str, name: str, generation: int
) -> TreeNodes:
    """The nodes of a tree over these chunks, with the vectors of the communities (SeRAG, Eq. 8 and 9).

    A community is named after its first chunk, so that it keeps its id while its other chunks come and go.
    """
    leaves = tree.leaves
    ids = [tree_leaf_id(label, name, generation, chunk) for chunk in chunks]
    first = _first_members(tree)
    depths = tree.depths.tolist()
    ids += [
        tree_node_id(label, name, generation, depths[node], chunks[first[node]] if leaves else "")
        for node in range(leaves, len(tree))
    ]
    parents = [ids[parent] for parent in tree.parents[:-1].tolist()]
    return TreeNodes(
        ids=ids,
        parents=[*parents, ""],
        levels=depths,
        sizes=tree.sizes.tolist(),
        volumes=tree.volume,
        cuts=tree.cut,
        chunks=chunks,
        vectors=packed(community_vectors(tree, vectors)[leaves:]),
    )


def _first_members(tree: EncodingTree) -> Ints:
    """Shape (nodes,): the lowest vertex below each node."""
    first = np.full(len(tree), tree.leaves, dtype=np.int64)
    vertices = np.arange(tree.leaves)
    first[:-1][: tree.leaves] = vertices
    for level in range(tree.height):
        np.minimum.at(first, tree.labels(level), vertices)
    return first
