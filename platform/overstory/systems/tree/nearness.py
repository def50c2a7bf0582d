"""How near vectors are to the mean of a group of them, compared so that rounding decides nothing."""

from __future__ import annotations

import numpy as np

from overstory.protocols import Vectors
from overstory.vectors.nearest import COSINE_STEPS
from overstory_entropy.compile import Floats, Ints


def to_mean(vectors: Vectors) -> Floats:
    """(n, d) -> cosines to the mean of the vectors, (n,); 0.0 for a zero vector, and where the mean is zero."""
    exact = vectors.astype(np.float64)
    return cosines_to(exact, exact.mean(axis=0))


def cosines_to(vectors: Floats, centre: Floats) -> Floats:
    """(n, d), (d,) -> (n,), in steps of 2⁻²⁰."""
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(centre)
    cosines = np.divide(vectors @ centre, lengths, out=np.zeros(len(vectors)), where=lengths > 0.0)
    rounded: Floats = np.rint(cosines * COSINE_STEPS) / COSINE_STEPS
    return rounded


def nearest_first(cosines: Floats) -> Ints:
    """The places, the one of the largest cosine first; of equal ones the lower place."""
    return np.argsort(-cosines, kind="stable")
