"""Groups of entities with similar vectors, none large: what a summary is written of.

Source: HiRAG, Section 4.1, Eq. 8: a Gaussian mixture, of which every entity belongs to one component, that of its
largest share. The number of components is the one of the lowest BIC, as in RAPTOR. Principal components stand in for
RAPTOR's UMAP. Spherical components: on descriptions they have a lower BIC than full, tied or diagonal ones.

Nothing here is quadratic: above `MIXTURE_PIECE_ENTITIES` entities k-means first cuts them into pieces, by a bounded
number of centres at a time, and no mixture has more than `_MOST_MIXTURE_COMPONENTS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from overstory.protocols import Vectors
from overstory.vectors.k_means import (
    K_MEANS_SEED,
    parts,
    pieces,
    principal_axes,
    reproducible,
    require_clustering,
    slices,
)
from overstory_entropy.compile import Floats, Ints
from overstory_systems.hirag.index_settings import Clusters

MOST_CLUSTER_MEMBERS = 30
"""Members of a cluster: what a prompt holds."""
MIXTURE_PIECE_ENTITIES = 25_000
"""Entities that a mixture is fitted to."""
_K_MEANS_PIECE_ENTITIES = 4_000
"""Entities that k-means cuts into groups at a time."""
_MOST_MIXTURE_COMPONENTS = 1_024
"""Of a mixture: entities times components are held in memory."""
_MIXTURE_PATIENCE = 3
"""Numbers of components that are tried after the best."""
_LEAST_VARIANCE_SHARE = 0.1
"""Of the mean variance of an axis, what a component's variance has at least: a component of one entity or of equal ones
would otherwise have an unbounded likelihood, and BIC would ask for more of them."""


class Clustering(NamedTuple):
    """The clusters of a layer.

    Attributes:
        labels: shape (n,), the cluster of each entity, numbered from 0 in order of their first members.
        components: the sizes of the groups that were found, before those above the limit were divided.
    """

    labels: Ints
    components: Sequence[int]


def clusters(
    vectors: Vectors,
    *,
    by: Clusters = "mixture",
    wanted: int = 10,
    most: int = MOST_CLUSTER_MEMBERS,
    seed: int = K_MEANS_SEED,
) -> Clustering:
    """Clusters the entities of a layer. A component of more than `most` is divided by a mixture of its own.

    The same vectors in the same order give the same clusters on any number of threads. Equal vectors that are more than
    `most` are cut apart in their order.

    Args:
        vectors: shape (n, d).
        by: a Gaussian mixture, or k-means.
        wanted: members that a cluster of k-means should have.
        most: members that no cluster has more of.
    """
    require_clustering()
    find, divide, piece = partial(_by_mixture, least=1), partial(_by_mixture, least=2), MIXTURE_PIECE_ENTITIES
    if by == "k-means":
        find = divide = partial(_by_k_means, wanted=wanted)
        piece = _K_MEANS_PIECE_ENTITIES
    with reproducible():
        pending = [group for rows in pieces(vectors, piece, seed=seed) for group in _cut(vectors, rows, find, seed)]
        components = [len(group) for group in pending]
        found: list[Ints] = []
        while pending:
            group = pending.pop()
            if len(group) <= most:
                found.append(group)
                continue
            cut = _cut(vectors, group, divide, seed)
            pending += cut if len(cut) > 1 else slices(group, most)
    return Clustering(_numbered(len(vectors), found), components)


def sparsity(sizes: Iterable[int]) -> float:
    """Cluster sparsity CS = 1 − Σ |S| (|S| − 1) / (|L| (|L| − 1)): 0.0 for one cluster, 1.0 where each has one member.

    Args:
        sizes: of the clusters of a layer; |L| is their sum.

    Source: HiRAG, Eq. 17.
    """
    counts = list(sizes)
    total = sum(counts)
    return 1.0 - sum(size * (size - 1) for size in counts) / (total * (total - 1)) if total > 1 else 1.0


def _cut(vectors: Vectors, rows: Ints, find: Callable[[Floats, int], Ints], seed: int) -> list[Ints]:
    return parts(rows, find(_projected(vectors[rows]), seed))


def _by_mixture(points: Floats, seed: int, *, least: int) -> Ints:
    """(n, c) -> the component of each, (n,). Tries 1, 2, 3, 4, 6, 8, 12, … components until BIC gets no lower.

    Args:
        least: components, where there are so many distinct points.
    """
    from sklearn.mixture import GaussianMixture

    best, lowest, worse = np.zeros(len(points), dtype=np.int64), np.inf, 0
    floor = _LEAST_VARIANCE_SHARE / max(1, points.shape[1])
    k, following, most = 1, 2, min(_distinct(points) // 2, _MOST_MIXTURE_COMPONENTS)
    while k <= most and worse < _MIXTURE_PATIENCE:
        if k >= least:
            mixture = GaussianMixture(k, covariance_type="spherical", reg_covar=floor, random_state=seed).fit(points)
            bic = float(mixture.bic(points))
            if bic < lowest:
                best, lowest, worse = mixture.predict(points).astype(np.int64), bic, 0
            else:
                worse += 1
        k, following = following, max(3, 2 * k)
    return best


def _by_k_means(points: Floats, seed: int, *, wanted: int) -> Ints:
    """(n, c) -> (n,), groups of `wanted` on the average."""
    from sklearn.cluster import KMeans

    k = min(-(-len(points) // wanted), _distinct(points))
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
