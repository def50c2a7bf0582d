"""Encoding trees over the units of a corpus: encoded, updated where the graph changed, and converted for storage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from overstory.entropy import EncodingTree, Graph, community_vectors, encode, update
from overstory.entropy.compile import Floats, Ints
from overstory.graph.client import Row
from overstory.protocols import Vectors
from overstory.systems.tree.ids import tree_leaf_id, tree_node_id
from overstory.systems.tree.kinds import TreeKind
from overstory.systems.tree.stored import StoredTree
from overstory.vectors.packed import packed


@dataclass(frozen=True, slots=True)
class TreeNodes:
    """The nodes of a tree ready to be stored, leaves first, the root last.

    Attributes:
        corpus: the label.
        ids, parents: ids; "" is the parent of the root.
        levels, sizes, volumes, cuts: shape (nodes,).
        units: the ids of what the leaves stand for.
        vectors: of the communities, those after the leaves, packed.
        properties: of the communities, as `kind.properties` names them; empty where it names none.
    """

    kind: TreeKind
    corpus: str
    generation: int
    ids: list[str]
    parents: list[str]
    levels: list[int]
    sizes: list[int]
    volumes: Floats
    cuts: Floats
    units: list[str]
    vectors: list[bytes]
    properties: Sequence[Row] = ()


def make_tree(graph: Graph, levels: int) -> EncodingTree:
    """The encoding tree of a graph, with so many levels of communities between the root and the leaves."""
    return encode(graph, levels=levels)


def update_tree(graph: Graph, labels: Ints, touched: Ints) -> EncodingTree:
    """The tree of a changed graph, from the communities of the vertices that it had before.

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


def labels_before(stored: StoredTree, units: Sequence[str], levels: int) -> Ints:
    """Shape (levels, n): the stored communities of each unit, from the top; −1 for a unit without a leaf, and below the
    last community of a leaf that hangs higher than others."""
    number = {unit: place for place, unit in enumerate(units)}
    communities: dict[str, int] = {}
    labels = np.full((levels, len(units)), -1, dtype=np.int64)
    for node in stored.values():
        vertex = number.get(node.unit, -1)
        above = node.parent
        while vertex >= 0 and above in stored and stored[above].level > 0:
            labels[stored[above].level - 1, vertex] = communities.setdefault(above, len(communities))
            above = stored[above].parent
    return labels


def stored_form(
    tree: EncodingTree,
    units: list[str],
    vectors: Vectors,
    *,
    kind: TreeKind,
    corpus: str,
    generation: int,
    properties: Mapping[int, Row] | None = None,
) -> TreeNodes:
    """The nodes of a tree over these units, with vectors of the communities: means of their units' by structural weight
    (SeRAG, Eq. 8 and 9).

    A community is named after its first unit, so that it keeps its id while its other units come and go.

    Args:
        units: n ids of chunks, entities or documents, ascending.
        vectors: float32[n, d], of the units.
        corpus: the label.
        properties: of communities, by node, as `kind.properties` names them; those that are left out are null.
    """
    leaves = tree.leaves
    name = kind.name
    ids = [tree_leaf_id(corpus, name, generation, unit) for unit in units]
    first = _first_members(tree)
    depths = tree.depths.tolist()
    ids += [
        tree_node_id(corpus, name, generation, depths[node], units[first[node]] if leaves else "")
        for node in range(leaves, len(tree))
    ]
    parents = [ids[parent] for parent in tree.parents[:-1].tolist()]
    given: Mapping[int, Row] = properties or {}
    return TreeNodes(
        kind=kind,
        corpus=corpus,
        generation=generation,
        ids=ids,
        parents=[*parents, ""],
        levels=depths,
        sizes=tree.sizes.tolist(),
        volumes=tree.volume,
        cuts=tree.cut,
        units=units,
        vectors=packed(community_vectors(tree, vectors)[leaves:]),
        properties=[_named(kind, given.get(node, {})) for node in range(leaves, len(tree))] if kind.properties else (),
    )


def _named(kind: TreeKind, given: Row) -> dict[str, Any]:
    """The properties of one community, all that the kind names."""
    return {name: given.get(name) for name in kind.properties}


def _first_members(tree: EncodingTree) -> Ints:
    """Shape (nodes,): the lowest vertex below each node."""
    first = np.full(len(tree), tree.leaves, dtype=np.int64)
    vertices = np.arange(tree.leaves)
    first[:-1][: tree.leaves] = vertices
    for level in range(tree.height):
        np.minimum.at(first, tree.labels(level), vertices)
    return first
