"""REGULATE: insert pass-through nodes so that all leaves of a tree have the same depth."""

from __future__ import annotations

import numpy as np

from overstory_entropy.encoding_tree import EncodingTree
from overstory_entropy.errors import GraphError
from overstory_entropy.graph import Graph


def regulate(graph: Graph, tree: EncodingTree, height: int) -> EncodingTree:
    """The same groups, every leaf at depth `height`; neither entropy changes.

    Every node is placed as deep as its deepest leaf allows, with pass-through nodes (one child each) between it and its
    parent. No other tree with these groups and this height has fewer nodes.

    Raises:
        GraphError: the tree is higher than `height`.

    Source: T-Retriever Def. 3 and Prop. 1.
    """
    if tree.height > height:
        raise GraphError(
            f"the tree has height {tree.height}, more than {height}", remedy="Prune it to this height first."
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
    """Shape (nodes,): the distance of each node from its deepest leaf."""
    above = np.zeros(len(tree), dtype=np.int64)
    for node, parent in enumerate(tree.parents[:-1].tolist()):
        above[parent] = max(above[parent], above[node] + 1)
    return above
