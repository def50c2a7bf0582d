"""Moves of leaves and small subtrees to any place in a binary tree, and local rearrangements of the tree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from overstory_entropy.binary_tree import NO_NODE, BinaryTree, in_order, volumes_and_own
from overstory_entropy.compile import Flags, Floats, Ints, kernel
from overstory_entropy.encoding_tree import common_ancestor, heavy_paths, leaves_below
from overstory_entropy.improve import WORTHWHILE_GAIN
from overstory_entropy.problem import PlacementProblem, logarithm

_SUBTREES_A_PIECE = 8
"""Subtrees per piece, with 3^8 / 2 ways to split its subsets. 10 cost ten times as much with the same result."""


def rearranged(problem: PlacementProblem, tree: BinaryTree, random: np.random.Generator) -> tuple[BinaryTree, float]:
    """Return the tree after rearranging each piece of it optimally, and the gain in bits.

    The tree is cut into pieces: a node, some of its descendants, and at most `_SUBTREES_A_PIECE` subtrees below them.
    Within a piece, a dynamic programme over subsets finds the cheapest binary tree over the subtrees. Pieces are cut at
    random, so that the next round has other borders.
    """
    nodes = len(problem.volumes)
    left, right = tree.left.copy(), tree.right.copy()
    gain = _rearrange(problem, tree, left, right, random.random(2 * nodes))
    return in_order(left, right, 2 * nodes - 2), gain / problem.total


class Pieces(NamedTuple):
    """Pieces of a binary tree with disjoint joints. Pieces of two subtrees, which have only one shape, are left out.

    Attributes:
        piece_of: Shape (nodes,), the piece that has the node as a joint, −1 for other nodes.
        subtrees: Shape (pieces, _SUBTREES_A_PIECE), subtrees of each piece from left to right.
        joints: Shape (pieces, _SUBTREES_A_PIECE − 1), nodes above the subtrees, each before those below it.
        sizes: Shape (pieces,), number of subtrees. There is one joint less.
    """

    piece_of: Ints
    subtrees: Ints
    joints: Ints
    sizes: Ints


@kernel
def _rearrange(problem: PlacementProblem, tree: BinaryTree, left: Ints, right: Ints, random: Floats) -> float:
    """Cut the tree and rearrange each piece; changes `left` and `right`. Return the gain (bits × weight)."""
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
    # A stored piece has at least two of the n − 1 joints. One more row is for the piece being cut.
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
        The number of subtrees. `hanging` lists them from left to right, and `joint` the opened nodes.
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
    volume = np.zeros(len(tree.parents))
    for node in range(len(tree.parents) - 1):
        if node < len(problem.volumes):
            volume[node] = problem.volumes[node]
        volume[tree.parents[node]] += volume[node]
    return volume


@kernel
def _weights_between(problem: PlacementProblem, tree: BinaryTree, pieces: Pieces) -> Floats:
    """Return twice the weight between each two subtrees of each piece."""
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
    """Return the left-to-right index of the subtree that contains the leaf at this position."""
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
    """Compute the least cost of every subset of the subtrees, with its best split.

    Subsets are bit masks. Also filled in are the volume of each subset and twice its inner weight. cost(S) = min over S
    = A ∪ B of X(A, B) · log2 vol(S) + cost(A) + cost(B).
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
    """Return the cost of a piece in its current shape, Σ X · log2 vol over its joints."""
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
    """Return the subtrees below a child of a joint as bits; `held` has those below each joint."""
    for index in range(size):
        if subtrees[index] == child:
            return 1 << index
    for index in range(1, size - 1):
        if joints[index] == child:
            return int(held[index])
    return 0


@kernel
def _rebuild(subtrees: Ints, joints: Ints, size: int, split: Ints, left: Ints, right: Ints) -> None:
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
    number = 0
    while not (subset >> number) & 1:
        number += 1
    return number


_LEAVES_A_BLOCK = 8192
"""Leaves per block. Visits within a block hit the processor's cache, which makes large rounds three times as fast."""

_MOST_REGRAFTING_STEPS = 100_000_000  # steps through the tree that any call may take, about a second
_STEPS_AN_ENTRY = 100  # more steps per node and row entry; typical trees need 20, very deep ones n² in all


class Branches(NamedTuple):
    """A binary tree whose branches move, in no particular numbering. Changed in place; arrays of shape (2n − 1,).

    Attributes:
        left: Left children, −1 for leaves.
        right: Right children, −1 for leaves.
        parents: Parents, −1 for the root.
        volume: vol.
        own: X, twice the weight of edges between the node's children.
        log_volume: log2 vol.
    """

    left: Ints
    right: Ints
    parents: Ints
    volume: Floats
    own: Floats
    log_volume: Floats


