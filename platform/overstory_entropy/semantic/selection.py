"""Choose the nodes of a high tree to keep in a low one, all at once."""

from __future__ import annotations

import numpy as np

from overstory_entropy.compile import Flags, Floats, Ints, kernel
from overstory_entropy.encoding_tree import EncodingTree
from overstory_entropy.graph import Graph
from overstory_entropy.semantic.density import Density
from overstory_entropy.semantic.formula import semantic_structural_entropy
from overstory_entropy.semantic.spans import Spans, loops_below


def best_selection(graph: Graph, tree: EncodingTree, density: Density, height: int, weight: float) -> EncodingTree:
    """The tree of nearly the least S² with at most this height, made of groups of a higher tree.

    PRUNE removes one node at a time and cannot go back; this compares all choices. A dynamic programme finds the best
    choice as if every vertex had `levels` groups, counting its lowest one again for missing levels; that is exact for
    one level, and always for the structural part. Of the choices for 1 … height − 1 levels the one with the least S² is
    returned. O(n · depth · height²) in addition to the densities.

    Args:
        graph: n vertices.
        tree: without pass-through nodes.
        density: of the same vertices.
        height: ≥ 1.
        weight: λ ≥ 0.
    """
    best = EncodingTree.from_labels(graph)
    least = semantic_structural_entropy(graph, best, density, weight=weight)
    programme = _Programme(graph, tree, density, weight)
    for levels in range(1, height):
        selected = programme.tree(levels)
        total = semantic_structural_entropy(graph, selected, density, weight=weight)
        if total < least:
            best, least = selected, total
    return best


def without_pass_throughs(graph: Graph, tree: EncodingTree) -> EncodingTree:
    """The same tree without internal nodes that have a single child."""
    children = np.bincount(tree.parents[:-1], minlength=len(tree))
    return _contracted(graph, tree, children > 1)


class _Programme:
    """The costs of keeping or dropping each node, for each ancestor that may be the nearest kept one."""

    def __init__(self, graph: Graph, tree: EncodingTree, density: Density, weight: float) -> None:
        self._graph, self._tree = graph, tree
        self._parents, self._depths = tree.parents.copy(), tree.depths.copy()
        rows = np.where(np.arange(len(tree)) < tree.leaves, 0, self._depths + 1)
        self._starts = np.cumsum(rows) - rows
        inside = tree.volume - tree.cut - 2.0 * loops_below(graph, tree)
        self._entering = _entering(self._parents, self._depths, self._starts, inside, tree.volume.copy(), tree.leaves)
        self._spent, self._flat = np.zeros(len(tree)), np.zeros(int(rows.sum()))
        if weight > 0.0:
            self._add_semantic(density, weight / max(graph.vertices, 1))

    def tree(self, levels: int) -> EncodingTree:
        """The best choice for this number of levels."""
        kept = _kept(
            self._parents,
            self._depths,
            self._starts,
            self._entering,
            self._spent,
            self._flat,
            levels,
            self._tree.leaves,
        )
        return _contracted(self._graph, self._tree, kept)

    def _add_semantic(self, density: Density, rate: float) -> None:
        """For each internal node, the bits of its vertices in it; and the bits of its own leaves in it and in each of
        its ancestors."""
        spans = Spans.of(self._tree)
        for node in range(self._tree.leaves, len(self._tree)):
            members = spans.members(node)
            bits = rate * density.surprise(members)
            self._spent[node] = bits.sum()
            np.add.at(self._flat, self._starts[self._parents[members]] + self._depths[node], bits)


@kernel
def _entering(parents: Ints, depths: Ints, starts: Ints, inside: Floats, volume: Floats, leaves: int) -> Floats:
    """The change of the structural entropy by each internal node, below each of its ancestors, the root first."""
    root = len(parents) - 1
    change = np.zeros(starts[root] + 1)
    for node in range(leaves, root):
        above = parents[node]
        for depth in range(depths[node] - 1, -1, -1):
            if inside[node] > 0.0:
                change[starts[node] + depth] = -inside[node] / volume[root] * np.log2(volume[above] / volume[node])
            above = parents[above]
    return change


@kernel
def _kept(
    parents: Ints, depths: Ints, starts: Ints, entering: Floats, spent: Floats, flat: Floats, levels: int, leaves: int
) -> Flags:
    """Shape (nodes,): whether each internal node is kept in the best choice.

    Whether a node would be kept depends on the depth of the nearest kept node above it, and on how many are above it.
    """
    root = len(parents) - 1
    costs = np.zeros((len(flat), levels + 1))
    for row in range(len(flat)):
        for level in range(levels + 1):
            costs[row, level] = flat[row] * ((levels - level) / levels)
    keeps = np.zeros((len(flat), levels + 1), dtype=np.bool_)
    for node in range(leaves, root):
        own = starts[node] + depths[node]
        for depth in range(depths[node]):
            row, above = starts[node] + depth, starts[parents[node]] + depth
            for level in range(levels + 1):
                cost = costs[row, level]
                if level < levels:
                    keep = costs[own, level + 1] + spent[node] / levels + entering[row]
                    if keep < cost:
                        keeps[row, level] = True
                        cost = keep
                costs[above, level] += cost
    kept = np.zeros(len(parents), dtype=np.bool_)
    nearest = np.zeros(len(parents), dtype=np.int64)
    number = np.zeros(len(parents), dtype=np.int64)
    for node in range(root - 1, leaves - 1, -1):
        parent = parents[node]
        nearest[node] = depths[parent] if kept[parent] else nearest[parent]
        number[node] = number[parent] + 1 if kept[parent] else number[parent]
        kept[node] = keeps[starts[node] + nearest[node], number[node]]
    return kept


def _contracted(graph: Graph, tree: EncodingTree, kept: Flags) -> EncodingTree:
    """The tree of the kept internal nodes, the root and the leaves."""
    stays = kept.copy()
    stays[: tree.leaves] = True
    stays[tree.root] = True
    nearest = _nearest(tree.parents.copy(), stays)
    number = np.cumsum(stays) - 1
    parents = np.append(number[nearest[:-1][stays[:-1]]], -1)
    return EncodingTree.from_parents(graph, parents)


@kernel
def _nearest(parents: Ints, stays: Flags) -> Ints:
    """(nodes,), (nodes,) -> (nodes,): the nearest ancestor that stays."""
    nearest = np.full(len(parents), -1, dtype=np.int64)
    for node in range(len(parents) - 2, -1, -1):
        above = parents[node]
        nearest[node] = above if stays[above] else nearest[above]
    return nearest
