"""Division of a set of vertices into two sides: its gain, and moves from one side to the other."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from overstory_entropy.compile import Floats, Ids, Ints, kernel

_CANCELLED_SHARE = 1e-6
"""A sum that a subtraction leaves with less than this share is summed again: the remainder would be rounding error."""

LEAST_BISECTION_GAIN = 1e-12
_MOST_BISECTION_PASSES = 32


class BisectionProblem(NamedTuple):
    """A set of vertices to be divided, as blocks that move whole; blocks of one vertex unless the set is large.

    Attributes:
        sums: shape (blocks, m): the kernels between each vertex and the others of each block, summed; empty if the
            texts do not count. In a large set only a sample of m vertices is asked for its kernels.
        first: shape (blocks + 1,): where the vertices asked of each block begin.
        sizes: shape (blocks,): the number of vertices of each block.
        scale: how many vertices each one asked stands for; 1.0 if all are.
        indptr, neighbours, weights: the edges between blocks in compressed sparse rows; parallel ones are allowed.
        inside: shape (blocks,): twice the weight of the edges inside each block, loops apart.
        volume: shape (blocks,): the degrees in the whole graph, summed.
        base: shape (blocks,): the bits that the vertices asked of each block would cost without the division.
        total: the volume of the whole graph.
        whole: the volume of the set.
        rate: bits of the total per bit of a vertex of the set, λ / (n · groups).
    """

    sums: Floats
    first: Ints
    sizes: Ints
    scale: float
    indptr: Ints
    neighbours: Ids
    weights: Floats
    inside: Floats
    volume: Floats
    base: Floats
    total: float
    whole: float
    rate: float


class Sides(NamedTuple):
    """A division being improved; kernels change it in place.

    Attributes:
        side: shape (blocks,): 0 or 1.
        of_vertex: shape (m,): the side of each vertex asked.
        towards: shape (2, m): the kernels between each vertex and the others of either side, summed.
        logs: shape (2,): log2 of the sums towards the own side, summed over each side.
        size, asked: shape (2,): how many vertices each side has, and how many of those asked.
        volume, inside, base: shape (2,): the blocks' attributes, summed over each side.
    """

    side: Ints
    of_vertex: Ints
    towards: Floats
    logs: Floats
    size: Ints
    asked: Ints
    volume: Floats
    inside: Floats
    base: Floats


@kernel
def score_of(problem: BisectionProblem, side: Ints) -> float:
    """The change of the entropy by a division, in bits; negative is a gain."""
    sides = _sides(problem, side)
    return _score(problem, sides, 0) + _score(problem, sides, 1)


def score_of_groups(problem: BisectionProblem, labels: Ints) -> float:
    """The change of the entropy by a division into groups 0 … k−1, shape (blocks,), in bits."""
    groups = int(labels.max()) + 1
    count = np.bincount(labels, weights=problem.sizes, minlength=groups)
    asked = np.bincount(labels, weights=np.diff(problem.first), minlength=groups)
    volume = np.bincount(labels, weights=problem.volume, minlength=groups)
    base = np.bincount(labels, weights=problem.base, minlength=groups)
    inside, logs = _inside_and_logs(problem, labels, groups)
    bits = 0.0
    for group in np.flatnonzero(count > 1.0):
        bits += _side_score(problem, asked[group], volume[group], inside[group], logs[group], base[group])
    return bits


@kernel
def improved(problem: BisectionProblem, side: Ints) -> tuple[Ints, float]:
    """Move single blocks while a move gains; returns the division and its change in bits."""
    moved = side.copy()
    for _ in range(_MOST_BISECTION_PASSES):
        if not _pass(problem, _sides(problem, moved), np.arange(len(moved)), moved, True):
            break
    return moved, score_of(problem, moved)


@kernel
def best_sweep(problem: BisectionProblem, order: Ints) -> Ints:
    """The best division into the first blocks of an order and the others."""
    side = np.ones(len(order), dtype=np.int64)
    best = _pass(problem, _sides(problem, side), order, side, False)
    swept = np.ones(len(order), dtype=np.int64)
    swept[order[:best]] = 0
    return swept


@kernel
def _sides(problem: BisectionProblem, side: Ints) -> Sides:
    """The sums of a division from scratch. O(blocks · m)."""
    m = problem.first[-1]
    of_vertex = np.zeros(m, dtype=np.int64)
    towards, logs = np.zeros((2, m)), np.zeros(2)
    size, asked = np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64)
    volume, inside, base = np.zeros(2), np.zeros(2), np.zeros(2)
    for block in range(len(side)):
        at = side[block]
        of_vertex[problem.first[block] : problem.first[block + 1]] = at
        size[at] += problem.sizes[block]
        asked[at] += problem.first[block + 1] - problem.first[block]
        volume[at] += problem.volume[block]
        inside[at] += problem.inside[block]
        base[at] += problem.base[block]
        for entry in range(problem.indptr[block], problem.indptr[block + 1]):
            if side[problem.neighbours[entry]] == at:
                inside[at] += problem.weights[entry]
        if problem.rate > 0.0:
            towards[at] += problem.sums[block]
    if problem.rate > 0.0:
        for vertex in range(m):
            if towards[of_vertex[vertex], vertex] > 0.0:
                logs[of_vertex[vertex]] += math.log2(towards[of_vertex[vertex], vertex])
    return Sides(side.copy(), of_vertex, towards, logs, size, asked, volume, inside, base)


@kernel
def _inside_and_logs(problem: BisectionProblem, labels: Ints, groups: int) -> tuple[Floats, Floats]:
    """(blocks,) -> (groups,), (groups,): `inside` and `logs` of `Sides`, of several groups. O(blocks · m)."""
    inside, logs = np.zeros(groups), np.zeros(groups)
    own = np.zeros(problem.first[-1])
    of_vertex = np.zeros(problem.first[-1], dtype=np.int64)
    for block in range(len(labels)):
        of_vertex[problem.first[block] : problem.first[block + 1]] = labels[block]
        inside[labels[block]] += problem.inside[block]
        for entry in range(problem.indptr[block], problem.indptr[block + 1]):
            if labels[problem.neighbours[entry]] == labels[block]:
                inside[labels[block]] += problem.weights[entry]
    if problem.rate > 0.0:
        for block in range(len(labels)):
            for vertex in range(len(own)):
                if of_vertex[vertex] == labels[block]:
                    own[vertex] += problem.sums[block, vertex]
        for vertex in range(len(own)):
            if own[vertex] > 0.0:
                logs[of_vertex[vertex]] += math.log2(own[vertex])
    return inside, logs


@kernel
def _score(problem: BisectionProblem, sides: Sides, at: int) -> float:
    """The change by one side, in bits; a single vertex stays a leaf and changes nothing."""
    if sides.size[at] < 2:
        return 0.0
    asked = float(sides.asked[at])
    return _side_score(problem, asked, sides.volume[at], sides.inside[at], sides.logs[at], sides.base[at])


@kernel
def _side_score(
    problem: BisectionProblem, asked: float, volume: float, inside: float, logs: float, base: float
) -> float:
    """The change by a group of two or more vertices, in bits."""
    bits = 0.0
    if inside > 0.0:
        bits -= inside / problem.total * math.log2(problem.whole / volume)
    count = problem.scale * asked
    if problem.rate > 0.0 and count > 1.0:
        bits += problem.rate * (count * math.log2(count - 1.0) - problem.scale * (logs + base))
    return bits


@kernel
def _pass(problem: BisectionProblem, sides: Sides, order: Ints, result: Ints, only_gains: bool) -> int:
    """Move every block once to the other side, in order, and back if `only_gains` and the move does not gain.

    Returns the number of gains, with the sides in `result`; or how many blocks had moved when the score was lowest.
    """
    gains, best, crossed = 0, 0, 0
    score = _score(problem, sides, 0) + _score(problem, sides, 1)
    least = np.inf
    for block in order:
        source = int(sides.side[block])
        if sides.size[source] == problem.sizes[block]:
            continue
        left, joined = _logs_after(problem, sides, block)
        kept, gone = sides.logs[0], sides.logs[1]
        _move_totals(problem, sides, block)
        sides.logs[source], sides.logs[1 - source] = left, joined
        after = _score(problem, sides, 0) + _score(problem, sides, 1)
        crossed += 1
        if only_gains and after >= score - LEAST_BISECTION_GAIN:
            _move_totals(problem, sides, block)
            sides.logs[0], sides.logs[1] = kept, gone
            continue
        _move_sums(problem, sides, block, source)
        score = after
        gains += 1
        if score < least:
            least, best = score, crossed
    if only_gains:
        result[:] = sides.side
        return gains
    return best


@kernel
def _logs_after(problem: BisectionProblem, sides: Sides, block: int) -> tuple[float, float]:
    """The logs of the side that a block would leave and of the one it would join. O(m).

    Logarithms are taken of products, which are never 0: a factor is at least 2^−128, and a tiny product is restarted.
    """
    if problem.rate == 0.0:
        return 0.0, 0.0
    source = int(sides.side[block])
    left, joined, product_left, product_joined = 0.0, 0.0, 1.0, 1.0
    for vertex in range(len(sides.of_vertex)):
        crossing = problem.first[block] <= vertex < problem.first[block + 1]
        if crossing or sides.of_vertex[vertex] != source:
            value = sides.towards[1 - source, vertex] + problem.sums[block, vertex]
            if value > 0.0:
                product_joined *= value
                if product_joined < 1e-100 or product_joined > 1e100:
                    joined += math.log2(product_joined)
                    product_joined = 1.0
        else:
            value = _without(problem, sides, block, source, vertex)
            if value > 0.0:
                product_left *= value
                if product_left < 1e-100 or product_left > 1e100:
                    left += math.log2(product_left)
                    product_left = 1.0
    return left + math.log2(product_left), joined + math.log2(product_joined)


@kernel
def _without(problem: BisectionProblem, sides: Sides, block: int, source: int, vertex: int) -> float:
    """The sum of a vertex towards a side, less a block of it."""
    value = float(sides.towards[source, vertex] - problem.sums[block, vertex])
    if value >= _CANCELLED_SHARE * sides.towards[source, vertex]:
        return value
    value = 0.0
    for other in range(len(sides.side)):
        if other != block and sides.side[other] == source:
            value += float(problem.sums[other, vertex])
    return value


@kernel
def _move_totals(problem: BisectionProblem, sides: Sides, block: int) -> None:
    """Move a block to the other side in everything except the kernel sums. O(its degree)."""
    source = int(sides.side[block])
    target = 1 - source
    sides.size[source] -= problem.sizes[block]
    sides.size[target] += problem.sizes[block]
    asked = problem.first[block + 1] - problem.first[block]
    sides.asked[source] -= asked
    sides.asked[target] += asked
    sides.volume[source] -= problem.volume[block]
    sides.volume[target] += problem.volume[block]
    sides.base[source] -= problem.base[block]
    sides.base[target] += problem.base[block]
    sides.inside[source] -= problem.inside[block]
    sides.inside[target] += problem.inside[block]
    for entry in range(problem.indptr[block], problem.indptr[block + 1]):
        if sides.side[problem.neighbours[entry]] == source:
            sides.inside[source] -= 2.0 * problem.weights[entry]
        else:
            sides.inside[target] += 2.0 * problem.weights[entry]
    sides.side[block] = target


@kernel
def _move_sums(problem: BisectionProblem, sides: Sides, block: int, source: int) -> None:
    """Move the vertices of a block, already moved in everything else, in the kernel sums. O(m)."""
    sides.of_vertex[problem.first[block] : problem.first[block + 1]] = 1 - source
    if problem.rate > 0.0:
        for vertex in range(len(sides.of_vertex)):
            sides.towards[source, vertex] = _without(problem, sides, block, source, vertex)
            sides.towards[1 - source, vertex] += problem.sums[block, vertex]
