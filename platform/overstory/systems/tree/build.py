"""Encoding trees over the units of a corpus: encoded, and converted for storage."""

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
    """(n, d) -> cosines to the mean of the vectors, (n,); 0.0 for a zero vector, and where the mean is zero."""
    exact = vectors.astype(np.float64)
    return cosines_to(exact, exact.mean(axis=0))


def cosines_to(vectors: Floats, centre: Floats) -> Floats:
    """(n, d), (d,) -> (n,), in steps of 2⁻²⁰."""
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(centre)
    cosines = np.divide(vectors @ centre, lengths, out=np.zeros(len(vectors)), where=lengths > 0.0)
    rounded: Floats = np.rint(cosines * COSINE_STEPS) / COSINE_STEPS
    return rounded


def nearest_first(cosines: Floats) -> Ints:
    """The places, the one of the largest cosine first; of equal ones the lower place."""
    return np.argsort(-cosines, kind="stable")


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
        leaf_properties: of the leaves, as `kind.leaf_properties` names them; empty where it names none.
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
    """The encoding tree of a graph with `levels` of communities between the root and the leaves."""
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
    """The nodes of a tree over these units, with vectors of the communities: means of their units' by structural weight
    (SeRAG, Eq. 8 and 9).

    A community is named after its first unit, so that it keeps its id while its other units come and go.

    Args:
        units: n ids of chunks, entities or documents, ascending.
        vectors: float32[n, d], of the units.
        corpus: the label.
        properties: of communities, by node, as `kind.properties` names them; those that are left out are null.
        leaf_properties: of the leaves, in their order.
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
