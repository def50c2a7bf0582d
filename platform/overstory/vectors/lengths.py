"""Vectors of unit length, whose products are cosines."""

from __future__ import annotations

import numpy as np

from overstory.protocols import Vectors


def of_unit_length(vectors: Vectors) -> Vectors:
    """float32[n, d] -> float32[n, d], each row of length 1; a row of zeros stays."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    found: Vectors = (vectors / np.where(lengths > 0.0, lengths, 1.0)).astype(np.float32)
    return found
