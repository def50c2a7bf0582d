"""Builds and numbers binary trees, in which every internal node has two children, and makes encoding trees of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from overstory_entropy.compile import Floats, Ints, kernel
from overstory_entropy.encoding_tree import common_ancestor, heavy_paths
from overstory_entropy.improve import first_of_each, numbered
from overstory_entropy.problem import PlacementProblem, aggregate

NO_NODE = -1


class BinaryTree(NamedTuple):
    """A binary tree with n ≥ 2 leaves, numbered 0 … n−1, and n − 1 internal nodes.

    Every parent has a higher number than its children. The root has the highest number.

    Attributes:
        left: Shape (2n − 1,). Left child of each node; −1 for leaves.
        right: Shape (2n − 1,). Right child of each node; −1 for leaves.
        parents: Shape (2n − 1,). Parent of each node; −1 for the root.
        first: Shape (2n − 1,). Position of each node's leftmost leaf, if the leaves are counted from left to right.
    """

    left: Ints
    right: Ints
    parents: Ints
    first: Ints


@kernel
def children_of(parents: Ints) -> tuple[Ints, Ints]:
    """Return the left child and the right child of each node of a binary tree, each of shape (nodes,).

    The child with the lower number is the left one. Leaves have −1 for both children.

    Args:
        parents: Shape (nodes,), −1 for the root.
    """
    left = np.full(len(parents), NO_NODE, dtype=np.int64)
    right = np.full(len(parents), NO_NODE, dtype=np.int64)
    for node in range(len(parents)):
        above = parents[node]
        if above != NO_NODE:
            if left[above] == NO_NODE:
                left[above] = node
            else:
                right[above] = node
    return left, right


@kernel
def in_order(left: Ints, right: Ints, root: int) -> BinaryTree:
    """Return the tree with its internal nodes renumbered so that every parent has a higher number than its children."""
    nodes = len(left)
    leaves = (nodes + 1) // 2
    number = np.arange(nodes)
    first = np.zeros(nodes, dtype=np.int64)
    stack = np.empty(nodes, dtype=np.int64)
    stack[0] = root
    height, place, next_number = 1, 0, nodes
    # Parents leave the stack before their children and take the highest free number. Leaves come from left to right.
    while height > 0:
        height -= 1
        node = stack[height]
        if node < leaves:
            first[node] = place
            place += 1
        else:
            next_number -= 1
            number[node] = next_number
            stack[height], stack[height + 1] = right[node], left[node]
            height += 2
    renumbered_left = np.full(nodes, NO_NODE, dtype=np.int64)
    renumbered_right = np.full(nodes, NO_NODE, dtype=np.int64)
    parents = np.full(nodes, NO_NODE, dtype=np.int64)
    for node in range(leaves, nodes):
        renumbered_left[number[node]] = number[left[node]]
        renumbered_right[number[node]] = number[right[node]]
        parents[number[left[node]]] = number[node]
        parents[number[right[node]]] = number[node]
    for node in range(leaves, nodes):
        first[node] = first[renumbered_left[node]]
    return BinaryTree(renumbered_left, renumbered_right, parents, first)


@kernel
def volumes_and_own(problem: PlacementProblem, parents: Ints) -> tuple[Floats, Floats]:
    """Return the volume of each node, and twice the weight of the edges between its two children.

    Both arrays have the shape (nodes,). The computation takes O((nodes + edges) · log nodes) time.
    """
    tops = heavy_paths(parents)
    volume, own = np.zeros(len(parents)), np.zeros(len(parents))
    for node in range(len(problem.volumes)):
        volume[node] = problem.volumes[node]
        for entry in range(problem.indptr[node], problem.indptr[node + 1]):
            if problem.neighbours[entry] > node:
                own[common_ancestor(node, problem.neighbours[entry], parents, tops)] += 2.0 * problem.weights[entry]
    for node in range(len(parents) - 1):
        volume[parents[node]] += volume[node]
    return volume, own


@kernel
def without_idle_nodes(problem: PlacementProblem, parents: Ints) -> Ints:
    """Remove the internal nodes below the root that save no bits, and return the parents of the remaining nodes.

    A node saves nothing if no edge joins its two children. Such nodes join the components of a graph into one binary
    tree, for example. The children of a removed node move up to its parent. Isolated vertices, which cost nothing
    anywhere, become children of the root.
    """
    leaves = len(problem.volumes)
    _, own = volumes_and_own(problem, parents)
    root = len(parents) - 1
    above = parents.copy()
    number = np.arange(len(parents))
    count = leaves
    for node in range(leaves, len(parents)):
        if own[node] > 0.0 or node == root:
            number[node] = count
            count += 1
    for node in range(root - 1, -1, -1):
        if node < leaves and problem.volumes[node] == 0.0:
            above[node] = root
        elif above[node] != root and own[above[node]] == 0.0:
            above[node] = above[above[node]]
    kept = np.full(count, NO_NODE, dtype=np.int64)
    for node in range(root):
        if node < leaves or own[node] > 0.0:
            kept[number[node]] = number[above[node]]
    return kept


_ENOUGH_MUTUAL_SHARE = 0.1
"""Minimum fraction of nodes in mutual pairs. In rounds with fewer, such as those of a star, all pointers are followed.
"""


def paired(problem: PlacementProblem, nested: Ints) -> Ints:
    """Return the parents of a binary tree over the nodes, in which each parent has a higher number than its children.

    In each round, every node points to its closest neighbour, and two nodes that point to each other are joined. The
    closeness of the nodes a and b is w(a, b) / (vol(a) · vol(b)), where w is the weight of the edges between them. Ties
    are broken by number, so that each round joins at least one pair. Each community in `nested` becomes one node before
    it is joined to any node outside it.

    Args:
        problem: At least two nodes.
        nested: Shape (levels, n). Labels of nested communities, coarsest level first.

    Returns:
        Shape (2n − 1,). The parent of each node; −1 for the root.

    Source: the closeness measure of Paris (Bonald, Charpentier, Galland and Hollocou 2018).
    """
    nodes = len(problem.volumes)
    parents = np.full(2 * nodes - 1, NO_NODE, dtype=np.int64)
    names, members, next_name = np.arange(nodes), np.arange(nodes), nodes
    for fence in [*nested[::-1], np.zeros(nodes, dtype=np.int64)]:
        while True:
            partner, closeness = _closest(problem, fence[members])
            named = partner != NO_NODE
            if not named.any():
                break
            mutual = named & (partner[partner] == np.arange(len(partner)))
            if np.count_nonzero(mutual) >= _ENOUGH_MUTUAL_SHARE * np.count_nonzero(named):
                partner[~mutual] = NO_NODE
            joined, next_name = _join(partner, np.argsort(-closeness, kind="stable"), names, parents, next_name)
            labels, count = numbered(joined)
            first = first_of_each(labels, count)
            names, members = names[joined[first]], members[first]
            problem = aggregate(problem, labels, count)
    _join_the_rest(names, parents, next_name)
    return parents


def _join_the_rest(names: Ints, parents: Ints, next_name: int) -> None:
    """Join the remaining nodes, between which there are no edges, into a tree of logarithmic height."""
    while len(names) > 1:
        pairs = len(names) // 2
        above = next_name + np.arange(pairs)
        parents[names[: 2 * pairs]] = np.repeat(above, 2)
        names = np.concatenate([above, names[2 * pairs :]])
        next_name += pairs


@kernel
def _closest(problem: PlacementProblem, fence: Ints) -> tuple[Ints, Floats]:
    """Return each node's closest neighbour with the same value in `fence`, and the closeness of that neighbour.

    A node without such a neighbour has −1 and the closeness 0.
    """
    indptr, neighbours, weights, volumes, _, _ = problem
    partner = np.full(len(fence), NO_NODE, dtype=np.int64)
    closeness = np.zeros(len(fence))
    for node in range(len(fence)):
        for entry in range(indptr[node], indptr[node + 1]):
            other = neighbours[entry]
            if fence[other] == fence[node]:
                here = weights[entry] / (volumes[node] * volumes[other])
                if here > closeness[node] or (here == closeness[node] and other < partner[node]):
                    closeness[node], partner[node] = here, other
    return partner, closeness


@kernel
def _join(partner: Ints, order: Ints, names: Ints, parents: Ints, next_name: int) -> tuple[Ints, int]:
    """Join each node with the partner it points to, closest pairs first.

    This adds the new nodes to `parents`, and updates `names`: for a node r that represents a joined node, names[r] is
    the number of the joined node in the tree.

    Returns:
        The representative of each node, shape (n,), and the next free number in the tree.
    """
    chief = np.arange(len(partner))
    for node in order:
        if partner[node] == NO_NODE:
            continue
        one, other = _chief(chief, node), _chief(chief, int(partner[node]))
        if one != other:
            parents[names[one]] = parents[names[other]] = next_name
            chief[other] = one
            names[one] = next_name
            next_name += 1
    for node in range(len(partner)):
        chief[node] = _chief(chief, node)
    return chief, next_name


@kernel
def _chief(chief: Ints, node: int) -> int:
    while chief[node] != node:
        chief[node] = chief[chief[node]]
        node = chief[node]
    return node
