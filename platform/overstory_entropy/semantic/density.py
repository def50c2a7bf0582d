"""The surprise of a text among others, in bits, from a Gaussian leave-one-out density over vectors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from overstory_entropy.compile import Floats, Ints, kernel
from overstory_entropy.encoding_tree import EncodingTree
from overstory_entropy.errors import GraphError

_SMALLEST_CELL_MEMBERS = 8


@dataclass(frozen=True, eq=False)
class Arrangement:
    """An order of all vertices that keeps related vertices together.

    Attributes:
        position: Shape (n,): position of each vertex.
        boundary: Shape (n,): how weakly each position is tied to the one before; 0 is a boundary at the top level.
    """

    position: Ints
    boundary: Ints

    @classmethod
    def of(cls, points: Floats, tree: EncodingTree | None) -> Arrangement:
        """Order vertices by the communities of a structural tree, top level first, and within a community by text.

        Without a tree, the order is by text alone. Vertices that are alone in their community at a level, such as
        vertices without edges, are placed together, ordered by text.
        """
        cells = _text_cells(points)
        levels = [_grouped(tree.labels(level)) for level in range(1, tree.height)] if tree is not None else []
        keys = [*levels, *cells]
        order = np.lexsort(keys[::-1]) if keys else np.arange(len(points))
        position = np.empty(len(points), dtype=np.int64)
        position[order] = np.arange(len(points))
        boundary = np.full(len(points), len(keys), dtype=np.int64)
        for level in range(len(keys) - 1, -1, -1):
            changed = np.flatnonzero(np.diff(keys[level][order])) + 1
            boundary[changed] = level
        return cls(position, boundary)

    def blocks(self, members: Ints, most: int) -> tuple[Ints, Ints]:
        """Return the members in order, and the start of each of at most `most` blocks, with the end appended.

        Each block ends at the weakest boundary within a window as long as an average block.
        """
        ordered = members[np.argsort(self.position[members], kind="stable")]
        if most >= len(ordered):
            return ordered, np.arange(len(ordered) + 1)
        bound = self._bound(ordered)
        edges = np.linspace(1, len(ordered), most, dtype=np.int64)
        cuts = [low + int(np.argmin(bound[low:high])) for low, high in pairwise(edges.tolist())]
        return ordered, np.array([0, *cuts, len(ordered)])

    def _bound(self, ordered: Ints) -> Ints:
        places = self.position[ordered]
        weakest = np.minimum.reduceat(self.boundary[: places[-1] + 1], places[:-1] + 1)
        return np.append(0, weakest)


def _grouped(labels: Ints) -> Ints:
    """Replace labels that only one vertex has by −1, (n,) -> (n,)."""
    return np.where(np.bincount(labels)[labels] > 1, labels, -1)


def _text_cells(points: Floats) -> list[Ints]:
    """Cut the points into halves, quarters and so on, each cell at the median of its widest axis.

    Returns:
        The cell of each point, one array per level.
    """
    cells: list[Ints] = []
    label = np.zeros(len(points), dtype=np.int64)
    widest = len(points)
    while widest > _SMALLEST_CELL_MEMBERS and points.shape[1]:
        label = _halved(points, label)
        cells.append(label)
        widest = (widest + 1) // 2
    return cells


def _halved(points: Floats, label: Ints) -> Ints:
    halves = np.empty_like(label)
    order = np.argsort(label, kind="stable")
    starts = np.append(np.flatnonzero(np.diff(label[order], prepend=-1)), len(label))
    for low, high in pairwise(starts.tolist()):
        cell = order[low:high]
        axis = int(np.ptp(points[cell], axis=0).argmax())
        ranked = cell[np.argsort(points[cell, axis], kind="stable")]
        middle = (len(cell) + 1) // 2
        halves[ranked[:middle]] = 2 * label[cell[0]]
        halves[ranked[middle:]] = 2 * label[cell[0]] + 1
    return halves


MOST_SURPRISE_BITS = 128.0
"""Upper limit of the surprise, which keeps densities finite. It is reached at about 13 bandwidths."""

_TILE_POINTS = 512  # points per tile, so that coordinates and kernels stay in the processor's cache

BITS = math.log2(math.e)
NATS = math.log(2.0)
ROUNDING_MAGIC = 1.5 * 2.0**52
"""Adding this to a number leaves the nearest integer in the lowest bits."""
_EXPONENT_SHIFT = 52
EXPONENT_BIAS = 1023 - int(np.float64(ROUNDING_MAGIC).view(np.int64))


@kernel
def kernel_sums(points: Floats, asked: Ints, members: Ints, first: Ints) -> Floats:
    """Return the sum of the kernels exp(−|x − y|²), each at least 2^−128, between vertices and blocks.

    Block b contains members[first[b]:first[b + 1]]. A vertex is not compared with itself. Blocks of one vertex give the
    kernel matrix, with 0 on the diagonal.

    Shapes: (n, c), (k,), (m,), (blocks + 1,) -> (blocks, k).
    """
    sums = np.zeros((len(first) - 1, len(asked)))
    columns, found, power = np.empty((points.shape[1], _TILE_POINTS)), np.empty(_TILE_POINTS), np.empty(_TILE_POINTS)
    for low in range(0, len(asked), _TILE_POINTS):
        width = min(_TILE_POINTS, len(asked) - low)
        for axis in range(points.shape[1]):
            for at in range(width):
                columns[axis, at] = points[asked[low + at], axis]
        for block in range(len(first) - 1):
            row = sums[block, low : low + width]
            for place in range(first[block], first[block + 1]):
                _kernels(points[members[place]], columns, width, found, power)
                for at in range(width):
                    row[at] += 0.0 if asked[low + at] == members[place] else found[at]
    return sums


@kernel
def _kernels(point: Floats, columns: Floats, width: int, found: Floats, power: Floats) -> None:
    """Fill in the kernels between a point and the first `width` points of a tile, (c,), (c, tile) -> found.

    2^y is computed as 2^k · e^f for the nearest integer k: the first factor is a shift, the second a short series.
    """
    for at in range(width):
        found[at] = 0.0
    for axis in range(len(point)):
        value = point[axis]
        for at in range(width):
            apart = columns[axis, at] - value
            found[at] += apart * apart
    for at in range(width):
        power[at] = max(-found[at] * BITS, -MOST_SURPRISE_BITS) + ROUNDING_MAGIC
    for at in range(width):
        rest = (max(-found[at] * BITS, -MOST_SURPRISE_BITS) - (power[at] - ROUNDING_MAGIC)) * NATS
        series = 1.0 / 3628800.0 * rest + 1.0 / 362880.0
        series = series * rest + 1.0 / 40320.0
        series = series * rest + 1.0 / 5040.0
        series = series * rest + 1.0 / 720.0
        series = series * rest + 1.0 / 120.0
        series = series * rest + 1.0 / 24.0
        series = series * rest + 1.0 / 6.0
        series = series * rest + 0.5
        series = series * rest + 1.0
        found[at] = series * rest + 1.0
    shifted = power.view(np.int64)
    for at in range(width):
        shifted[at] = (shifted[at] + EXPONENT_BIAS) << _EXPONENT_SHIFT
    for at in range(width):
        found[at] *= power[at]


_SAMPLED_VECTORS = 512  # vectors scored in a larger corpus, sampled with the seed
_SAMPLED_NEIGHBOURS = 4096  # vectors against which they are scored, sampled with the seed

_BANDWIDTH_STEPS = 48
_NARROWEST_BANDWIDTH_SHARE = 0.25
"""Start of the bandwidth grid, as a share of the median distance between nearest different vectors."""


def likeliest_bandwidth(points: Floats, *, seed: int = 0) -> float:
    """Return the bandwidth of a grid with the highest leave-one-out likelihood, in the unit of the points.

    The likelihood uses Gaussian densities with their constant, because without it wide kernels would always win. Copies
    of a vector are ignored, so that repeated texts do not pull the bandwidth to 0.

    Args:
        points: Shape (n, c).
        seed: Draws the sample in a corpus of more than 512 vectors. More than 4,096 are thinned to 4,096, which widens
            the bandwidth by a factor of up to (n / 4096)^(1 / (c + 4)).

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
    """Return squared distances, (n, c) -> (asked, others); infinite from a point to itself and its copies."""
    drawn = np.random.default_rng(seed).permutation(len(points))
    others = np.sort(drawn[:_SAMPLED_NEIGHBOURS])
    asked = np.sort(drawn[:_SAMPLED_VECTORS])
    squared = np.zeros((len(asked), len(others)))
    for axis in range(points.shape[1]):
        squared += (points[asked, axis][:, None] - points[others, axis][None, :]) ** 2
    squared[squared == 0.0] = np.inf
    return squared


