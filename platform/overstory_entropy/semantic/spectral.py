"""Two ways to divide a set of vertices: the Fiedler vector of its edges, and 2-means of its texts."""

from __future__ import annotations

import numpy as np

from overstory_entropy.compile import Floats, Ids, Ints, kernel

_POWER_STEPS = 200
_LLOYD_STEPS = 12
_LLOYD_STARTS = 3


@kernel
def components(indptr: Ints, neighbours: Ids) -> Ints:
    """(b + 1,), (e,) -> (b,): the connected component of each block, numbered by their first blocks."""
    label = np.full(len(indptr) - 1, -1, dtype=np.int64)
    waiting = np.empty(len(label), dtype=np.int64)
    found = 0
    for block in range(len(label)):
        if label[block] >= 0:
            continue
        label[block] = found
        waiting[0] = block
        length = 1
        while length > 0:
            length -= 1
            at = waiting[length]
            for entry in range(indptr[at], indptr[at + 1]):
                if label[neighbours[entry]] < 0:
                    label[neighbours[entry]] = found
                    waiting[length] = neighbours[entry]
                    length += 1
        found += 1
    return label


@kernel
def fiedler(indptr: Ints, neighbours: Ids, weights: Floats, inside: Floats, start: Floats) -> Floats:
    """(b + 1,), (e,), (e,), (b,), (b,) -> (b,): approximately the second eigenvector of the random walk.

    Power iteration on the lazy walk, with the first eigenvector removed at each step; it orders the blocks like the
    Fiedler vector of the normalised Laplacian. A block without edges has the value 0.
    """
    degree = inside.copy()
    for block in range(len(degree)):
        for entry in range(indptr[block], indptr[block + 1]):
            degree[block] += weights[entry]
    root = np.sqrt(degree)
    inverse = np.zeros(len(root))
    for block in range(len(root)):
        if root[block] > 0.0:
            inverse[block] = 1.0 / root[block]
    total = degree.sum()
    vector = start.copy()
    for _ in range(_POWER_STEPS):
        vector -= root * ((root * vector).sum() / total)
        length = np.sqrt((vector * vector).sum())
        if length == 0.0:
            break
        vector /= length
        walked = vector.copy()
        for block in range(len(vector)):
            flow = inside[block] * inverse[block] * vector[block]
            for entry in range(indptr[block], indptr[block + 1]):
                flow += weights[entry] * inverse[neighbours[entry]] * vector[neighbours[entry]]
            walked[block] += inverse[block] * flow
        vector = walked
    return vector * inverse


def two_means(points: Floats, mass: Floats, rng: np.random.Generator) -> Ints:
    """(b, c), (b,) -> (b,): 0 or 1, the nearer of two means; the best of several starts by squared distance.

    All 0 if all points are equal.
    """
    return _best_of_starts(points, mass, rng.random((_LLOYD_STARTS, 2)))


@kernel
def _best_of_starts(points: Floats, mass: Floats, drawn: Floats) -> Ints:
    """(b, c), (b,), (starts, 2) -> (b,)."""
    best, least = np.zeros(len(points), dtype=np.int64), np.inf
    for start in range(len(drawn)):
        side = np.zeros(len(points), dtype=np.int64)
        squares = _lloyd(points, mass, _two_seeds(points, drawn[start]), side)
        if squares < least:
            best, least = side, squares
    return best


@kernel
def _two_seeds(points: Floats, drawn: Floats) -> Floats:
    """One random point, and another with a probability proportional to its squared distance (k-means++)."""
    first = min(int(drawn[0] * len(points)), len(points) - 1)
    reach = np.zeros(len(points))
    total = 0.0
    for at in range(len(points)):
        total += _squared(points[at], points[first])
        reach[at] = total
    second = first
    if total > 0.0:
        second = min(int(np.searchsorted(reach, drawn[1] * total, side="right")), len(points) - 1)
    means = np.empty((2, points.shape[1]))
    means[0], means[1] = points[first], points[second]
    return means


@kernel
def _lloyd(points: Floats, mass: Floats, means: Floats, side: Ints) -> float:
    """Move both means until no point changes sides; the sides in `side`, and the squared distances summed."""
    squares = 0.0
    weight = np.zeros(2)
    for _ in range(_LLOYD_STEPS):
        squares, changed = 0.0, False
        weight[:] = 0.0
        for at in range(len(points)):
            apart, other = _squared(points[at], means[0]), _squared(points[at], means[1])
            nearer = 1 if other < apart else 0
            squares += mass[at] * min(apart, other)
            changed = changed or nearer != side[at]
            side[at] = nearer
            weight[nearer] += mass[at]
        if not changed or weight[0] == 0.0 or weight[1] == 0.0:
            break
        means[:] = 0.0
        for at in range(len(points)):
            for axis in range(points.shape[1]):
                means[side[at], axis] += points[at, axis] * mass[at] / weight[side[at]]
    return squares


@kernel
def _squared(one: Floats, other: Floats) -> float:
    squared = 0.0
    for axis in range(len(one)):
        apart = one[axis] - other[axis]
        squared += apart * apart
    return squared
