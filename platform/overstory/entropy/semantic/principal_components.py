"""Principal components of vectors: in hundreds of dimensions all distances would be nearly equal."""

from __future__ import annotations

import numpy as np

from overstory.entropy.compile import Floats

MOST_COMPONENTS = 32
VARIANCE_KEPT = 0.9
"""As many components as keep this share of the variance, but no more than 32."""


def principal_components(vectors: Floats) -> Floats:
    """Coordinates along the directions of greatest variance, the greatest first; the sign of each direction makes its
    largest coefficient positive.

    Args:
        vectors: shape (n, d), finite.

    Returns:
        Shape (n, c): c is the least number of components with 90 % of the variance, at most 32; 0 for vectors that
        are all equal.
    """
    centred = vectors - vectors.mean(axis=0) if len(vectors) else vectors
    variance, directions = _directions(centred)
    kept = _components_needed(variance)
    strongest = np.abs(directions[:, :kept]).argmax(axis=0)
    signs = np.sign(directions[strongest, np.arange(kept)])
    return np.ascontiguousarray(centred @ (directions[:, :kept] * signs))


def _directions(centred: Floats) -> tuple[Floats, Floats]:
    """(n, d) -> variances (min(n, d),) falling, directions (d, min(n, d)); from the smaller of the two products."""
    if len(centred) < centred.shape[1]:
        _, scale, rows = np.linalg.svd(centred, full_matrices=False)
        return scale**2, rows.T
    rising, directions = np.linalg.eigh(centred.T @ centred)
    return np.maximum(rising[::-1], 0.0), directions[:, ::-1]


def _components_needed(variance: Floats) -> int:
    total = float(variance.sum())
    if total <= 0.0:
        return 0
    enough = int(np.searchsorted(np.cumsum(variance), VARIANCE_KEPT * total)) + 1
    return min(enough, MOST_COMPONENTS, int((variance > 1e-12 * variance[0]).sum()))
