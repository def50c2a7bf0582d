"""Splitting of large vector sets with k-means, and helpers that clusterings share.

Nothing here takes quadratic time: each step splits a set by a limited number of centres that are fitted to a sample.
k-means runs along principal components, where it is fast and gives the same result.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Generator
from contextlib import contextmanager

import numpy as np

from overstory.errors import ExtraMissing
from overstory.protocols import Vectors
from overstory_entropy.compile import Floats, Ints

K_MEANS_SEED = 20_250
_MOST_PRINCIPAL_COMPONENTS = 10
_PIECES_A_STEP = 16
"""Number of clusters of one k-means step."""
_SAMPLED_ROWS = 16_000
"""Number of vectors to which axes and centres are fitted."""
_VECTORS_A_BLOCK = 65_536
_LEAST_VECTOR_VARIANCE = 1e-10
"""Unit vectors with a smaller variance are equal except for rounding."""


def require_clustering() -> None:
    if importlib.util.find_spec("sklearn") is None:
        raise ExtraMissing("scikit-learn", extra="hirag")


def pieces(vectors: Vectors, most: int, *, seed: int = K_MEANS_SEED) -> list[Ints]:
    """Split vectors into groups of at most `most`; return the row numbers of each. O(n · _PIECES_A_STEP · log n).

    Args:
        vectors: shape (n, d).
    """
    require_clustering()
    pending, found = [np.arange(len(vectors))], list[Ints]()
    with reproducible():
        while pending:
            rows = pending.pop()
            if len(rows) <= most:
                found.append(rows)
                continue
            cut = parts(rows, _by_sample(vectors, rows, min(_PIECES_A_STEP, -(-2 * len(rows) // most)), seed))
            pending += cut if len(cut) > 1 else slices(rows, most)
    return found


def parts(rows: Ints, labels: Ints) -> list[Ints]:
    order = np.argsort(labels, kind="stable")
    ends = np.flatnonzero(np.diff(labels[order])) + 1
    return [part for part in np.split(rows[order], ends) if len(part)]


def slices(rows: Ints, most: int) -> list[Ints]:
    return [rows[start : start + most] for start in range(0, len(rows), most)]


def principal_axes(points: Floats) -> tuple[Floats, Floats]:
    """Return mean (d,) and principal axes (d, c) of points (n, d), largest variance first."""
    if not len(points):
        return np.zeros(points.shape[1]), np.zeros((points.shape[1], 0))
    centre = points.mean(axis=0)
    spread = points - centre
    variances, axes = np.linalg.eigh(spread.T @ spread / len(points))
    kept = (variances > _LEAST_VECTOR_VARIANCE).nonzero()[0][::-1][:_MOST_PRINCIPAL_COMPONENTS]
    return centre, axes[:, kept]


@contextmanager
def reproducible() -> Generator[None]:
    """Use one thread, because the order of sums changes rounding; suppress convergence warnings."""
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def _by_sample(vectors: Vectors, rows: Ints, k: int, seed: int) -> Ints:
    """Assign each row to the nearest of k centres that are fitted to a sample."""
    from sklearn.cluster import KMeans

    sample = rows[:: -(-len(rows) // _SAMPLED_ROWS)]
    centre, axes = principal_axes(vectors[sample].astype(np.float64))
    if not axes.shape[1]:
        return np.zeros(len(rows), dtype=np.int64)
    fitted = KMeans(k, random_state=seed).fit((vectors[sample] - centre) @ axes)
    blocks = (rows[start : start + _VECTORS_A_BLOCK] for start in range(0, len(rows), _VECTORS_A_BLOCK))
    nearest = [fitted.predict((vectors[block] - centre) @ axes) for block in blocks]
    return np.concatenate(nearest).astype(np.int64)
