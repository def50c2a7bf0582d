"""The surprise of a text among others, in bits, by a Gaussian leave-one-out density over vectors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from overstory_entropy.compile import Floats, Ints
from overstory_entropy.errors import GraphError
from overstory_entropy.semantic.blocks import Arrangement
from overstory_entropy.semantic.kernels import MOST_SURPRISE_BITS, kernel_sums

_SAMPLED_VECTORS = 512
_SAMPLED_NEIGHBOURS = 4096
"""In a larger corpus this many vectors are scored against this many; both samples are drawn with the seed."""

_BANDWIDTH_STEPS = 48
_NARROWEST_BANDWIDTH_SHARE = 0.25
"""The grid runs from a quarter of the typical distance to the nearest different vector to that of any two vectors."""


def likeliest_bandwidth(points: Floats, *, seed: int = 0) -> float:
    """The bandwidth of a grid with the highest leave-one-out likelihood, in the unit of the points.

    The likelihood is that of Gaussian densities with their constant, without which wide kernels would always win. Each
    vector counts at most once towards another's nearest distance, so that copies of one text do not pull the bandwidth
    to 0.

    Args:
        points: shape (n, c).
        seed: draws the sample of a corpus of more than 512 vectors. More than 4,096 are thinned to 4,096, which
            widens the bandwidth by a factor of up to (n / 4096)^(1 / (c + 4)).

    Returns:
        The bandwidth; 1.0 if all points are equal.
    """
    squared = _squared_distances(points, seed)
    apart = np.where(squared > 0.0, squared, np.inf).min(axis=1, initial=np.inf)
    nearest = np.sqrt(apart[np.isfinite(apart)])
    if not nearest.size:
        return 1.0
    typical = np.sqrt(np.median(squared[np.isfinite(squared)]))
    grid = np.geomspace(_NARROWEST_BANDWIDTH_SHARE * np.median(nearest), typical, _BANDWIDTH_STEPS)
    likelihoods = [_likelihood(squared, float(width), points.shape[1]) for width in grid]
    return float(grid[int(np.argmax(likelihoods))])


def _squared_distances(points: Floats, seed: int) -> Floats:
    """(n, c) -> (asked, others): infinite between a point and itself, and between copies of one point."""
    drawn = np.random.default_rng(seed).permutation(len(points))
    others = np.sort(drawn[:_SAMPLED_NEIGHBOURS])
    asked = np.sort(drawn[:_SAMPLED_VECTORS])
    squared = np.zeros((len(asked), len(others)))
    for axis in range(points.shape[1]):
        squared += (points[asked, axis][:, None] - points[others, axis][None, :]) ** 2
    squared[squared == 0.0] = np.inf
    return squared


def _likelihood(squared: Floats, width: float, components: int) -> float:
    """The mean log density of the sampled points, in nats, up to a constant that no width changes."""
    exponents = squared / (2.0 * width * width)
    least = exponents.min(axis=1)
    counted = np.isfinite(least)
    shifted = np.exp(least[counted, None] - exponents[counted])
    return float((np.log(shifted.sum(axis=1)) - least[counted]).mean()) - components * float(np.log(width))


_MOST_DENSITY_COMPONENTS = 32
_KEPT_VARIANCE_SHARE = 0.9
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
    enough = int(np.searchsorted(np.cumsum(variance), _KEPT_VARIANCE_SHARE * total)) + 1
    return min(enough, _MOST_DENSITY_COMPONENTS, int((variance > 1e-12 * variance[0]).sum()))


FAINTEST = 2.0**-MOST_SURPRISE_BITS

_EXACT_MEMBERS = 4096
_REFERENCE_MEMBERS = 2048
_CELL_MEMBERS = 256
"""In a set of more than 4,096, the kernels of a vertex are summed over the some 256 members of the most similar texts,
and over a sample of 2,048 that stands for the others."""


@dataclass(frozen=True, eq=False)
class Density:
    """The vectors of a graph's vertices, prepared for densities among any of them.

    p₋ᵥ(z_v | a) = 1 / (|a| − 1) · Σ_{u ∈ a, u ≠ v} exp(−|z_u − z_v|² / 2h²), without the constant of the Gaussian,
    which would be the same for every node and would decide the pruning. Copies of one text have density 1, 0 bits.

    Attributes:
        points: shape (n, c), principal components in units of √2 · bandwidth.
        bandwidth: h, in the unit of the vectors.
        exact_members: in larger sets the density is estimated.

    Source: T-Retriever Eq. 3; leave-one-out, because at the paper's bandwidths a point sees only itself.
    """

    points: Floats
    bandwidth: float
    exact_members: int = _EXACT_MEMBERS

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

        Exact in a set of up to `exact_members`. In a larger one an estimate, the same for every order of the members.

        Args:
            members: shape (m,), vertices.
            asked: shape (k,), the members whose surprise is returned; all by default.
        """
        wanted = members if asked is None else asked
        if len(members) > self.exact_members:
            return surprise_of(self._estimated_sums(members, wanted), len(members))
        sums = kernel_sums(self.points, wanted, members, np.array([0, len(members)]))[0]
        return surprise_of(sums, len(members))

    @cached_property
    def by_text(self) -> Ints:
        """Shape (n,): the position of each vertex in an order in which similar texts are close."""
        return Arrangement.of(self.points, None).position

    def _estimated_sums(self, members: Ints, asked: Ints) -> Floats:
        """(m,), (k,) -> (k,): cell by cell, exact kernels inside the cell and a sample's kernels outside, scaled."""
        ordered = members[np.argsort(self.by_text[members], kind="stable")]
        cells = np.linspace(0, len(ordered), math.ceil(len(ordered) / _CELL_MEMBERS) + 1, dtype=np.int64)
        references = spread(len(ordered), _REFERENCE_MEMBERS)
        order = np.argsort(self.by_text[asked], kind="stable")
        starts = np.searchsorted(self.by_text[asked[order]], self.by_text[ordered[cells[:-1]]])
        sums = np.empty(len(asked))
        for (low, high), part in zip(pairwise(cells.tolist()), np.split(order, starts[1:]), strict=True):
            if not len(part):
                continue
            before, after = np.searchsorted(references, [low, high])
            others = np.concatenate([ordered[low:high], ordered[np.delete(references, np.s_[before:after])]])
            near, far = kernel_sums(self.points, asked[part], others, np.array([0, high - low, len(others)]))
            sums[part] = near + far * ((len(ordered) - (high - low)) / max(len(others) - (high - low), 1))
        bounded: Floats = np.maximum(sums, FAINTEST)
        return bounded


def spread(size: int, most: int) -> Ints:
    """At most `most` of the positions 0 … size − 1, equally far apart."""
    count = min(size, most)
    places: Ints = ((np.arange(count) + 0.5) * size / max(count, 1)).astype(np.int64)
    return places


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