class Loose(NamedTuple):
    """Working memory for the subtree being moved. Each array has one entry per node of the tree.

    Attributes:
        leaves: Leaves of the subtree. `_gather` returns their number.
        mine: True for leaves of the subtree.
        toward: Weight of the edges from the subtree into each node.
        marked: True if `toward` is, or will be, above 0.
        touched: Marked nodes, each before those below it.
        joined: log2 of the combined volume of a node and the subtree.
        below: Cost of the tree, up to a constant, with the subtree somewhere below a node, if all its edges were
            charged to that node.
        stack: Memory for a traversal.
    """

    leaves: Ints
    mine: Flags
    toward: Floats
    marked: Flags
    touched: Ints
    joined: Floats
    below: Floats
    stack: Ints


def small_subtrees(tree: BinaryTree, largest: int, random: np.random.Generator) -> Ints:
    """Return the leaves, then subtrees of 2 to `largest` leaves, in random order; large trees block by block."""
    leaves = (len(tree.parents) + 1) // 2
    sizes = leaves_below(tree.parents, leaves)
    few = np.flatnonzero((sizes > 1) & (sizes <= largest))
    order = np.concatenate([random.permutation(leaves), random.permutation(few)])
    block = random.permutation(leaves // _LEAVES_A_BLOCK + 1)[tree.first[order] // _LEAVES_A_BLOCK]
    return order[np.lexsort((block, sizes[order] > 1))]


def regrafted(problem: PlacementProblem, tree: BinaryTree, order: Ints) -> tuple[BinaryTree, float, bool]:
    """Move each subtree of `order` to the place where it costs least.

    Returns:
        The tree, the gain in bits, and True if all subtrees were tried within the step limit.
    """
    volume, own = volumes_and_own(problem, tree.parents)
    branches = Branches(tree.left.copy(), tree.right.copy(), tree.parents.copy(), volume, own, np.zeros(len(volume)))
    gain, root, complete = _regraft(problem, branches, _nothing_loose(len(volume)), order)
    return in_order(branches.left, branches.right, root), gain / problem.total, complete


def _nothing_loose(nodes: int) -> Loose:
    return Loose(
        np.empty(nodes, dtype=np.int64),
        np.zeros(nodes, dtype=np.bool_),
        np.zeros(nodes),
        np.zeros(nodes, dtype=np.bool_),
        np.empty(nodes, dtype=np.int64),
        np.zeros(nodes),
        np.zeros(nodes),
        np.empty(nodes + 1, dtype=np.int64),
    )


@kernel
def _regraft(problem: PlacementProblem, tree: Branches, loose: Loose, order: Ints) -> tuple[float, int, bool]:
    """Take out each subtree with the node above it, and insert both where they cost least.

    Returns:
        The gain (bits × weight), the root, and True if all of `order` was tried.
    """
    nodes = len(tree.parents)
    for node in range(nodes):
        tree.log_volume[node] = logarithm(tree.volume[node])
    most = _MOST_REGRAFTING_STEPS + _STEPS_AN_ENTRY * (nodes + len(problem.neighbours))
    root, steps, gained = nodes - 1, 0, 0.0
    for moving in order:
        joint = int(tree.parents[moving])
        if joint == NO_NODE or tree.volume[moving] == 0.0:
            continue
        if steps > most:
            return gained, root, False
        touched = _weigh(problem, tree, loose, _gather(tree, loose, moving))
        sibling = int(tree.left[joint]) if tree.right[joint] == moving else int(tree.right[joint])
        root = _take_out(tree, loose, moving, joint, sibling, root)
        staying, walked = _cost_where_it_was(tree, loose, moving, sibling, root)
        best, least = _cheapest_place(tree, loose, moving, sibling, root, staying)
        if best != sibling:
            gained += staying - least
        root = _put(tree, loose, moving, joint, best, root)
        for index in range(touched):
            loose.toward[loose.touched[index]] = 0.0
            loose.marked[loose.touched[index]] = False
        steps += touched + walked
    return gained, root, True


@kernel
def _gather(tree: Branches, loose: Loose, moving: int) -> int:
    loose.stack[0], height, count = moving, 1, 0
    while height > 0:
        height -= 1
        node = loose.stack[height]
        if tree.left[node] == NO_NODE:
            loose.leaves[count] = node
            loose.mine[node] = True
            count += 1
        else:
            loose.stack[height], loose.stack[height + 1] = tree.left[node], tree.right[node]
            height += 2
    return count


@kernel
def _weigh(problem: PlacementProblem, tree: Branches, loose: Loose, leaves: int) -> int:
    """Fill in `toward`, `marked` and `touched`, and clear `mine`. Return the number of nodes touched."""
    toward = loose.toward
    count = 0
    for index in range(leaves):
        leaf = loose.leaves[index]
        for entry in range(problem.indptr[leaf], problem.indptr[leaf + 1]):
            other = int(problem.neighbours[entry])
            if not loose.mine[other]:
                if not loose.marked[other]:
                    count = _climb(tree.parents, loose.marked, loose.touched, other, count)
                toward[other] += problem.weights[entry]
    for index in range(count - 1, -1, -1):
        node = loose.touched[index]
        if tree.parents[node] != NO_NODE:
            toward[tree.parents[node]] += toward[node]
    for index in range(leaves):
        loose.mine[loose.leaves[index]] = False
    return count


@kernel
def _climb(parents: Ints, marked: Flags, touched: Ints, node: int, count: int) -> int:
    first = count
    while node != NO_NODE and not marked[node]:
        marked[node] = True
        touched[count] = node
        count += 1
        node = int(parents[node])
    last = count - 1
    while first < last:
        touched[first], touched[last] = touched[last], touched[first]
        first, last = first + 1, last - 1
    return count


@kernel
def _take_out(tree: Branches, loose: Loose, moving: int, joint: int, sibling: int, root: int) -> int:
    above = int(tree.parents[joint])
    _replace(tree, joint, sibling, above)
    _charge(tree, loose, sibling, above, -float(tree.volume[moving]), -2.0)
    return sibling if above == NO_NODE else root


@kernel
def _put(tree: Branches, loose: Loose, moving: int, joint: int, sibling: int, root: int) -> int:
    """Insert the joint in the place of `sibling`, above the sibling and the moving subtree. Return the root."""
    above = int(tree.parents[sibling])
    _replace(tree, sibling, joint, above)
    tree.left[joint], tree.right[joint] = sibling, moving
    tree.parents[sibling] = tree.parents[moving] = joint
    tree.volume[joint] = tree.volume[sibling] + tree.volume[moving]
    tree.log_volume[joint] = logarithm(tree.volume[joint])
    tree.own[joint] = 2.0 * loose.toward[sibling]
    _charge(tree, loose, sibling, above, float(tree.volume[moving]), 2.0)
    return joint if above == NO_NODE else root


@kernel
def _replace(tree: Branches, node: int, by: int, above: int) -> None:
    tree.parents[by] = above
    if above != NO_NODE:
        if tree.left[above] == node:
            tree.left[above] = by
        else:
            tree.right[above] = by


@kernel
def _charge(tree: Branches, loose: Loose, child: int, node: int, mass: float, factor: float) -> None:
    """Add the mass, and `factor` times the weight charged to each node, to a node and its ancestors."""
    while node != NO_NODE:
        tree.volume[node] += mass
        tree.log_volume[node] = logarithm(tree.volume[node])
        tree.own[node] += factor * (loose.toward[node] - loose.toward[child])
        child, node = node, int(tree.parents[node])


@kernel
def _cost_where_it_was(tree: Branches, loose: Loose, moving: int, sibling: int, root: int) -> tuple[float, int]:
    """Return the cost next to the sibling and the steps to the root; fill in `joined` and `below` on the path."""
    mass, length, node = float(tree.volume[moving]), 0, sibling
    while node != root:
        loose.stack[length] = node
        length += 1
        node = int(tree.parents[node])
    loose.joined[root] = logarithm(tree.volume[root] + mass)
    cost = 2.0 * loose.toward[root] * loose.joined[root]
    loose.below[root] = cost + tree.own[root] * (loose.joined[root] - tree.log_volume[root])
    for index in range(length - 1, -1, -1):
        cost = _cost_beside(tree, loose, int(loose.stack[index]), mass)
    return cost, length


@kernel
def _cost_beside(tree: Branches, loose: Loose, node: int, mass: float) -> float:
    """Return the cost with the subtree next to a node, below its parent q; fill in `joined` and `below`.

    As in `relocate`, it follows from the cost of any place below q by subtracting 2·w(x, node)·(log vol'(q) − log
    vol'(node)). Below the node, the node's own cost grows as well.
    """
    above = tree.parents[node]
    loose.joined[node] = logarithm(tree.volume[node] + mass)
    cost = float(loose.below[above] - 2.0 * loose.toward[node] * (loose.joined[above] - loose.joined[node]))
    loose.below[node] = cost + tree.own[node] * (loose.joined[node] - tree.log_volume[node])
    return cost


@kernel
def _cheapest_place(
    tree: Branches, loose: Loose, moving: int, sibling: int, root: int, staying: float
) -> tuple[int, float]:
    """Return the node next to which the subtree costs least, and the cost.

    The result is the sibling unless another place is worth the move. A node without edges to the subtree is no better
    than its parent, so only the root and marked nodes are tried. Every community that contains the subtree has at least
    its volume, which bounds the cost of any place below a node.
    """
    mass, log_mass = float(tree.volume[moving]), tree.log_volume[moving]
    best, least = sibling, float(staying - WORTHWHILE_GAIN * mass)
    beside_root = float(2.0 * loose.toward[root] * loose.joined[root])
    if beside_root < least:
        best, least = root, beside_root
    loose.stack[0], height = root, 1
    while height > 0:
        height -= 1
        node = loose.stack[height]
        for child in (int(tree.left[node]), int(tree.right[node])):
            if child != NO_NODE and loose.toward[child] > 0.0:
                cost = _cost_beside(tree, loose, child, mass)
                if cost < least:
                    best, least = child, cost
                bound = loose.below[child] - 2.0 * loose.toward[child] * (loose.joined[child] - log_mass)
                if tree.left[child] != NO_NODE and bound < least:
                    loose.stack[height] = child
                    height += 1
    return best, least
