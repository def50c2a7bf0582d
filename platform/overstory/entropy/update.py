"""Incremental update of an encoding tree after a change of its graph."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from overstory.entropy.binarised import GONE, binarised
from overstory.entropy.binary_tree import children_of, in_order, without_idle_nodes
from overstory.entropy.compile import Flags, Ints
from overstory.entropy.encoding_tree import EncodingTree
from overstory.entropy.graph import Graph, checked_ends
from overstory.entropy.graph_changes import changed
from overstory.entropy.problem import Problem, nested_labels, place, vertices_as_nodes
from overstory.entropy.refine import numbered
from overstory.entropy.regraft import regrafted
from overstory.entropy.relocate import relocate
from overstory.errors import GraphError

ROUNDS = 2
"""For a tree without a level limit: each touched vertex is moved twice, because the first round moves the others."""


class Updated(NamedTuple):
    """The graph after a change, and its tree."""

    graph: Graph
    tree: EncodingTree


def update(
    graph: Graph,
    tree: EncodingTree,
    *,
    levels: int | None,
    add: int = 0,
    edges: ArrayLike = (),
    weights: ArrayLike | None = None,
    remove: ArrayLike = (),
) -> Updated:
    """Change a graph and update its tree around the change, instead of running `encode` from scratch.

    New vertices are placed where they cost least. Then they, the ends of changed edges and the neighbours of removed
    vertices are moved while a move gains, and so are the neighbours of whatever moves. The rest of the tree stays, so
    that after many updates `encode` may find a lower entropy; docs/entropy.md has figures.

    Args:
        graph: n vertices; unchanged.
        tree: over them; unchanged.
        levels: the levels that the tree was made with.
        add: how many vertices to add; they are n … n+add−1.
        edges: shape (k, 2), pairs whose weight is set, each once.
        weights: shape (k,), finite and ≥ 0, the new weights; 0 removes an edge. Without it, 1.
        remove: vertices to remove with their edges. Later vertices move up, so that numbers stay consecutive and in
            order.

    Raises:
        GraphError: the tree is not over this graph or has other levels; invalid edges or weights, as for
            `Graph.from_edges`; a pair set twice; a vertex to remove that is not in the graph or occurs in `edges`.
    """
    _check_tree(graph, tree, levels)
    after = changed(graph, add=add, edges=edges, weights=weights, remove=remove)
    touched = _touched(graph, graph.vertices + add, edges, remove)
    kept = np.ones(graph.vertices + add, dtype=np.bool_)
    kept[np.asarray(remove, dtype=np.int64)] = False
    if after.edges == 0 or levels == 0:
        return Updated(after, EncodingTree.from_labels(after, *[np.arange(after.vertices)] * (levels or 0)))
    problem = vertices_as_nodes(after)
    waiting = np.flatnonzero(touched[kept])
    if levels is None:
        parents = _updated_without_limit(problem, _binary_after(tree, add, kept), waiting)
        return Updated(after, EncodingTree.from_parents(after, parents))
    return Updated(
        after, EncodingTree.from_labels(after, *_updated(problem, _labels_after(tree, levels, add, kept), waiting))
    )


def _check_tree(graph: Graph, tree: EncodingTree, levels: int | None) -> None:
    if tree.leaves != graph.vertices:
        raise GraphError(f"the tree has {tree.leaves} leaves, and the graph has {graph.vertices} vertices")
    if levels is not None and (tree.depths[: tree.leaves] != levels + 1).any():
        raise GraphError(
            f"the tree does not have {levels} community levels above every vertex",
            remedy="Give the levels that it was made with, None for a tree without a limit.",
        )


def _touched(graph: Graph, vertices: int, edges: ArrayLike, remove: ArrayLike) -> Flags:
    """(vertices,): new vertices, ends of the edges that are set, and neighbours of removed vertices."""
    touched = np.zeros(vertices, dtype=np.bool_)
    touched[graph.vertices :] = True
    touched[checked_ends(vertices, edges)] = True
    for vertex in np.asarray(remove, dtype=np.int64):
        touched[graph.neighbours[graph.indptr[vertex] : graph.indptr[vertex + 1]]] = True
    return touched


def _labels_after(tree: EncodingTree, levels: int, add: int, kept: Flags) -> Ints:
    """(levels, n) labels of the vertices after the change, each new one in communities of its own."""
    new = len(tree) + np.arange(add)
    nested = [np.concatenate([tree.labels(level), new])[kept] for level in range(1, levels + 1)]
    return np.stack([numbered(labels)[0] for labels in nested])


def _updated(problem: Problem, nested: Ints, waiting: Ints) -> Ints:
    levels = place(problem, nested)
    relocate(problem, levels, len(nested), waiting)
    return nested_labels(levels, len(nested))


def _binary_after(tree: EncodingTree, add: int, kept: Flags) -> Ints:
    """Parents of a binary tree over the vertices after the change, the new ones in arbitrary places."""
    number = np.where(kept, np.cumsum(kept) - 1, GONE)[: tree.leaves]
    return binarised(tree.parents.copy(), number, add)


def _updated_without_limit(problem: Problem, parents: Ints, waiting: Ints) -> Ints:
    tree = in_order(*children_of(parents), len(parents) - 1)
    for _ in range(ROUNDS):
        tree, _, _ = regrafted(problem, tree, waiting)
    return without_idle_nodes(problem, tree.parents)
