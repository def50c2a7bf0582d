"""Builds encoding trees over the units of a corpus, and converts them to their stored form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from overstory.graph.client import Row
from overstory.protocols import Vectors
from overstory.systems.tree.kinds import TreeKind, tree_leaf_id, tree_node_id
from overstory.vectors.nearest import COSINE_STEPS
from overstory.vectors.packed import packed
from overstory_entropy import EncodingTree, Graph, community_vectors, encode
from overstory_entropy.compile import Floats, Ints


def to_mean(vectors: Vectors) -> Floats:
    """Return the cosine between each vector and the mean of all vectors; 0.0 if either is zero.

    Args:
        vectors: Shape (n, d). The result has the shape (n,).
    """
    exact = vectors.astype(np.float64)
    return cosines_to(exact, exact.mean(axis=0))


def cosines_to(vectors: Floats, centre: Floats) -> Floats:
    """Return the cosine between each vector and `centre`, rounded to a multiple of 1 / `COSINE_STEPS`.

    The cosine is 0.0 if either vector is zero.

    Args:
        vectors: Shape (n, d). The result has the shape (n,).
        centre: Shape (d,).
    """
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(centre)
    cosines = np.divide(vectors @ centre, lengths, out=np.zeros(len(vectors)), where=lengths > 0.0)
    rounded: Floats = np.rint(cosines * COSINE_STEPS) / COSINE_STEPS
    return rounded


def nearest_first(cosines: Floats) -> Ints:
    """Return the indices that sort the cosines from highest to lowest. Equal cosines keep their order."""
    return np.argsort(-cosines, kind="stable")


@dataclass(frozen=True, slots=True)
class TreeNodes:
    """The nodes of a tree in the form in which they are stored. The leaves come first and the root last.

    Attributes:
        corpus: Corpus label.
        parents: Id of each node's parent; "" for the root.
        levels: Level of each node; the root is level 0.
        sizes: Number of leaves below each node.
        volumes: Volume of each node, shape (nodes,).
        cuts: Weight of the edges that leave each node, shape (nodes,).
        units: Ids of the units that the leaves represent.
        vectors: Packed vectors of the communities, including the root.
        properties: Additional properties of the communities, as named by `kind.properties`; empty if there are none.
        leaf_properties: Additional properties of the leaves, as named by `kind.leaf_properties`; empty if there are
            none.
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
    leaf_properties: Sequence[Row] = ()


def make_tree(graph: Graph, levels: int) -> EncodingTree:
    """Return the encoding tree of a graph, with `levels` levels of communities between the root and the leaves."""
    return encode(graph, levels=levels)


def stored_form(
    tree: EncodingTree,
    units: list[str],
    vectors: Vectors,
    *,
    kind: TreeKind,
    corpus: str,
    generation: int,
    properties: Mapping[int, Row] | None = None,
    leaf_properties: Sequence[Row] = (),
) -> TreeNodes:
    """Convert an encoding tree to the nodes that are stored, and compute a vector for each community.

    The vector of a community is the mean of its units' vectors, weighted by structural weight (equations 8 and 9 of the
    SeRAG paper). The id of a community depends on its first unit only, so it does not change when other units join or
    leave.

    Args:
        units: Ids of the n chunks, entities or documents that the leaves represent, in ascending order.
        vectors: Vectors of the units, float32 array of shape (n, d).
        corpus: Corpus label.
        properties: Map from nodes to additional properties of communities, as named by `kind.properties`. Missing
            properties become null.
        leaf_properties: Additional properties of the leaves, in order.
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
        leaf_properties=leaf_properties,
    )


def _named(kind: TreeKind, given: Row) -> dict[str, Any]:
    return {name: given.get(name) for name in kind.properties}


def _first_members(tree: EncodingTree) -> Ints:
    """Return the lowest-numbered leaf below each node, shape (nodes,)."""
    first = np.full(len(tree), tree.leaves, dtype=np.int64)
    vertices = np.arange(tree.leaves)
    first[:-1][: tree.leaves] = vertices
    for level in range(tree.height):
        np.minimum.at(first, tree.labels(level), vertices)
    return first
