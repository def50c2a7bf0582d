"""Vectors as bytes, two a dimension (float16, little endian), for those that are stored and not searched by an index.

Half of the space, and of the time to send them; cosines differ by less than .001.
"""

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


_TYPE = np.dtype("<f2")


def packed(vectors: Vectors) -> list[bytes]:
    """The rows of float32[n, d]."""
    return [vector.tobytes() for vector in vectors.astype(_TYPE)]


def unpacked(vector: bytes) -> Vectors:
    """float32[d]; of several rows joined, one after the other."""
    return np.frombuffer(vector, dtype=_TYPE).astype(np.float32)
