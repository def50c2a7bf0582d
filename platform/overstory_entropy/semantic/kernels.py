"""Gaussian kernels between many points, in loops that the compiler turns into vector instructions."""

from __future__ import annotations

import math

import numpy as np

from overstory_entropy.compile import Floats, Ints, kernel

MOST_SURPRISE_BITS = 128.0
"""Upper limit of the surprise, which keeps densities finite; it is reached at some 13 bandwidths."""

_TILE_POINTS = 512
"""Points at a time: their coordinates and kernels stay in the processor's cache."""

BITS = math.log2(math.e)
NATS = math.log(2.0)
ROUNDING_MAGIC = 1.5 * 2.0**52
"""Added to a number, it leaves the nearest whole one in the lowest bits."""
_EXPONENT_SHIFT = 52
EXPONENT_BIAS = 1023 - int(np.float64(ROUNDING_MAGIC).view(np.int64))


@kernel
def kernel_sums(points: Floats, asked: Ints, members: Ints, first: Ints) -> Floats:
    """(n, c), (k,), (m,), (blocks + 1,) -> (blocks, k): the kernels between each vertex and the others of each block.

    exp(−|x − y|²), at least 2^−128, summed. Block b holds members[first[b]:first[b + 1]]; blocks of one vertex give the
    matrix of kernels, with 0 where a vertex meets itself.
    """
    sums = np.zeros((len(first) - 1, len(asked)))
    columns, found, power = np.empty((points.shape[1], _TILE_POINTS)), np.empty(_TILE_POINTS), np.empty(_TILE_POINTS)
    for low in range(0, len(asked), _TILE_POINTS):
        width = min(_TILE_POINTS, len(asked) - low)
        for axis in range(points.shape[1]):
            for at in range(width):
                columns[axis, at] = points[asked[low + at], axis]
        for block in range(len(first) - 1):
            row = sums[block, low : low + width]
            for place in range(first[block], first[block + 1]):
                _kernels(points[members[place]], columns, width, found, power)
                for at in range(width):
                    row[at] += 0.0 if asked[low + at] == members[place] else found[at]
    return sums


@kernel
def _kernels(point: Floats, columns: Floats, width: int, found: Floats, power: Floats) -> None:
    """(c,), (c, tile) -> found: the kernels between a point and the first points of a tile.

    2^y is 2^k · e^f for the nearest whole number k: the first factor is a shift, the second a short series.
    """
    for at in range(width):
        found[at] = 0.0
    for axis in range(len(point)):
        value = point[axis]
        for at in range(width):
            apart = columns[axis, at] - value
            found[at] += apart * apart
    for at in range(width):
        power[at] = max(-found[at] * BITS, -MOST_SURPRISE_BITS) + ROUNDING_MAGIC
    for at in range(width):
        rest = (max(-found[at] * BITS, -MOST_SURPRISE_BITS) - (power[at] - ROUNDING_MAGIC)) * NATS
        series = 1.0 / 3628800.0 * rest + 1.0 / 362880.0
        series = series * rest + 1.0 / 40320.0
        series = series * rest + 1.0 / 5040.0
        series = series * rest + 1.0 / 720.0
        series = series * rest + 1.0 / 120.0
        series = series * rest + 1.0 / 24.0
        series = series * rest + 1.0 / 6.0
        series = series * rest + 0.5
        series = series * rest + 1.0
        found[at] = series * rest + 1.0
    shifted = power.view(np.int64)
    for at in range(width):
        shifted[at] = (shifted[at] + EXPONENT_BIAS) << _EXPONENT_SHIFT
    for at in range(width):
        found[at] *= power[at]
