"""The bandwidth of the Gaussian kernel: the one that makes the corpus most likely."""

from __future__ import annotations

import numpy as np

from overstory.entropy.compile import Floats

SAMPLED_VECTORS = 512
SAMPLED_NEIGHBOURS = 4096
"""In a larger corpus this many vectors are scored against this many; both samples are drawn with the seed."""

STEPS = 48
NARROWEST = 0.25
"""The grid runs from a quarter of the typical distance to the nearest different vector to that of any two vectors."""


def likeliest_bandwidth(points: Floats, *, seed: int = 0) -> float:
    """The bandwidth of a grid with the highest leave-one-out likelihood, in the unit of the points.

    The likelihood is that of Gaussian densities with their constant, without which wide kernels would always win. Each
    vector counts at most once towards another's nearest distance, so that copies of one text do not pull the bandwidth
    to 0.

    Args:
        points: shape (n, c).
        seed: draws the sample of a corpus of more than 512 vectors. More than 4,096 are thinned to 4,096, which
            widens the bandwidth by a factor of up to (n / 4096)^(1 / (c + 4)).

    Returns:
        The bandwidth; 1.0 if all points are equal.
    """
    squared = _squared_distances(points, seed)
    apart = np.where(squared > 0.0, squared, np.inf).min(axis=1, initial=np.inf)
    nearest = np.sqrt(apart[np.isfinite(apart)])
    if not nearest.size:
        return 1.0
    typical = np.sqrt(np.median(squared[np.isfinite(squared)]))
    grid = np.geomspace(NARROWEST * np.median(nearest), typical, STEPS)
    likelihoods = [_likelihood(squared, float(width), points.shape[1]) for width in grid]
    return float(grid[int(np.argmax(likelihoods))])


def _squared_distances(points: Floats, seed: int) -> Floats:
    """(n, c) -> (asked, others): infinite between a point and itself, and between copies of one point."""
    drawn = np.random.default_rng(seed).permutation(len(points))
    others = np.sort(drawn[:SAMPLED_NEIGHBOURS])
    asked = np.sort(drawn[:SAMPLED_VECTORS])
    squared = np.zeros((len(asked), len(others)))
    for axis in range(points.shape[1]):
        squared += (points[asked, axis][:, None] - points[others, axis][None, :]) ** 2
    squared[squared == 0.0] = np.inf
    return squared


def _likelihood(squared: Floats, width: float, components: int) -> float:
    """The mean log density of the sampled points, in nats, up to a constant that no width changes."""
    exponents = squared / (2.0 * width * width)
    least = exponents.min(axis=1)
    counted = np.isfinite(least)
    shifted = np.exp(least[counted, None] - exponents[counted])
    return float((np.log(shifted.sum(axis=1)) - least[counted]).mean()) - components * float(np.log(width))
