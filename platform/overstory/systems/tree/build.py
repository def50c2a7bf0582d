"""Encoding trees over the units of a corpus: built, and converted to their stored form."""

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
    """Return the cosine of each vector to the mean of all, (n, d) -> (n,); 0.0 for a zero vector or a zero mean."""
    exact = vectors.astype(np.float64)
    return cosines_to(exact, exact.mean(axis=0))


def cosines_to(vectors: Floats, centre: Floats) -> Floats:
    """Return the cosine of each vector to `centre`, (n, d), (d,) -> (n,), rounded to steps of 2⁻²⁰."""
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(centre)
    cosines = np.divide(vectors @ centre, lengths, out=np.zeros(len(vectors)), where=lengths > 0.0)
    rounded: Floats = np.rint(cosines * COSINE_STEPS) / COSINE_STEPS
    return rounded


def nearest_first(cosines: Floats) -> Ints:
    """Return positions by descending cosine; ties by ascending position."""
    return np.argsort(-cosines, kind="stable")


@dataclass(frozen=True, slots=True)
class TreeNodes:
    """The nodes of a tree ready to be stored, leaves first and the root last.

    Attributes:
        corpus: Corpus label.
        ids, parents: Node ids; the parent of the root is "".
        levels, sizes, volumes, cuts: Shape (nodes,).
        units: Ids of the units that the leaves stand for.
        vectors: Packed vectors of the communities.
        properties: Extra properties of the communities, named by `kind.properties`; empty if there are none.
        leaf_properties: Extra properties of the leaves, named by `kind.leaf_properties`; empty if there are none.
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
    """Return the encoding tree of a graph with `levels` community levels between the root and the leaves."""
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
    """Return the nodes of a tree over units, with a vector for each community.

    The vector of a community is the mean of its units' vectors, weighted by structural weight (SeRAG, Eq. 8 and 9). The
    id of a community is made from its first unit, so it stays the same while other units come and go.

    Args:
        units: Ids of n chunks, entities or documents, ascending.
        vectors: Vectors of the units, float32[n, d].
        corpus: Corpus label.
        properties: Extra properties of communities by node, named by `kind.properties`; missing ones are null.
        leaf_properties: Extra properties of the leaves, in order.
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
    """Return the lowest vertex below each node, shape (nodes,)."""
    first = np.full(len(tree), tree.leaves, dtype=np.int64)
    vertices = np.arange(tree.leaves)
    first[:-1][: tree.leaves] = vertices
    for level in range(tree.height):
        np.minimum.at(first, tree.labels(level), vertices)
    return first
