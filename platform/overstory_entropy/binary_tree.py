"""Binary trees, in which every internal node has two children: built, numbered, and converted to encoding trees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from overstory_entropy.compile import Floats, Ints, kernel
from overstory_entropy.encoding_tree import common_ancestor, heavy_paths
from overstory_entropy.improve import first_of_each, numbered
from overstory_entropy.problem import PlacementProblem, aggregate

NO_NODE = -1


class BinaryTree(NamedTuple):
    """A binary tree with n ≥ 2 leaves 0 … n−1 and n − 1 internal nodes.

    Every parent has a higher number than its children, and the root is last.

    Attributes:
        left: Shape (2n − 1,), −1 for leaves.
        right: Shape (2n − 1,), −1 for leaves.
        parents: Shape (2n − 1,), −1 for the root.
        first: Shape (2n − 1,), position of each node's leftmost leaf in left-to-right order.
    """

    left: Ints
    right: Ints
    parents: Ints
    first: Ints


@kernel
def children_of(parents: Ints) -> tuple[Ints, Ints]:
    """Return the left and right children of a binary tree, (nodes,) -> (nodes,), (nodes,); lower numbers left."""
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
    """Renumber the internal nodes so that every parent has a higher number than its children."""
    nodes = len(left)
    leaves = (nodes + 1) // 2
    number = np.arange(nodes)
    first = np.zeros(nodes, dtype=np.int64)
    stack = np.empty(nodes, dtype=np.int64)
    stack[0] = root
    height, place, next_number = 1, 0, nodes
    # Parents leave the stack first and take the highest free number; leaves come left to right.
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
    """Return vol of every node, and X, twice the weight between its children; O((nodes + e) · log nodes)."""
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
    """Remove the internal nodes below the root that save nothing. Their children move up to the parent.

    A node saves nothing if no edge joins its two children, for example if components were joined to make the tree
    binary. Isolated vertices cost nothing anywhere and become leaves under the root.
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
"""Share of nodes in mutual pairs below which all pointers are joined: a star has one mutual pair per round."""


def paired(problem: PlacementProblem, nested: Ints) -> Ints:
    """Return the parents of a binary tree over the nodes, shape (2n − 1,), each parent numbered above its children.

    In each round every node points to its closest neighbour, by w(a, b) / (vol(a) · vol(b)), and mutual pairs are
    joined. At least one mutual pair exists: among the closest pairs, the one with the smallest number. Each community
    of `nested` becomes one node before it is joined to anything outside it.

    Args:
        problem: n ≥ 2 nodes.
        nested: Shape (levels, n), nested communities, coarsest level first.

    Source: the closeness measure of Bonald, Charpentier, Galland and Hollocou 2018 (Paris).
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
    """Join the remaining components, which share no edge, in a tree of logarithmic height."""
    while len(names) > 1:
        pairs = len(names) // 2
        above = next_name + np.arange(pairs)
        parents[names[: 2 * pairs]] = np.repeat(above, 2)
        names = np.concatenate([above, names[2 * pairs :]])
        next_name += pairs


@kernel
def _closest(problem: PlacementProblem, fence: Ints) -> tuple[Ints, Floats]:
    """Return each node's closest neighbour with the same `fence` value (−1 if there is none) and its closeness."""
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
    """Join nodes along their pointers, closest first.

    Returns:
        The representative of each node, (n,), and the next free name. `names` then has the name of each joined node at
            its representative.
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
