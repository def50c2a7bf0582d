"""Choose the nodes of a high tree to keep in a low one, all at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from overstory.entropy.compile import Flags, Floats, Ints
from overstory.entropy.encoding_tree import EncodingTree
from overstory.entropy.graph import Graph
from overstory.entropy.semantic.density import Density
from overstory.entropy.semantic.formula import semantic_structural_entropy
from overstory.entropy.semantic.spans import Spans


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
        self._rate = weight / max(graph.vertices, 1)
        self._chains = _chains(tree)
        loops = np.zeros(len(tree))
        loops[: tree.leaves] = graph.loops
        for node, parent in enumerate(tree.parents[:-1].tolist()):
            loops[parent] += loops[node]
        self._inside = tree.volume - tree.cut - 2.0 * loops
        self._spent, self._flat = self._semantic(density) if weight > 0.0 else ({}, {})

    def tree(self, levels: int) -> EncodingTree:
        """The best choice for this number of levels."""
        choices = self._choices(levels)
        kept = np.zeros(len(self._tree), dtype=np.bool_)
        waiting = [(child, 0, 0) for child in self._inner(self._tree.root)]
        while waiting:
            node, above, level = waiting.pop()
            kept[node] = choices[node][above, level]
            place = (int(self._tree.depths[node]), level + 1) if kept[node] else (above, level)
            waiting.extend((child, *place) for child in self._inner(node))
        return _contracted(self._graph, self._tree, kept)

    def _choices(self, levels: int) -> dict[int, Flags]:
        """For each internal node below the root: shape (depth, levels + 1), whether it is kept, by the depth of the
        nearest kept node above it and the number of kept nodes above it."""
        costs: dict[int, Floats] = {}
        choices: dict[int, Flags] = {}
        missing = (levels - np.arange(levels + 1)) / levels
        for node in range(self._tree.leaves, self._tree.root):
            depth = int(self._tree.depths[node])
            flat = np.outer(self._flat.get(node, np.zeros(depth + 1)), missing)
            below = sum((costs.pop(child) for child in self._inner(node)), start=flat)
            keep = np.full((depth, levels + 1), np.inf)
            keep[:, :-1] = below[depth, 1:] + self._spent.get(node, 0.0) / levels
            keep += self._entering(node, depth)[:, None]
            choices[node] = keep < below[:depth]
            costs[node] = np.minimum(keep, below[:depth])
        return choices

    def _entering(self, node: int, depth: int) -> Floats:
        """The gain in structural entropy by a node, below each of its ancestors."""
        inside, volume = self._inside[node], self._tree.volume
        if inside <= 0.0:
            return np.zeros(depth)
        gain: Floats = -inside / volume[-1] * np.log2(volume[self._chains[node][:depth]] / volume[node])
        return gain

    def _semantic(self, density: Density) -> tuple[dict[int, float], dict[int, Floats]]:
        """For each internal node, the bits of its vertices in it; and the bits of its own leaves in it and in each of
        its ancestors, shape (depth + 1,)."""
        tree, spans = self._tree, Spans.of(self._tree)
        own = {node: _own_leaves(tree, node) for node in range(tree.leaves, len(tree))}
        spent: dict[int, float] = {}
        flat = {node: np.zeros(int(tree.depths[node]) + 1) for node in own}
        bits = np.zeros(tree.leaves)
        for node in own:
            bits[spans.members(node)] = density.surprise(spans.members(node))
            spent[node] = self._rate * float(bits[spans.members(node)].sum())
            for below in _subtree(tree, node):
                flat[below][tree.depths[node]] = self._rate * float(bits[own[below]].sum())
        return spent, flat

    def _inner(self, node: int) -> list[int]:
        children = self._tree.children(node)
        inner: list[int] = children[children >= self._tree.leaves].tolist()
        return inner


def _chains(tree: EncodingTree) -> dict[int, Ints]:
    """For each internal node, the nodes from the root down to it."""
    chains = {tree.root: np.array([tree.root])}
    for node in range(tree.root - 1, tree.leaves - 1, -1):
        chains[node] = np.append(chains[int(tree.parents[node])], node)
    return chains


def _own_leaves(tree: EncodingTree, node: int) -> Ints:
    children = tree.children(node)
    return children[children < tree.leaves]


def _subtree(tree: EncodingTree, node: int) -> Iterator[int]:
    """The internal nodes from a node down."""
    waiting = [node]
    while waiting:
        below = waiting.pop()
        yield below
        children = tree.children(below)
        waiting.extend(children[children >= tree.leaves].tolist())


def _contracted(graph: Graph, tree: EncodingTree, kept: Flags) -> EncodingTree:
    """The tree of the kept internal nodes, the root and the leaves."""
    stays = kept.copy()
    stays[: tree.leaves] = True
    stays[tree.root] = True
    nearest = np.full(len(tree), -1, dtype=np.int64)
    for node in range(tree.root - 1, -1, -1):
        above = int(tree.parents[node])
        nearest[node] = above if stays[above] else nearest[above]
    number = np.cumsum(stays) - 1
    parents = np.append(number[nearest[:-1][stays[:-1]]], -1)
    return EncodingTree.from_parents(graph, parents)
