"""Divides a set of vertices into two sides: computes the gain of a division, and improves it by moving vertices."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from overstory_entropy.compile import Floats, Ids, Ints, kernel

_CANCELLED_SHARE = 1e-6
"""If a subtraction leaves less than this fraction of a sum, rounding errors dominate, and the sum is computed again."""

LEAST_BISECTION_GAIN = 1e-12
_MOST_BISECTION_PASSES = 32


class BisectionProblem(NamedTuple):
    """A set of vertices that must be divided. It consists of blocks, whose vertices are always moved together.

    In a small set, each block contains one vertex. In a large set, kernels are computed only for m sampled vertices.

    Attributes:
        sums: Shape (blocks, m). Sum of the kernels between each sampled vertex and the other vertices of each block. It
            is empty if texts are ignored.
        first: Shape (blocks + 1,). Index at which the sampled vertices of each block start.
        sizes: Shape (blocks,). Number of vertices in each block.
        scale: Number of vertices that each sampled vertex represents; 1.0 if all vertices are sampled.
        indptr: Shape (blocks + 1,). Offset at which the row of each block starts.
        neighbours: Shape (entries,). Neighbouring blocks of each block. A neighbour may occur several times.
        weights: Shape (entries,). Weight of the edge to each of the `neighbours`.
        inside: Shape (blocks,). Twice the weight of the edges inside each block, without loops.
        volume: Shape (blocks,). Sum of the vertices' degrees in the complete graph.
        base: Shape (blocks,). Surprise of each block's sampled vertices without the division, in bits.
        total: Volume of the complete graph.
        whole: Volume of the set.
        rate: Bits of the total entropy per bit of surprise of a vertex: λ / (n · groups), where λ is the weight of the
            texts, n is the number of vertices in the graph, and groups is the number of groups that contain the vertex
            after the division.
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
    """A division of the blocks into two sides, which is improved in place.

    Attributes:
        side: Shape (blocks,). Side of each block, 0 or 1.
        of_vertex: Shape (m,). Side of each sampled vertex.
        towards: Shape (2, m). Sum of the kernels between each sampled vertex and the other vertices of each side.
        logs: Shape (2,). For each side, the sum of log2 of `towards` over its sampled vertices and their own side.
        size: Shape (2,). Number of vertices on each side.
        asked: Shape (2,). Number of sampled vertices on each side.
        volume: Shape (2,). Sum of the volumes of the blocks on each side.
        inside: Shape (2,). Twice the weight of the edges inside each side.
        base: Shape (2,). Sum of the bases of the blocks on each side.
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
    """Return the change in entropy that a division causes, in bits. Negative values are gains.

    Args:
        side: Shape (blocks,). Side of each block, 0 or 1.
    """
    sides = _sides(problem, side)
    return _score(problem, sides, 0) + _score(problem, sides, 1)


def score_of_groups(problem: BisectionProblem, labels: Ints) -> float:
    """Return the change in entropy that a division into any number of groups causes, in bits.

    Args:
        labels: Shape (blocks,). Group of each block, 0 … k−1.
    """
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
    """Improve a division by moving single blocks. Return the new division, and the change in entropy in bits."""
    moved = side.copy()
    for _ in range(_MOST_BISECTION_PASSES):
        if not _pass(problem, _sides(problem, moved), np.arange(len(moved)), moved, True):
            break
    return moved, score_of(problem, moved)


@kernel
def best_sweep(problem: BisectionProblem, order: Ints) -> Ints:
    """Return the best division whose side 0 consists of the first blocks in `order`, and side 1 of the others."""
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
    """Return `inside` and `logs` for each group, defined as in `Sides`. Each has the shape (groups,). O(blocks · m)."""
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
    """Move each block to the other side once, in order. With `only_gains`, undo each move that does not gain.

    Args:
        result: With `only_gains`, receives the final side of each block.

    Returns:
        With `only_gains`, the number of moves that gained. Otherwise, the number of moved blocks after which the
            entropy was lowest.
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
    """Return the values of `Sides.logs` after a move of a block, for the side it leaves and the side it joins. O(m).

    For speed, factors are multiplied, and the logarithm is taken only of the product. Every factor is at least 2^−128.
    When a product becomes very small or very large, its logarithm is added, and a new product is started.
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
    """Return the sum of the kernels between a vertex and one side, without one block of that side."""
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
    """Move a block to the other side, and update everything except kernel sums and their logarithms. O(degree)."""
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
