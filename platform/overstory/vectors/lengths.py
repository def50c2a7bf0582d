"""Vectors of unit length, whose products are cosines."""

from __future__ import annotations

import numpy as np

from overstory.protocols import Vectors

_UNIT_TOLERANCE = 1e-3
"""Difference of a length from 1; rounding to float32 makes less."""


def are_unit(vectors: Vectors) -> bool:
    """Whether each row of float32[n, d] has length 1; not if a number is infinite or NaN."""
    squares = np.square(vectors, dtype=np.float64).sum(axis=1)
    return bool((np.abs(squares - 1.0) < 2 * _UNIT_TOLERANCE).all())


def of_unit_length(vectors: Vectors) -> Vectors:
    """float32[n, d] -> float32[n, d], each row of length 1; a row of zeros stays."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    found: Vectors = (vectors / np.where(lengths > 0.0, lengths, 1.0)).astype(np.float32)
    return found
