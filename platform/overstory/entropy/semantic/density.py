"""The surprise of a text among others, in bits, by a Gaussian leave-one-out density over vectors."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from overstory.entropy.compile import Floats, Ints, kernel
from overstory.entropy.semantic.bandwidth import likeliest_bandwidth
from overstory.entropy.semantic.principal_components import principal_components
from overstory.errors import GraphError

MOST_BITS = 128.0
"""Upper limit of the surprise, which keeps densities finite; it is reached at some 13 bandwidths."""

FAINTEST = 2.0**-MOST_BITS


@dataclass(frozen=True, eq=False)
class Density:
    """The vectors of a graph's vertices, prepared for densities among any of them.

    p₋ᵥ(z_v | a) = 1 / (|a| − 1) · Σ_{u ∈ a, u ≠ v} exp(−|z_u − z_v|² / 2h²), without the constant of the Gaussian,
    which would be the same for every node and would decide the pruning. Copies of one text have density 1, 0 bits.

    Attributes:
        points: shape (n, c), principal components in units of √2 · bandwidth.
        bandwidth: h, in the unit of the vectors.

    Source: T-Retriever Eq. 3; leave-one-out, because at the paper's bandwidths a point sees only itself.
    """

    points: Floats
    bandwidth: float

    @classmethod
    def from_vectors(cls, vectors: ArrayLike, *, bandwidth: float | None = None, seed: int = 0) -> Density:
        """The density over the principal components (90 % of the variance, at most 32) of a corpus' vectors.

        Args:
            vectors: shape (n, d), d ≥ 1, finite.
            bandwidth: > 0; by default the likeliest of a grid.
            seed: draws the sample that chooses the bandwidth of a large corpus.

        Raises:
            GraphError: wrong shape, values that are not finite numbers, or a bandwidth ≤ 0. Names the first bad row.
        """
        points = principal_components(_checked(vectors))
        width = likeliest_bandwidth(points, seed=seed) if bandwidth is None else float(bandwidth)
        if not 0.0 < width < math.inf:
            raise GraphError(f"the bandwidth is {width}; expected a finite number > 0")
        return cls(np.ascontiguousarray(points / (math.sqrt(2.0) * width)), width)

    @property
    def vertices(self) -> int:
        """n."""
        return len(self.points)

    def surprise(self, members: Ints, asked: Ints | None = None) -> Floats:
        """−log2 p₋ᵥ of each member among the others, 0 to 128 bits; 0.0 for a member without others.

        Args:
            members: shape (m,), vertices.
            asked: shape (k,), the members whose surprise is returned; all by default.
        """
        wanted = members if asked is None else asked
        return surprise_of(_row_sums(self.points, wanted, members), len(members))


def surprise_of(sums: Floats, size: int) -> Floats:
    """The surprise in bits from summed kernels to the others of a set: log2(size − 1) − log2(sums); 0.0 if alone."""
    return math.log2(size - 1) - np.log2(sums) if size > 1 else np.zeros(len(sums))


def _checked(vectors: ArrayLike) -> Floats:
    given = np.asarray(vectors)
    if given.ndim != 2 or given.shape[1] == 0:
        raise GraphError(f"vectors have the shape {given.shape}; expected (n, d) with d ≥ 1: one row per vertex")
    if given.dtype.kind not in "iuf":
        raise GraphError(f"vectors are of type {given.dtype}; expected numbers")
    rows = np.ascontiguousarray(given, dtype=np.float64)
    right = np.isfinite(rows).all(axis=1)
    if not right.all():
        row = int(np.argmin(right))
        column = int(np.argmin(np.isfinite(rows[row])))
        raise GraphError(
            f"row {row} of the vectors has {rows[row, column]} at {column}; expected finite numbers",
            remedy="Embed the text of this vertex again, or give it the mean of the other vectors.",
        )
    return rows


@kernel
def kernel_between(points: Floats, one: int, other: int) -> float:
    """exp(−|x − y|²) of two rows of (n, c), at least 2^−128."""
    squared = 0.0
    for axis in range(points.shape[1]):
        apart = float(points[one, axis] - points[other, axis])
        squared += apart * apart
    return float(max(math.exp(-squared), FAINTEST))


@kernel
def _row_sums(points: Floats, asked: Ints, members: Ints) -> Floats:
    """(n, c), (k,), (m,) -> (k,): the summed kernels between each requested vertex and the other members."""
    sums = np.zeros(len(asked))
    for row in range(len(asked)):
        for member in members:
            if member != asked[row]:
                sums[row] += kernel_between(points, asked[row], member)
    return sums


@kernel
def kernel_sums(points: Floats, members: Ints, first: Ints) -> Floats:
    """(n, c), (m,), (blocks + 1,) -> (blocks, m): the kernels between each member and the others of each block, summed.

    Block b holds members[first[b]:first[b + 1]]; blocks of one vertex give the kernel matrix, with 0 on its diagonal.
    """
    sums = np.zeros((len(first) - 1, len(members)))
    for block in range(len(first) - 1):
        for one in range(first[block], first[block + 1]):
            for other in range(len(members)):
                if other != one:
                    sums[block, other] += kernel_between(points, members[one], members[other])
    return sums