def _likelihood(squared: Floats, width: float, components: int) -> float:
    """Return the mean log density of the sampled points in nats, up to a constant independent of the bandwidth."""
    exponents = squared / (2.0 * width * width)
    least = exponents.min(axis=1)
    counted = np.isfinite(least)
    shifted = np.exp(least[counted, None] - exponents[counted])
    return float((np.log(shifted.sum(axis=1)) - least[counted]).mean()) - components * float(np.log(width))


_MOST_DENSITY_COMPONENTS = 32
_KEPT_VARIANCE_SHARE = 0.9
"""Share of the variance that the kept components must reach, with at most 32 components."""


def principal_components(vectors: Floats) -> Floats:
    """Return coordinates along the directions of greatest variance, greatest first.

    The sign of each direction makes its largest coefficient positive.

    Args:
        vectors: Shape (n, d), finite.

    Returns:
        Shape (n, c): c is the least number of components with 90 % of the variance, at most 32; 0 if all vectors are
            equal.
    """
    centred = vectors - vectors.mean(axis=0) if len(vectors) else vectors
    variance, directions = _directions(centred)
    kept = _components_needed(variance)
    strongest = np.abs(directions[:, :kept]).argmax(axis=0)
    signs = np.sign(directions[strongest, np.arange(kept)])
    return np.ascontiguousarray(centred @ (directions[:, :kept] * signs))


