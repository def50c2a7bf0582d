"""Vectors in groups that lie apart."""

from __future__ import annotations

import numpy as np

from overstory.protocols import Vectors
from overstory_entropy.compile import Ints


def blobs(*, groups: int, each: int, dimension: int = 16, spread: float = 0.02) -> tuple[Vectors, Ints]:
    """Unit vectors around random centres, shuffled, shape (groups · each, dimension), and the group of each."""
    random = np.random.default_rng(7)
    truth = random.permutation(np.repeat(np.arange(groups), each))
    points = random.normal(size=(groups, dimension))[truth]
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    points += random.normal(scale=spread, size=points.shape)
    unit: Vectors = (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(np.float32)
    return unit, truth
