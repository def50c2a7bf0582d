"""Conversion of vectors to float16 bytes (little endian), for vectors that are stored without an index.

Compared with float32, this halves storage and transfer time and changes cosines by less than 0.001.
"""

from __future__ import annotations

import numpy as np

from overstory.protocols import Vectors

_UNIT_TOLERANCE = 1e-3
"""Maximum deviation from length 1. It is larger than the rounding errors of float32."""


def are_unit(vectors: Vectors) -> bool:
    """Return True if every row of `vectors` (float32[n, d]) is finite and has length 1."""
    squares = np.square(vectors, dtype=np.float64).sum(axis=1)
    return bool((np.abs(squares - 1.0) < 2 * _UNIT_TOLERANCE).all())


def of_unit_length(vectors: Vectors) -> Vectors:
    """Normalise every row of `vectors` (float32[n, d]) to length 1. Rows of zeros are not changed."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    found: Vectors = (vectors / np.where(lengths > 0.0, lengths, 1.0)).astype(np.float32)
    return found


_TYPE = np.dtype("<f2")


def packed(vectors: Vectors) -> list[bytes]:
    """Convert every row of `vectors` (float32[n, d]) to float16 bytes."""
    return [vector.tobytes() for vector in vectors.astype(_TYPE)]


def unpacked(vector: bytes) -> Vectors:
    """Convert the bytes of one vector to float32[d]; the concatenated bytes of n vectors, to float32[n · d]."""
    return np.frombuffer(vector, dtype=_TYPE).astype(np.float32)
