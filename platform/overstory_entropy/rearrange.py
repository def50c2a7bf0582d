"""Optimal rearrangement of small pieces all over a binary tree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from overstory_entropy.binary_tree import BinaryTree, in_order
from overstory_entropy.compile import Floats, Ints, kernel
from overstory_entropy.problem import PlacementProblem, logarithm
from overstory_entropy.relocate import WORTHWHILE_GAIN
from overstory_entropy.tree_paths import common_ancestor, heavy_paths

_SUBTREES_A_PIECE = 8
"""Per piece: 3^8 / 2 ways to split its subsets. 10 cost ten times as much and give the same result."""


def rearranged(problem: PlacementProblem, tree: BinaryTree, random: np.random.Generator) -> tuple[BinaryTree, float]:
    """The tree with every piece of it in its best shape, and the gain in bits.

    The tree is cut into pieces: a node, some of its descendants, and the at most `_SUBTREES_A_PIECE` subtrees below
    them. Within a piece, a dynamic programme over subsets finds the binary tree of least cost over the subtrees. Pieces
    are cut at random, so that the next round has other borders.
    """
    nodes = len(problem.volumes)
    left, right = tree.left.copy(), tree.right.copy()
    gain = _rearrange(problem, tree, left, right, random.random(2 * nodes))
    return in_order(left, right, 2 * nodes - 2), gain / problem.total


class Pieces(NamedTuple):
    """Pieces of a binary tree with disjoint joints; pieces of two subtrees, which have only one shape, are left out.

    Attributes:
        piece_of: shape (nodes,), the piece that has the node as a joint, −1 for other nodes.
        subtrees: shape (pieces, _SUBTREES_A_PIECE), the subtrees of each piece from left to right.
        joints: shape (pieces, _SUBTREES_A_PIECE − 1), the nodes above them, each before those below it.
        sizes: shape (pieces,), the number of subtrees; there is one joint less.
    """

    piece_of: Ints
    subtrees: Ints
    joints: Ints
    sizes: Ints


@kernel
def _rearrange(problem: PlacementProblem, tree: BinaryTree, left: Ints, right: Ints, random: Floats) -> float:
    """Cut, weigh and rearrange; changes `left` and `right`. Returns the gain (bits × weight)."""
    pieces = _cut(tree, random)
    volume, between = _volumes(problem, tree), _weights_between(problem, tree, pieces)
    gained = 0.0
    cost, inside, mass = (
        np.zeros(1 << _SUBTREES_A_PIECE),
        np.zeros(1 << _SUBTREES_A_PIECE),
        np.zeros(1 << _SUBTREES_A_PIECE),
    )
    split = np.zeros(1 << _SUBTREES_A_PIECE, dtype=np.int64)
    for piece in range(len(pieces.sizes)):
        size, subtrees, joints = int(pieces.sizes[piece]), pieces.subtrees[piece], pieces.joints[piece]
        _solve(size, subtrees, volume, between[piece], cost, inside, mass, split)
        now = _cost_as_it_is(tree, subtrees, joints, size, inside, mass)
        everything = (1 << size) - 1
        if cost[everything] < now - WORTHWHILE_GAIN * mass[everything]:
            gained += now - float(cost[everything])
            _rebuild(subtrees, joints, size, split, left, right)
    return gained


@kernel
def _cut(tree: BinaryTree, random: Floats) -> Pieces:
    """Cut the tree into pieces, from the root down; `random` has a number in 0 … 1 for each node."""
    nodes = len(tree.left)
    leaves = (nodes + 1) // 2
    piece_of = np.full(nodes, -1, dtype=np.int64)
    # A stored piece has at least two of the n − 1 joints; one more row for the piece being cut.
    subtrees = np.zeros((leaves // 2 + 1, _SUBTREES_A_PIECE), dtype=np.int64)
    joints = np.zeros((leaves // 2 + 1, _SUBTREES_A_PIECE - 1), dtype=np.int64)
    sizes = np.zeros(leaves // 2 + 1, dtype=np.int64)
    stack = np.empty(nodes, dtype=np.int64)
    stack[0] = nodes - 1
    height, pieces, drawn = 1, 0, 1
    # The first piece may be small, so that the borders of all pieces differ from round to round.
    limit = 3 + int(random[0] * (_SUBTREES_A_PIECE - 2))
    while height > 0:
        height -= 1
        hanging, joint = subtrees[pieces], joints[pieces]
        size = _open(tree, int(stack[height]), limit, random[drawn:], hanging, joint)
        drawn += size - 2
        for index in range(size):
            if hanging[index] >= leaves:
                stack[height] = hanging[index]
                height += 1
        if size > 2:
            for index in range(size - 1):
                piece_of[joint[index]] = pieces
            sizes[pieces] = size
            pieces += 1
        limit = _SUBTREES_A_PIECE
    return Pieces(piece_of, subtrees[:pieces], joints[:pieces], sizes[:pieces])


@kernel
def _open(tree: BinaryTree, top: int, limit: int, random: Floats, hanging: Ints, joint: Ints) -> int:
    """Cut a piece below its top: open random subtrees until there are `limit` of them, or only leaves.

    Returns:
        The number of subtrees; `hanging` lists them from left to right, and `joint` the opened nodes.
    """
    leaves = (len(tree.left) + 1) // 2
    joint[0], hanging[0], hanging[1], size = top, tree.left[top], tree.right[top], 2
    while size < limit:
        inner = 0
        for index in range(size):
            inner += hanging[index] >= leaves
        if inner == 0:
            break
        chosen = int(random[size - 2] * inner)
        at = -1
        while chosen >= 0:
            at += 1
            chosen -= hanging[at] >= leaves
        opened = hanging[at]
        for index in range(size, at + 1, -1):
            hanging[index] = hanging[index - 1]
        hanging[at], hanging[at + 1] = tree.left[opened], tree.right[opened]
        joint[size - 1] = opened
        size += 1
    return size


@kernel
def _volumes(problem: PlacementProblem, tree: BinaryTree) -> Floats:
    """(nodes,): vol of every node."""
    volume = np.zeros(len(tree.parents))
    for node in range(len(tree.parents) - 1):
        if node < len(problem.volumes):
            volume[node] = problem.volumes[node]
        volume[tree.parents[node]] += volume[node]
    return volume


@kernel
def _weights_between(problem: PlacementProblem, tree: BinaryTree, pieces: Pieces) -> Floats:
    """(pieces, _SUBTREES_A_PIECE, _SUBTREES_A_PIECE): twice the weight between each two subtrees of a piece."""
    between = np.zeros((len(pieces.sizes), _SUBTREES_A_PIECE, _SUBTREES_A_PIECE))
    tops = heavy_paths(tree.parents)
    for node in range(len(problem.volumes)):
        for entry in range(problem.indptr[node], problem.indptr[node + 1]):
            neighbour = int(problem.neighbours[entry])
            if neighbour > node:
                piece = pieces.piece_of[common_ancestor(node, neighbour, tree.parents, tops)]
                if piece >= 0:
                    subtrees, size = pieces.subtrees[piece], int(pieces.sizes[piece])
                    one = _subtree_at(tree.first, subtrees, size, int(tree.first[node]))
                    other = _subtree_at(tree.first, subtrees, size, int(tree.first[neighbour]))
                    between[piece, one, other] += 2.0 * problem.weights[entry]
                    between[piece, other, one] += 2.0 * problem.weights[entry]
    return between


@kernel
def _subtree_at(first: Ints, subtrees: Ints, size: int, place: int) -> int:
    """The index of the subtree, from left to right, that holds the leaf at this place."""
    index = size - 1
    while first[subtrees[index]] > place:
        index -= 1
    return index


@kernel
def _solve(
    size: int,
    subtrees: Ints,
    volume: Floats,
    between: Floats,
    cost: Floats,
    inside: Floats,
    mass: Floats,
    split: Ints,
) -> None:
    """For every subset of the subtrees, as a bit mask: volume, twice the inner weight, the least cost and its split.

    cost(S) = min over S = A ∪ B of X(A, B) · log2 vol(S) + cost(A) + cost(B).
    """
    for subset in range(1, 1 << size):
        lowest = _lowest(subset)
        rest = subset & (subset - 1)
        mass[subset] = volume[subtrees[lowest]]
        inside[subset] = cost[subset] = 0.0
        if rest == 0:
            continue
        mass[subset] += mass[rest]
        inside[subset] = inside[rest]
        for index in range(lowest + 1, size):
            if (rest >> index) & 1:
                inside[subset] += between[lowest, index]
        log_mass = logarithm(float(mass[subset]))
        least, best, others = np.inf, 0, rest
        while others > 0:
            others = (others - 1) & rest
            one, other = subset ^ rest ^ others, rest ^ others
            here = cost[one] + cost[other] - (inside[one] + inside[other]) * log_mass
            if here < least:
                least, best = here, one
        cost[subset], split[subset] = least + inside[subset] * log_mass, best


@kernel
def _cost_as_it_is(tree: BinaryTree, subtrees: Ints, joints: Ints, size: int, inside: Floats, mass: Floats) -> float:
    """Σ X · log2 vol over the joints of a piece in its present shape."""
    cost = 0.0
    held = np.zeros(_SUBTREES_A_PIECE - 1, dtype=np.int64)
    for index in range(size - 2, -1, -1):
        one = _subset_of(int(tree.left[joints[index]]), subtrees, joints, size, held)
        other = _subset_of(int(tree.right[joints[index]]), subtrees, joints, size, held)
        held[index] = one | other
        cost += float(inside[one | other] - inside[one] - inside[other]) * logarithm(float(mass[one | other]))
    return cost


@kernel
def _subset_of(child: int, subtrees: Ints, joints: Ints, size: int, held: Ints) -> int:
    """The subtrees below a child of a joint, as bits; `held` has those below each joint."""
    for index in range(size):
        if subtrees[index] == child:
            return 1 << index
    for index in range(1, size - 1):
        if joints[index] == child:
            return int(held[index])
    return 0


@kernel
def _rebuild(subtrees: Ints, joints: Ints, size: int, split: Ints, left: Ints, right: Ints) -> None:
    """Set the children of a piece's joints according to the best splits."""
    subsets = np.zeros(_SUBTREES_A_PIECE - 1, dtype=np.int64)
    subsets[0], used = (1 << size) - 1, 1
    for index in range(size - 1):
        for side in range(2):
            part = split[subsets[index]] if side == 0 else subsets[index] ^ split[subsets[index]]
            if part & (part - 1) == 0:
                child = subtrees[_lowest(int(part))]
            else:
                child = joints[used]
                subsets[used] = part
                used += 1
            if side == 0:
                left[joints[index]] = child
            else:
                right[joints[index]] = child


@kernel
def _lowest(subset: int) -> int:
    """The index of the lowest set bit."""
    number = 0
    while not (subset >> number) & 1:
        number += 1
    return number
