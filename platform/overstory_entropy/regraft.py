"""Improves a binary tree by moving leaves and small subtrees to other places, and by rearranging parts of the tree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from overstory_entropy.binary_tree import NO_NODE, BinaryTree, in_order, volumes_and_own
from overstory_entropy.compile import Flags, Floats, Ints, kernel
from overstory_entropy.encoding_tree import common_ancestor, heavy_paths, leaves_below
from overstory_entropy.improve import WORTHWHILE_GAIN
from overstory_entropy.problem import PlacementProblem, logarithm

_SUBTREES_A_PIECE = 8
"""Maximum number of subtrees in a piece. With 10 subtrees, the search takes ten times as long, without better results.
"""


def rearranged(problem: PlacementProblem, tree: BinaryTree, random: np.random.Generator) -> tuple[BinaryTree, float]:
    """Cut the tree into pieces, and rearrange each piece optimally. Return the new tree and the gain in bits.

    A piece consists of a node, some of its descendants, and at most `_SUBTREES_A_PIECE` subtrees below them. Dynamic
    programming over subsets of the subtrees finds the cheapest binary tree with these subtrees. The cuts are random, so
    that the pieces differ from round to round.
    """
    nodes = len(problem.volumes)
    left, right = tree.left.copy(), tree.right.copy()
    gain = _rearrange(problem, tree, left, right, random.random(2 * nodes))
    return in_order(left, right, 2 * nodes - 2), gain / problem.total


class Pieces(NamedTuple):
    """The pieces of a binary tree. A piece consists of several subtrees and the nodes above them, called joints.

    Each node is a joint of at most one piece. Pieces with two subtrees are left out, because they can be arranged in
    only one way.

    Attributes:
        piece_of: Shape (nodes,). The piece that contains the node as a joint; −1 if there is none.
        subtrees: Shape (pieces, _SUBTREES_A_PIECE). Subtrees of each piece, from left to right.
        joints: Shape (pieces, _SUBTREES_A_PIECE − 1). Joints of each piece. Each joint precedes those below it.
        sizes: Shape (pieces,). Number of subtrees of each piece, which is one more than the number of joints.
    """

    piece_of: Ints
    subtrees: Ints
    joints: Ints
    sizes: Ints


@kernel
def _rearrange(problem: PlacementProblem, tree: BinaryTree, left: Ints, right: Ints, random: Floats) -> float:
    """Cut the tree into pieces and rearrange each of them, in `left` and `right`. Return the gain in bits × weight."""
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
    """`random` contains a number from 0 to 1 for each node."""
    nodes = len(tree.left)
    leaves = (nodes + 1) // 2
    piece_of = np.full(nodes, -1, dtype=np.int64)
    # Each stored piece contains at least two of the n − 1 joints. The additional row is for the piece being cut.
    subtrees = np.zeros((leaves // 2 + 1, _SUBTREES_A_PIECE), dtype=np.int64)
    joints = np.zeros((leaves // 2 + 1, _SUBTREES_A_PIECE - 1), dtype=np.int64)
    sizes = np.zeros(leaves // 2 + 1, dtype=np.int64)
    stack = np.empty(nodes, dtype=np.int64)
    stack[0] = nodes - 1
    height, pieces, drawn = 1, 0, 1
    # The size of the first piece is random, so that the borders of all pieces differ from round to round.
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
    """Cut out the piece below a node: replace random subtrees by their two children until there are `limit` subtrees.

    Stop earlier if all subtrees are leaves. Write the subtrees to `hanging`, from left to right, and the joints to
    `joint`.

    Returns:
        The number of subtrees.
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
    """Return twice the weight of the edges between any two subtrees of each piece.

    The shape is (pieces, _SUBTREES_A_PIECE, _SUBTREES_A_PIECE).
    """
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
    """Return the index of the subtree that contains the leaf at a position. Both are counted from left to right."""
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
    """Compute the lowest possible cost of each subset of the subtrees, and the best split of the subset.

    A subset is a bit mask, which is its index in `cost`, `inside`, `mass` and `split`. The cost of a subset S is the
    minimum of X(A, B) · log2 vol(S) + cost(A) + cost(B) over all splits of S into A and B, where X(A, B) is twice the
    weight of the edges between A and B.

    Args:
        cost: Receives the lowest cost of each subset.
        inside: Receives twice the weight of the edges between the subtrees of each subset.
        mass: Receives the volume of each subset.
        split: Receives one of the two parts of the best split of each subset.
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
    """Return the cost of a piece in its current arrangement.

    It is the sum of X · log2 vol over the joints, where vol is the volume of a joint, and X is twice the weight of the
    edges between its two children.
    """
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
    """Return the subtrees below a child of a joint as a bit mask. `held` contains the bit masks of the joints."""
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
"""Number of leaves in a block. Blocks fit into the processor's cache, which makes large rounds three times as fast."""

