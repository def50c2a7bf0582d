"""Two ways to divide a set of vertices: the Fiedler vector of its edges, and 2-means of its texts."""

from __future__ import annotations

import numpy as np

from overstory.entropy.compile import Floats, Ids, Ints, kernel

POWER_STEPS = 200
LLOYD_STEPS = 12
STARTS = 3


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
    for _ in range(POWER_STEPS):
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
    best, least = np.zeros(len(points), dtype=np.int64), np.inf
    for _ in range(STARTS):
        side, squares = _lloyd(points, mass, _two_seeds(points, rng))
        if squares < least:
            best, least = side, squares
    return best


def _two_seeds(points: Floats, rng: np.random.Generator) -> Ints:
    """One random point, and another with a probability proportional to its squared distance (k-means++)."""
    first = int(rng.integers(len(points)))
    reach = np.cumsum(((points - points[first]) ** 2).sum(axis=1))
    second = int(np.searchsorted(reach, rng.random() * reach[-1], side="right")) if reach[-1] > 0.0 else first
    return np.array([first, min(second, len(points) - 1)])


def _lloyd(points: Floats, mass: Floats, seeds: Ints) -> tuple[Ints, float]:
    means = points[seeds]
    side, squares = np.zeros(len(points), dtype=np.int64), np.inf
    for _ in range(LLOYD_STEPS):
        distances = np.stack([((points - mean) ** 2).sum(axis=1) for mean in means])
        nearer = (distances[1] < distances[0]).astype(np.int64)
        squares = float(distances.min(axis=0) @ mass)
        if (nearer == side).all() or nearer.all() or not nearer.any():
            return nearer, squares
        side = nearer
        means = np.stack([np.average(points[side == one], axis=0, weights=mass[side == one]) for one in (0, 1)])
    return side, squares
