"""Depths, sizes and common ancestors of a tree given by its parents, each numbered above its children."""

from __future__ import annotations

import numpy as np

from overstory_entropy.compile import Ints, kernel


@kernel
def depths_of(parents: Ints) -> Ints:
    """(nodes,) -> (nodes,): the distance of each node from the root."""
    depths = np.zeros(len(parents), dtype=np.int64)
    for node in range(len(parents) - 2, -1, -1):
        depths[node] = depths[parents[node]] + 1
    return depths


@kernel
def leaves_below(parents: Ints, leaves: int) -> Ints:
    """(nodes,) -> (nodes,): the number of leaves in each subtree."""
    sizes = np.zeros(len(parents), dtype=np.int64)
    sizes[:leaves] = 1
    for node in range(len(parents) - 1):
        sizes[parents[node]] += sizes[node]
    return sizes


@kernel
def nodes_at_level(parents: Ints, depths: Ints, level: int) -> Ints:
    """(nodes,), (nodes,) -> (nodes,): the ancestor of each node at this depth; the node itself if it is not deeper."""
    above = np.arange(len(parents))
    for node in range(len(parents) - 1, -1, -1):
        if depths[node] > level:
            above[node] = above[parents[node]]
    return above


@kernel
def leaf_ranges(parents: Ints, sizes: Ints, leaves: int) -> tuple[Ints, Ints]:
    """(nodes,), (nodes,) -> starts (nodes,), order (leaves,): the leaves of a node are order[start : start + size]."""
    starts, free = np.zeros(len(parents), dtype=np.int64), np.zeros(len(parents), dtype=np.int64)
    order = np.empty(leaves, dtype=np.int64)
    for node in range(len(parents) - 2, -1, -1):
        above = parents[node]
        starts[node] = free[node] = free[above]
        free[above] += sizes[node]
        if node < leaves:
            order[starts[node]] = node
    return starts, order


@kernel
def heavy_paths(parents: Ints) -> Ints:
    """(nodes,) -> (nodes,): the topmost node of each node's heavy path.

    A path continues from a node to its child with the largest subtree, so that the way to the root crosses at most
    log2(nodes) paths, even in a tree with as many levels as vertices.
    """
    sizes = np.ones(len(parents), dtype=np.int64)
    heaviest = np.full(len(parents), -1, dtype=np.int64)
    for node in range(len(parents) - 1):
        above = parents[node]
        sizes[above] += sizes[node]
        if heaviest[above] < 0 or sizes[node] > sizes[heaviest[above]]:
            heaviest[above] = node
    tops = np.arange(len(parents))
    for node in range(len(parents) - 2, -1, -1):
        if heaviest[parents[node]] == node:
            tops[node] = tops[parents[node]]
    return tops


@kernel
def common_ancestor(one: int, other: int, parents: Ints, tops: Ints) -> int:
    """The lowest common ancestor of two nodes; `tops` comes from `heavy_paths`. O(log nodes)."""
    one, other = int(one), int(other)
    while tops[one] != tops[other]:
        # Parents have higher numbers than children, so the ancestor is not on the path with the lower top.
        if tops[one] < tops[other]:
            one = int(parents[tops[one]])
        else:
            other = int(parents[tops[other]])
    return max(one, other)
