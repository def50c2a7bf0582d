"""Division of a set of vertices into two sides: the gain of a division, and moves from one side to the other."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from overstory_entropy.compile import Floats, Ids, Ints, kernel

_CANCELLED_SHARE = 1e-6
"""If a subtraction leaves less than this share of a sum, the sum is recomputed: the rest would be rounding error."""

LEAST_BISECTION_GAIN = 1e-12
_MOST_BISECTION_PASSES = 32


class BisectionProblem(NamedTuple):
    """A set of vertices to be divided, as blocks of vertices that move as a whole.

    In a small set, each block is one vertex. In a large set, kernels are computed only for a sample of m vertices.

    Attributes:
        sums: Shape (blocks, m): sum of the kernels between each sampled vertex and the other vertices of each block;
            empty if the texts do not count.
        first: Shape (blocks + 1,): start of each block's sampled vertices.
        sizes: Shape (blocks,): number of vertices in each block.
        scale: Number of vertices that each sampled vertex stands for; 1.0 if all are sampled.
        indptr, neighbours, weights: Edges between blocks in compressed sparse rows; parallel edges are allowed.
        inside: Shape (blocks,): twice the weight of the edges inside each block, without loops.
        volume: Shape (blocks,): sum of the degrees in the whole graph.
        base: Shape (blocks,): bits of each block's sampled vertices without the division.
        total: Volume of the whole graph.
        whole: Volume of the set.
        rate: Bits of the total per bit of a vertex of the set, λ / (n · groups).
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
    """A division being improved. Kernels change it in place.

    Attributes:
        side: Shape (blocks,): 0 or 1.
        of_vertex: Shape (m,): side of each sampled vertex.
        towards: Shape (2, m): sum of the kernels between each sampled vertex and the other vertices of either side.
        logs: Shape (2,): for each side, the sum of log2 of its vertices' sums towards their own side.
        size, asked: Shape (2,): number of vertices, and of sampled vertices, on each side.
        volume, inside, base: Shape (2,): sums of the blocks' attributes over each side.
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
    """Return the entropy change of a division in bits; negative values are gains."""
    sides = _sides(problem, side)
    return _score(problem, sides, 0) + _score(problem, sides, 1)


def score_of_groups(problem: BisectionProblem, labels: Ints) -> float:
    """Return the entropy change of a division into groups 0 … k−1, shape (blocks,), in bits."""
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
    """Move single blocks while moves gain; return the division and its change in bits."""
    moved = side.copy()
    for _ in range(_MOST_BISECTION_PASSES):
        if not _pass(problem, _sides(problem, moved), np.arange(len(moved)), moved, True):
            break
    return moved, score_of(problem, moved)


@kernel
def best_sweep(problem: BisectionProblem, order: Ints) -> Ints:
    """Return the best division into the first blocks of an order and the remaining blocks."""
    side = np.ones(len(order), dtype=np.int64)
    best = _pass(problem, _sides(problem, side), order, side, False)
    swept = np.ones(len(order), dtype=np.int64)
    swept[order[:best]] = 0
    return swept


@kernel
def _sides(problem: BisectionProblem, side: Ints) -> Sides:
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
    """Return `inside` and `logs` (see `Sides`) of several groups, (blocks,) -> (groups,), (groups,). O(blocks · m)."""
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
    if sides.size[at] < 2:
        return 0.0
    asked = float(sides.asked[at])
    return _side_score(problem, asked, sides.volume[at], sides.inside[at], sides.logs[at], sides.base[at])


@kernel
def _side_score(
    problem: BisectionProblem, asked: float, volume: float, inside: float, logs: float, base: float
) -> float:
    bits = 0.0
    if inside > 0.0:
        bits -= inside / problem.total * math.log2(problem.whole / volume)
    count = problem.scale * asked
    if problem.rate > 0.0 and count > 1.0:
        bits += problem.rate * (count * math.log2(count - 1.0) - problem.scale * (logs + base))
    return bits


@kernel
def _pass(problem: BisectionProblem, sides: Sides, order: Ints, result: Ints, only_gains: bool) -> int:
    """Move every block once to the other side, in order. With `only_gains`, undo moves that do not gain.

    Returns the number of gains, with the sides in `result`; without `only_gains`, the number of moved blocks at which
    the score was lowest.
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
    """Return what `Sides.logs` would be after moving a block, for the side left and the side joined. O(m).

    For speed, logarithms are taken of products. Factors are at least 2^−128, and a tiny product is restarted.
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
    """Return the kernel sum between a vertex and one side, leaving out one block of that side."""
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
    """Move a block to the other side and update everything except the kernel sums. O(degree of the block)."""
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
    sides.of_vertex[problem.first[block] : problem.first[block + 1]] = 1 - source
    if problem.rate > 0.0:
        for vertex in range(len(sides.of_vertex)):
            sides.towards[source, vertex] = _without(problem, sides, block, source, vertex)
            sides.towards[1 - source, vertex] += problem.sums[block, vertex]
