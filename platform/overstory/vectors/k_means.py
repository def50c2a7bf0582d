"""Vectors in pieces by k-means, and what else clusterings share.

Nothing here is quadratic: a set is cut by a bounded number of centres at a time, which are fitted to a sample of it.
Along principal components: k-means is fast there, and finds the same.
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
"""Principal components at most."""
_PIECES_A_STEP = 16
"""Pieces that one step of k-means cuts a set into."""
_SAMPLED_ROWS = 16_000
"""Vectors that the axes and the centres of such a step are fitted to."""
_VECTORS_A_BLOCK = 65_536
"""Vectors that are compared with centres at a time."""
_LEAST_VECTOR_VARIANCE = 1e-10
"""Vectors of unit length that vary less are equal but for rounding."""


def require_clustering() -> None:
    if importlib.util.find_spec("sklearn") is None:
        raise ExtraMissing("scikit-learn", extra="hirag")


def pieces(vectors: Vectors, most: int, *, seed: int = K_MEANS_SEED) -> list[Ints]:
    """The numbers of the vectors, in pieces of at most `most`. O(n · _PIECES_A_STEP · log n).

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
    """The rows of each label, in their order."""
    order = np.argsort(labels, kind="stable")
    ends = np.flatnonzero(np.diff(labels[order])) + 1
    return [part for part in np.split(rows[order], ends) if len(part)]


def slices(rows: Ints, most: int) -> list[Ints]:
    return [rows[start : start + most] for start in range(0, len(rows), most)]


def principal_axes(points: Floats) -> tuple[Floats, Floats]:
    """(n, d) -> their mean (d,) and principal axes (d, c), those of the largest variance first."""
    if not len(points):
        return np.zeros(points.shape[1]), np.zeros((points.shape[1], 0))
    centre = points.mean(axis=0)
    spread = points - centre
    variances, axes = np.linalg.eigh(spread.T @ spread / len(points))
    kept = (variances > _LEAST_VECTOR_VARIANCE).nonzero()[0][::-1][:_MOST_PRINCIPAL_COMPONENTS]
    return centre, axes[:, kept]


@contextmanager
def reproducible() -> Generator[None]:
    """One thread, since sums in another order round differently; and no warnings of a fit that ends at its limit."""
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def _by_sample(vectors: Vectors, rows: Ints, k: int, seed: int) -> Ints:
    """The nearest of k centres for each of the rows, fitted to a sample of them."""
    from sklearn.cluster import KMeans

    sample = rows[:: -(-len(rows) // _SAMPLED_ROWS)]
    centre, axes = principal_axes(vectors[sample].astype(np.float64))
    if not axes.shape[1]:
        return np.zeros(len(rows), dtype=np.int64)
    fitted = KMeans(k, random_state=seed).fit((vectors[sample] - centre) @ axes)
    blocks = (rows[start : start + _VECTORS_A_BLOCK] for start in range(0, len(rows), _VECTORS_A_BLOCK))
    nearest = [fitted.predict((vectors[block] - centre) @ axes) for block in blocks]
    return np.concatenate(nearest).astype(np.int64)
