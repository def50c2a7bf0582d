"""Groups of entities with similar vectors, none large: what a summary is written of.

Source: HiRAG, Section 4.1, Eq. 8: a Gaussian mixture, of which every entity belongs to one component, that of its
largest share. The number of components is the one of the lowest BIC, as in RAPTOR. Principal components stand in for
RAPTOR's UMAP. Spherical components: on descriptions they have a lower BIC than full, tied or diagonal ones.

Nothing here is quadratic: above `PIECE` entities k-means first cuts them into pieces, by a bounded number of centres at
a time, and then each piece into groups of the wanted size.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from overstory.protocols import Vectors
from overstory.vectors.k_means import SEED, parts, pieces, principal_axes, reproducible, require_clustering, slices
from overstory_entropy.compile import Floats, Ints

MOST = 30
"""Members of a cluster: what a prompt holds."""
PIECE = 4_000
"""Entities that a mixture is fitted to."""
PATIENCE = 3
"""Numbers of components that are tried after the best."""
LEAST_SHARE = 0.1
"""Of the mean variance of an axis, what a component's variance has at least: a component of one entity or of equal ones
would otherwise have an unbounded likelihood, and BIC would ask for more of them."""


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
    with reproducible():
        pending = [
            group
            for piece in pieces(vectors, PIECE, seed=seed)
            for group in _groups_of_piece(vectors, piece, wanted, seed)
        ]
        found: list[Ints] = []
        while pending:
            group = pending.pop()
            if len(group) <= most:
                found.append(group)
                continue
            cut = parts(group, _by_k_means(_projected(vectors[group]), -(-len(group) // wanted), seed))
            pending += cut if len(cut) > 1 else slices(group, most)
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


def _groups_of_piece(vectors: Vectors, rows: Ints, wanted: int, seed: int) -> list[Ints]:
    points = _projected(vectors[rows])
    if len(rows) == len(vectors):
        return parts(rows, _by_mixture(points, seed))
    return parts(rows, _by_k_means(points, -(-len(rows) // wanted), seed))


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
    centre, axes = principal_axes(exact)
    points = (exact - centre) @ axes
    return points / np.sqrt(points.var(axis=0).sum()) if axes.shape[1] else points


def _numbered(n: int, groups: Sequence[Ints]) -> Ints:
    labels = np.zeros(n, dtype=np.int64)
    for number, group in enumerate(sorted(groups, key=lambda group: int(group.min()))):
        labels[group] = number
    return labels
