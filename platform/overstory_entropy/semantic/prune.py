"""Implements PRUNE and REGULATE: removes nodes from a tree, cheapest first, and moves its leaves to the same depth."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import ArrayLike

from overstory_entropy.compile import Flags, Floats, Ints, kernel
from overstory_entropy.encoding_tree import EncodingTree
from overstory_entropy.errors import GraphError
from overstory_entropy.graph import Graph
from overstory_entropy.semantic.bisection import LEAST_BISECTION_GAIN
from overstory_entropy.semantic.density import Density
from overstory_entropy.semantic.formula import (
    Spans,
    check_weight,
    density_for,
    group_nodes,
    loops_below,
    semantic_structural_entropy,
)
from overstory_entropy.semantic.partition import PartitionStep

_REMOVED_NODE = -2
NO_NODES: set[int] = set()


def prune(
    graph: Graph,
    tree: EncodingTree,
    vectors: Density | ArrayLike,
    *,
    height: int,
    weight: float = 1.0,
    gaining: bool = False,
) -> PartitionStep:
    """Remove internal nodes from a tree until no leaf is deeper than `height`.

    Each step removes the node whose removal increases the entropy least. Only nodes above a leaf that is still too deep
    are considered. The children of the removed node move up to its parent.

    Args:
        vectors: Shape (n, d). Vectors of the texts, or a `Density` made from them.
        height: Maximum depth of the leaves, ≥ 1.
        weight: Weight λ of the texts, ≥ 0.
        gaining: True to remove all nodes whose removal lowers the entropy as well, even if no leaf is too deep.

    Returns:
        The new tree, and the total change in entropy in bits.

    Raises:
        GraphError: The arguments do not fit together, or the height is less than 1.

    Source: T-Retriever Def. 2 and Eq. 9. The paper considers all nodes in each step, which destroys groups in parts of
    the tree that are already low enough.
    """
    check_weight(weight)
    if height < 1:
        raise GraphError(f"the height must be at least 1, got {height}")
    pruning = Pruning(graph, tree, density_for(graph, vectors), weight)
    change = pruning.until(height, gaining=gaining)
    return PartitionStep(pruning.tree(), change)


def prune_node(
    graph: Graph, tree: EncodingTree, vectors: Density | ArrayLike, node: int, *, weight: float = 1.0
) -> PartitionStep:
    """Remove one internal node below the root. Its children move up to its parent.

    Raises:
        GraphError: The arguments do not fit together, or the node is the root or a leaf.
    """
    check_weight(weight)
    if not tree.leaves <= node < tree.root:
        raise GraphError(f"node {node} cannot be removed: it is not an internal node below the root")
    pruning = Pruning(graph, tree, density_for(graph, vectors), weight)
    change = pruning.remove(node)
    return PartitionStep(pruning.tree(), change)


class Pruning:
    """A tree that is being pruned. For each node, it knows the price, which is the change in entropy if it is removed.

    The sum of the surprises in all groups, and the number of groups, are stored for each vertex. The removal of a node
    affects only the prices of the groups above and below it, and only the terms of its own vertices. The prices are
    kept in a heap, in which outdated prices are skipped. For a tree of depth O(log n), all removals together take
    O(n log² n).
    """

    def __init__(self, graph: Graph, tree: EncodingTree, density: Density, weight: float) -> None:
        self._graph, self._tree, self._rate = graph, tree, weight / max(graph.vertices, 1)
        self._spans = Spans.of(tree)
        self._parents = tree.parents.copy()
        self._children: list[set[int]] = [NO_NODES] * tree.leaves
        self._children += [set(tree.children(node).tolist()) for node in range(tree.leaves, len(tree))]
        self._inner = [{child for child in below if child >= tree.leaves} for below in self._children]
        self._inside = tree.volume - tree.cut - 2.0 * loops_below(graph, tree)
        self._depth = tree.depths[self._spans.order].copy()
        self._surprise = _surprises(tree, density, self._spans) if weight > 0.0 else {}
        self._total, self._groups = np.zeros(tree.leaves), np.zeros(tree.leaves, dtype=np.int64)
        for node, bits in self._surprise.items():
            self._total[self._spans.slice(node)] += bits
            self._groups[self._spans.slice(node)] += 1
        self._ungrouped = density.surprise(self._spans.order) if weight > 0.0 else np.zeros(tree.leaves)
        self._semantic = {node: self._semantic_price(node, self._spans.slice(node)) for node in self._surprise}

    def until(self, height: int, *, gaining: bool) -> float:
        """Remove the cheapest nodes until no leaf is too deep. Return the change in entropy in bits.

        Args:
            gaining: True to remove all nodes with a negative price as well.
        """
        change = 0.0
        heap = [(self.price(node), node) for node in range(self._tree.leaves, self._tree.root)]
        heapq.heapify(heap)
        while heap:
            price, node = heapq.heappop(heap)
            if self._parents[node] == _REMOVED_NODE or price != self.price(node):
                continue
            too_deep = self._depth[self._spans.slice(node)].max() > height
            if not too_deep and not (gaining and price < -LEAST_BISECTION_GAIN):
                continue
            touched = self._related(node)
            change += self.remove(node)
            for other in touched:
                heapq.heappush(heap, (self.price(other), other))
        return change

    def price(self, node: int) -> float:
        """Return the price of a node: the change in entropy in bits if it is removed."""
        semantic = 0.0 if self._repeated_by(node) is not None else self._semantic.get(node, 0.0)
        return self._structural_price(node) + self._rate * semantic

    def remove(self, node: int) -> float:
        """Remove a node, and return the change in entropy in bits."""
        span, parent = self._spans.slice(node), int(self._parents[node])
        heir = self._repeated_by(node)
        change = self._structural_price(node)
        if node in self._surprise and heir is None:
            change += self._rate * self._semantic_price(node, span)
            self._forget(node, span)
        elif node in self._surprise and heir is not None:
            self._surprise[heir] = self._surprise.pop(node)
            self._semantic[heir] = self._semantic.pop(node)
        self._children[parent] = (self._children[parent] - {node}) | self._children[node]
        self._inner[parent] = (self._inner[parent] - {node}) | self._inner[node]
        self._parents[list(self._children[node])] = parent
        self._parents[node] = _REMOVED_NODE
        self._depth[span] -= 1
        return change

    def tree(self) -> EncodingTree:
        kept = np.flatnonzero(self._parents != _REMOVED_NODE)
        number = np.full(len(self._parents), -1, dtype=np.int64)
        number[kept] = np.arange(len(kept))
        parents = self._parents[kept]
        return EncodingTree.from_parents(self._graph, np.where(parents < 0, -1, number[parents]))

    def _structural_price(self, node: int) -> float:
        volume, above = self._tree.volume[node], self._tree.volume[self._parents[node]]
        if volume == 0.0:
            return 0.0
        regained = self._inside[list(self._inner[node])].sum()
        return float((self._inside[node] - regained) / self._tree.volume[-1] * np.log2(above / volume))

    def _semantic_price(self, node: int, part: slice) -> float:
        """Return the change in the surprise of some of a group's vertices if the group is removed, in bits.

        Args:
            part: Positions of these vertices in the order of the spans.
        """
        start = int(self._spans.start[node])
        bits = self._surprise[node][part.start - start : part.stop - start]
        total, groups = self._total[part], self._groups[part]
        without = np.where(groups > 1, (total - bits) / np.maximum(groups - 1, 1), self._ungrouped[part])
        return float((without - total / groups).sum())

    def _forget(self, node: int, span: slice) -> None:
        related = [other for other in self._related(node) if other in self._surprise]
        shared = [
            slice(max(span.start, part.start), min(span.stop, part.stop)) for part in map(self._spans.slice, related)
        ]
        for other, part in zip(related, shared, strict=True):
            self._semantic[other] -= self._semantic_price(other, part)
        self._total[span] -= self._surprise.pop(node)
        self._groups[span] -= 1
        del self._semantic[node]
        for other, part in zip(related, shared, strict=True):
            self._semantic[other] += self._semantic_price(other, part)

    def _repeated_by(self, node: int) -> int | None:
        return next(iter(self._inner[node]), None) if len(self._children[node]) == 1 else None

    def _related(self, node: int) -> list[int]:
        found: list[int] = []
        above = int(self._parents[node])
        while above != self._tree.root:
            found.append(above)
            above = int(self._parents[above])
        waiting = list(self._inner[node])
        while waiting:
            below = waiting.pop()
            found.append(below)
            waiting.extend(self._inner[below])
        return found


def _surprises(tree: EncodingTree, density: Density, spans: Spans) -> dict[int, Floats]:
    return {node: density.surprise(spans.members(node)) for node in group_nodes(tree)}


def best_selection(graph: Graph, tree: EncodingTree, density: Density, height: int, weight: float) -> EncodingTree:
    """Select groups of a tree that form a tree of at most `height`, with nearly the lowest semantic–structural entropy.

    PRUNE removes one node at a time and cannot undo a removal. This function compares all selections by dynamic
    programming. It searches for the best selection with 1, 2, … height − 1 levels of groups, and returns the best of
    these or the tree without groups.

    For a given number of levels, it assumes that every vertex is in as many groups. For a vertex in fewer groups, the
    lowest group is counted several times. The semantic entropy is therefore exact only for one level; the structural
    entropy is always exact. The search takes O(n · depth · height²), in addition to computing the densities.

    Args:
        tree: Tree in which no node has only one child.
        height: Maximum depth of the leaves, ≥ 1.
        weight: Weight λ of the texts, ≥ 0.
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
    """Return the tree without internal nodes that have only one child."""
    children = np.bincount(tree.parents[:-1], minlength=len(tree))
    return _contracted(graph, tree, children > 1)