_MOST_REGRAFTING_STEPS = 100_000_000  # steps through the tree that any call may take; about 1 s
_STEPS_AN_ENTRY = 100  # additional steps per node and row entry; typical trees need 20


class Branches(NamedTuple):
    """A binary tree whose branches can be moved in place. All arrays have the shape (2n − 1,).

    A parent need not have a higher number than its children.

    Attributes:
        left: Left child of each node; −1 for leaves.
        right: Right child of each node; −1 for leaves.
        parents: Parent of each node; −1 for the root.
        own: Twice the weight of the edges between the two children of each node.
    """

    left: Ints
    right: Ints
    parents: Ints
    volume: Floats
    own: Floats
    log_volume: Floats


class Loose(NamedTuple):
    """Working memory for the subtree that is being moved. Each array is as long as the number of nodes in the tree.

    Attributes:
        leaves: Leaves of the subtree, at the beginning of the array. `_gather` returns their number.
        mine: True for each leaf of the subtree.
        toward: Weight of the edges from the subtree to the leaves below each node.
        marked: True for each node whose `toward` is, or will be, positive.
        touched: The marked nodes, at the beginning of the array. Each precedes the nodes below it.
        joined: log2 of the sum of the volumes of each node and the subtree.
        below: Cost of the tree, up to a constant, if the subtree were below a node and all edges from the subtree into
            that node were charged to the node.
        stack: Memory for traversals. It is longer by one.
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
    """Return the leaves in random order, followed by the subtrees with 2 to `largest` leaves in random order.

    In large trees, the order is random only within blocks of adjacent leaves, and the order of the blocks is random.
    """
    leaves = (len(tree.parents) + 1) // 2
    sizes = leaves_below(tree.parents, leaves)
    few = np.flatnonzero((sizes > 1) & (sizes <= largest))
    order = np.concatenate([random.permutation(leaves), random.permutation(few)])
    block = random.permutation(leaves // _LEAVES_A_BLOCK + 1)[tree.first[order] // _LEAVES_A_BLOCK]
    return order[np.lexsort((block, sizes[order] > 1))]


def regrafted(problem: PlacementProblem, tree: BinaryTree, order: Ints) -> tuple[BinaryTree, float, bool]:
    """Move each of the subtrees in `order` to the place where it costs least.

    Returns:
        The new tree, the gain in bits, and True if all subtrees were tried before the limit on steps was reached.
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
    """Take out each of the subtrees in `order` together with its parent, and insert both where they cost least.

    Returns:
        The gain in bits × weight, the root, and True if all subtrees were tried.
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
    """Compute `toward`, `marked` and `touched` for a subtree, and clear `mine`. Return the number of marked nodes."""
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
    """Put the joint where `sibling` was, with the sibling and the moving subtree as its children. Return the root."""
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
    """Add a volume and the charges for the subtree's edges to a node and all its ancestors.

    Args:
        child: Child of the node below which the subtree is placed.
        mass: Volume to add. It is negative if the subtree is taken out.
        factor: 2 if the subtree is inserted, −2 if it is taken out.
    """
    while node != NO_NODE:
        tree.volume[node] += mass
        tree.log_volume[node] = logarithm(tree.volume[node])
        tree.own[node] += factor * (loose.toward[node] - loose.toward[child])
        child, node = node, int(tree.parents[node])


@kernel
def _cost_where_it_was(tree: Branches, loose: Loose, moving: int, sibling: int, root: int) -> tuple[float, int]:
    """Return the cost of the subtree next to its sibling, and the number of steps from there to the root.

    This also computes `joined` and `below` for the nodes on the path.
    """
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
    """Return the cost if the subtree is placed next to a node, and compute the node's `joined` and `below`.

    As in `relocate`, the cost follows from that of a place below the node's parent q: 2·w·(log2 vol'(q) − log2
    vol'(node)) is subtracted, where w is the weight of the edges from the subtree into the node, and vol' is the volume
    including the subtree. If the subtree is placed below the node, the cost of the node itself also grows.
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
    """Return the node next to which the subtree costs least, and its cost there.

    If no other place is worth the move, the node is the sibling. A node without edges to the subtree is never a better
    place than its parent. Only the root and marked nodes are therefore tried. Every node that contains the subtree has
    at least its volume, which leads to a lower bound on the cost of all places below a node.
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
