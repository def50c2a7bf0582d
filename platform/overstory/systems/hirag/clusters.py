"""Groups of entities with similar vectors, none large: what a summary is written of.

Source: HiRAG, Section 4.1, Eq. 8: a Gaussian mixture, of which every entity belongs to one component, that of its
largest share. The number of components is the one of the lowest BIC, as in RAPTOR. Principal components stand in for
RAPTOR's UMAP. Spherical components: on descriptions they have a lower BIC than full, tied or diagonal ones.

Nothing here is quadratic: above `PIECE` entities k-means first cuts them into pieces, by a bounded number of centres at
a time, and then each piece into groups of the wanted size.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager

import numpy as np

from overstory.entropy.compile import Floats, Ints
from overstory.errors import ExtraMissing
from overstory.protocols import Vectors

MOST = 30
"""Members of a cluster: what a prompt holds."""
SEED = 20_250
COMPONENTS = 10
"""Principal components at most."""
PIECE = 4_000
"""Entities that a mixture is fitted to."""
BRANCHES = 16
"""Pieces that one step of k-means cuts a set into."""
SAMPLE = 16_000
"""Entities that the axes and the centres of such a step are fitted to."""
BLOCK = 65_536
"""Entities that are compared with centres at a time."""
PATIENCE = 3
"""Numbers of components that are tried after the best."""
LEAST_SHARE = 0.1
"""Of the mean variance of an axis, what a component's variance has at least: a component of one entity or of equal ones
would otherwise have an unbounded likelihood, and BIC would ask for more of them."""
LEAST_VARIANCE = 1e-10
"""Vectors of unit length that vary less are equal but for rounding."""


def require_clustering() -> None:
    """
    Raises:
        ExtraMissing: scikit-learn is not installed.
    """
    if importlib.util.find_spec("sklearn") is None:
        raise ExtraMissing("scikit-learn", extra="hirag")


def clusters(vectors: Vectors, *, wanted: int, most: int = MOST, seed: int = SEED) -> Ints:
    """The cluster of each entity, shape (n,), numbered from 0 in order of their first members.

    The same vectors in the same order give the same clusters on any number of threads. Equal vectors that are more than
    `most` are cut apart in their order.

    Args:
        vectors: shape (n, d).
        wanted: members that a cluster should have, where BIC does not say.
        most: members that no cluster has more of.

    Raises:
        ExtraMissing: scikit-learn is not installed.
    """
    require_clustering()
    with _reproducible():
        pending = [
            group for piece in _pieces(vectors, seed) for group in _groups_of_piece(vectors, piece, wanted, seed)
        ]
        found: list[Ints] = []
        while pending:
            group = pending.pop()
            if len(group) <= most:
                found.append(group)
                continue
            parts = _parts(group, _by_k_means(_projected(vectors[group]), -(-len(group) // wanted), seed))
            pending += parts if len(parts) > 1 else _slices(group, most)
    return _numbered(len(vectors), found)


def sparsity(sizes: Iterable[int]) -> float:
    """Cluster sparsity CS = 1 − Σ |S| (|S| − 1) / (|L| (|L| − 1)): 0.0 for one cluster, 1.0 where each has one member.

    Args:
        sizes: of the clusters of a layer; |L| is their sum.

    Source: HiRAG, Eq. 17.
    """
    counts = list(sizes)
    total = sum(counts)
    return 1.0 - sum(size * (size - 1) for size in counts) / (total * (total - 1)) if total > 1 else 1.0


@contextmanager
def _reproducible() -> Generator[None]:
    """One thread, since sums in another order round differently; and no warnings of a fit that ends at its limit."""
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def _pieces(vectors: Vectors, seed: int) -> list[Ints]:
    """The numbers of the entities, in pieces of at most `PIECE`. O(n · BRANCHES · log n)."""
    pending, found = [np.arange(len(vectors))], list[Ints]()
    while pending:
        rows = pending.pop()
        if len(rows) <= PIECE:
            found.append(rows)
            continue
        parts = _parts(rows, _by_sample(vectors, rows, min(BRANCHES, -(-2 * len(rows) // PIECE)), seed))
        pending += parts if len(parts) > 1 else _slices(rows, PIECE)
    return found


def _by_sample(vectors: Vectors, rows: Ints, k: int, seed: int) -> Ints:
    """The nearest of k centres for each of the rows, fitted to a sample of them."""
    from sklearn.cluster import KMeans

    sample = rows[:: -(-len(rows) // SAMPLE)]
    centre, axes = _axes(vectors[sample].astype(np.float64))
    if not axes.shape[1]:
        return np.zeros(len(rows), dtype=np.int64)
    fitted = KMeans(k, random_state=seed).fit((vectors[sample] - centre) @ axes)
    blocks = (rows[start : start + BLOCK] for start in range(0, len(rows), BLOCK))
    nearest = [fitted.predict((vectors[block] - centre) @ axes) for block in blocks]
    return np.concatenate(nearest).astype(np.int64)


def _groups_of_piece(vectors: Vectors, rows: Ints, wanted: int, seed: int) -> list[Ints]:
    points = _projected(vectors[rows])
    if len(rows) == len(vectors):
        return _parts(rows, _by_mixture(points, seed))
    return _parts(rows, _by_k_means(points, -(-len(rows) // wanted), seed))


def _by_mixture(points: Floats, seed: int) -> Ints:
    """(n, c) -> the component of each, (n,). Tries 1, 2, 3, 4, 6, 8, 12, … components until BIC gets no lower."""
    from sklearn.mixture import GaussianMixture

    best, lowest, worse = np.zeros(len(points), dtype=np.int64), np.inf, 0
    floor = LEAST_SHARE / max(1, points.shape[1])
    k, following, most = 1, 2, _distinct(points) // 2
    while k <= most and worse < PATIENCE:
        mixture = GaussianMixture(k, covariance_type="spherical", reg_covar=floor, random_state=seed).fit(points)
        bic = float(mixture.bic(points))
        if bic < lowest:
            best, lowest, worse = mixture.predict(points).astype(np.int64), bic, 0
        else:
            worse += 1
        k, following = following, max(3, 2 * k)
    return best


def _by_k_means(points: Floats, k: int, seed: int) -> Ints:
    """(n, c) -> (n,), k groups at most."""
    from sklearn.cluster import KMeans

    k = min(k, _distinct(points))
    if k < 2:
        return np.zeros(len(points), dtype=np.int64)
    nearest: Ints = KMeans(k, random_state=seed).fit_predict(points).astype(np.int64)
    return nearest


def _distinct(points: Floats) -> int:
    """How many of them differ; 1 for points without coordinates, which are all equal."""
    return len(np.unique(points.round(6), axis=0)) if points.shape[1] else min(1, len(points))


def _projected(vectors: Vectors) -> Floats:
    """(n, d) -> principal components (n, c), c <= `COMPONENTS`, of variance 1 in all; c = 0 where vectors are equal."""
    exact = vectors.astype(np.float64)
    centre, axes = _axes(exact)
    points = (exact - centre) @ axes
    return points / np.sqrt(points.var(axis=0).sum()) if axes.shape[1] else points


def _axes(points: Floats) -> tuple[Floats, Floats]:
    """(n, d) -> their mean (d,) and principal axes (d, c), those of the largest variance first."""
    if not len(points):
        return np.zeros(points.shape[1]), np.zeros((points.shape[1], 0))
    centre = points.mean(axis=0)
    spread = points - centre
    variances, axes = np.linalg.eigh(spread.T @ spread / len(points))
    kept = (variances > LEAST_VARIANCE).nonzero()[0][::-1][:COMPONENTS]
    return centre, axes[:, kept]


def _parts(rows: Ints, labels: Ints) -> list[Ints]:
    """The rows of each label, in their order."""
    order = np.argsort(labels, kind="stable")
    ends = np.flatnonzero(np.diff(labels[order])) + 1
    return [part for part in np.split(rows[order], ends) if len(part)]


def _slices(rows: Ints, most: int) -> list[Ints]:
    return [rows[start : start + most] for start in range(0, len(rows), most)]


def _numbered(n: int, groups: Sequence[Ints]) -> Ints:
    labels = np.zeros(n, dtype=np.int64)
    for number, group in enumerate(sorted(groups, key=lambda group: int(group.min()))):
        labels[group] = number
    return labels