class _Programme:
    """A dynamic programme for the cost of keeping or dropping each node, given its nearest kept ancestor."""

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
        """Return the tree with the best selection of groups for a number of levels."""
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
        spans = Spans.of(self._tree)
        for node in range(self._tree.leaves, len(self._tree)):
            members = spans.members(node)
            bits = rate * density.surprise(members)
            self._spent[node] = bits.sum()
            np.add.at(self._flat, self._starts[self._parents[members]] + self._depths[node], bits)


@kernel
def _entering(parents: Ints, depths: Ints, starts: Ints, inside: Floats, volume: Floats, leaves: int) -> Floats:
    """Return the change in structural entropy if a node is kept below one of its ancestors, in bits.

    The result contains this change for each internal node and each of its ancestors, beginning with the root.
    """
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
    """Return, for each node, True if it is an internal node that is kept in the best selection. Shape (nodes,)."""
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
    stays = kept.copy()
    stays[: tree.leaves] = True
    stays[tree.root] = True
    nearest = _nearest(tree.parents.copy(), stays)
    number = np.cumsum(stays) - 1
    parents = np.append(number[nearest[:-1][stays[:-1]]], -1)
    return EncodingTree.from_parents(graph, parents)


@kernel
def _nearest(parents: Ints, stays: Flags) -> Ints:
    nearest = np.full(len(parents), -1, dtype=np.int64)
    for node in range(len(parents) - 2, -1, -1):
        above = parents[node]
        nearest[node] = above if stays[above] else nearest[above]
    return nearest


