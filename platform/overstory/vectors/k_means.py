"""Splitting large sets of vectors with k-means, and functions shared by all clusterings.

The time is not quadratic in the number of vectors: each step fits a limited number of centres to a sample and assigns
every vector to a centre. k-means runs on the principal components of the vectors, where it is fast.
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
"""Maximum number of clusters into which one step splits a set."""
_SAMPLED_ROWS = 16_000
"""Maximum number of vectors to which the axes and centres of one step are fitted."""
_VECTORS_A_BLOCK = 65_536
_LEAST_VECTOR_VARIANCE = 1e-10
"""Axes along which unit vectors have a smaller variance are dropped, because such differences are rounding errors."""


def require_clustering() -> None:
    if importlib.util.find_spec("sklearn") is None:
        raise ExtraMissing("scikit-learn", extra="hirag")


def pieces(vectors: Vectors, most: int, *, seed: int = K_MEANS_SEED) -> list[Ints]:
    """Split n vectors into groups of at most `most` vectors, and return the row numbers of each group.

    Takes O(n · _PIECES_A_STEP · log n) time.

    Args:
        vectors: one vector per row, with shape (n, d).
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
    """Return the mean of the points and their principal axes, sorted by variance, largest first.

    Args:
        points: one point per row, with shape (n, d).

    Returns:
        The mean, with shape (d,), and one axis per column, with shape (d, c), where c is at most 10.
    """
    if not len(points):
        return np.zeros(points.shape[1]), np.zeros((points.shape[1], 0))
    centre = points.mean(axis=0)
    spread = points - centre
    variances, axes = np.linalg.eigh(spread.T @ spread / len(points))
    kept = (variances > _LEAST_VECTOR_VARIANCE).nonzero()[0][::-1][:_MOST_PRINCIPAL_COMPONENTS]
    return centre, axes[:, kept]


@contextmanager
def reproducible() -> Generator[None]:
    """Make k-means reproducible: use one thread while the block runs, because the order of sums affects rounding.

    Convergence warnings are suppressed.
    """
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def _by_sample(vectors: Vectors, rows: Ints, k: int, seed: int) -> Ints:
    """Fit k centres to a sample of the rows, and return the number of the nearest centre for each row."""
    from sklearn.cluster import KMeans

    sample = rows[:: -(-len(rows) // _SAMPLED_ROWS)]
    centre, axes = principal_axes(vectors[sample].astype(np.float64))
    if not axes.shape[1]:
        return np.zeros(len(rows), dtype=np.int64)
    fitted = KMeans(k, random_state=seed).fit((vectors[sample] - centre) @ axes)
    blocks = (rows[start : start + _VECTORS_A_BLOCK] for start in range(0, len(rows), _VECTORS_A_BLOCK))
    nearest = [fitted.predict((vectors[block] - centre) @ axes) for block in blocks]
    return np.concatenate(nearest).astype(np.int64)