def _directions(centred: Floats) -> tuple[Floats, Floats]:
    """Return falling variances (min(n, d),) and directions (d, min(n, d)), from the smaller of the two products."""
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

_EXACT_MEMBERS = 4096  # largest set whose density is computed exactly
_REFERENCE_MEMBERS = 2048  # in larger sets: size of the sample that stands for dissimilar texts
_CELL_MEMBERS = 256  # in larger sets: number of most similar texts compared exactly


@dataclass(frozen=True, eq=False)
class Density:
    """The vectors of a graph's vertices, prepared for computing densities among any of them.

    p₋ᵥ(z_v | a) = 1 / (|a| − 1) · Σ_{u ∈ a, u ≠ v} exp(−|z_u − z_v|² / 2h²). The constant of the Gaussian is left out:
    it is the same for every node and would decide the pruning. Copies of one text have density 1, or 0 bits.

    Attributes:
        points: Shape (n, c), principal components in units of √2 · bandwidth.
        bandwidth: h, in the unit of the vectors.
        exact_members: Size up to which the density of a set is exact. In larger sets it is estimated.

    Source: T-Retriever Eq. 3; leave-one-out, because at the paper's bandwidths a point sees only itself.
    """

    points: Floats
    bandwidth: float
    exact_members: int = _EXACT_MEMBERS

    @classmethod
    def from_vectors(cls, vectors: ArrayLike, *, bandwidth: float | None = None, seed: int = 0) -> Density:
        """Return the density over the principal components of vectors (90 % of the variance, at most 32 components).

        Args:
            vectors: Shape (n, d), d ≥ 1, finite.
            bandwidth: > 0; by default the likeliest of a grid.
            seed: Draws the sample that chooses the bandwidth of a large corpus.

        Raises:
            GraphError: The shape is wrong, a value is not finite, or the bandwidth is ≤ 0. The message names the first
                bad row.
        """
        points = principal_components(_checked(vectors))
        width = likeliest_bandwidth(points, seed=seed) if bandwidth is None else float(bandwidth)
        if not 0.0 < width < math.inf:
            raise GraphError(f"the bandwidth is {width}; expected a finite number > 0")
        return cls(np.ascontiguousarray(points / (math.sqrt(2.0) * width)), width)

    @property
    def vertices(self) -> int:
        """Number of vertices, n."""
        return len(self.points)

    def surprise(self, members: Ints, asked: Ints | None = None) -> Floats:
        """Return −log2 p₋ᵥ of each member among the others, 0 to 128 bits; 0.0 if there are no others.

        Exact in a set of up to `exact_members`. In a larger set it is an estimate, which does not depend on the order
        of the members.

        Args:
            members: Shape (m,), vertices.
            asked: Shape (k,), the members whose surprise is returned; all by default.
        """
        wanted = members if asked is None else asked
        if len(members) > self.exact_members:
            return surprise_of(self._estimated_sums(members, wanted), len(members))
        sums = kernel_sums(self.points, wanted, members, np.array([0, len(members)]))[0]
        return surprise_of(sums, len(members))

    @cached_property
    def by_text(self) -> Ints:
        """Position of each vertex in an order that places similar texts next to each other. Shape (n,)."""
        return Arrangement.of(self.points, None).position

    def _estimated_sums(self, members: Ints, asked: Ints) -> Floats:
        """Return kernel sums, shape (k,): exact within a cell of similar texts, sampled and scaled up outside."""
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
    """Return at most `most` of the positions 0 … size − 1, equally spaced."""
    count = min(size, most)
    places: Ints = ((np.arange(count) + 0.5) * size / max(count, 1)).astype(np.int64)
    return places


def surprise_of(sums: Floats, size: int) -> Floats:
    """Return the surprise in bits from kernel sums, log2(size − 1) − log2(sums); 0.0 in a set of one."""
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
            f"row {row} of the vectors has {rows[row, column]} in column {column}; expected finite numbers",
            remedy="Embed the text of this vertex again, or give it the mean of the other vectors.",
        )
    return rows