def regulate(graph: Graph, tree: EncodingTree, height: int) -> EncodingTree:
    """Return a tree with the same groups in which every leaf is at depth `height`. Both entropies stay the same.

    Every node is moved down as far as its deepest leaf allows. Nodes with only one child are inserted between the node
    and its parent. No other tree with these groups and this height has fewer nodes.

    Raises:
        GraphError: A leaf of the tree is deeper than `height`.

    Source: T-Retriever Def. 3 and Prop. 1.
    """
    if tree.height > height:
        raise GraphError(
            f"the tree has height {tree.height}, more than {height}", remedy="Prune the tree to this height first."
        )
    parents, level = tree.parents, _heights_above_leaves(tree)
    level[tree.root] = height
    between = level[parents[:-1]] - level[:-1] - 1
    regulated = np.append(parents, np.full(int(between.sum()), -1))
    free = len(tree)
    for node in np.flatnonzero(between):
        chain = np.arange(free, free + int(between[node]))
        regulated[chain] = np.append(chain[1:], parents[node])
        regulated[node] = free
        free += len(chain)
    return EncodingTree.from_parents(graph, regulated)


def _heights_above_leaves(tree: EncodingTree) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    above = np.zeros(len(tree), dtype=np.int64)
    for node, parent in enumerate(tree.parents[:-1].tolist()):
        above[parent] = max(above[parent], above[node] + 1)
    return above
