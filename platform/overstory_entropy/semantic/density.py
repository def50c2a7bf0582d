"""Computes how surprising a text is among other texts, in bits, from a Gaussian leave-one-out density of vectors."""

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
    """An order of all vertices in which related vertices are close to each other.

    Attributes:
        position: Shape (n,). Position of each vertex.
        boundary: Shape (n,). The highest level at which the vertex at each position is in another group than the vertex
            before it. Level 0 is the highest.
    """

    position: Ints
    boundary: Ints

    @classmethod
    def of(cls, points: Floats, tree: EncodingTree | None) -> Arrangement:
        """Order the vertices by their communities in a structural tree and, within a community, by text.

        Without a tree, the vertices are ordered by text alone. Vertices that are alone in their community at some
        level, such as vertices without edges, are placed next to each other and ordered by text.

        Args:
            points: Shape (n, c). Coordinates of the texts.
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
        """Sort some vertices by position, and cut them into at most `most` blocks.

        Each cut is made within a window as long as an average block, at the place where adjacent vertices are related
        least.

        Returns:
            The sorted vertices, and the start of each block, followed by the end of the last block.
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
    """Return the labels, with −1 in place of each label that occurs only once."""
    return np.where(np.bincount(labels)[labels] > 1, labels, -1)


def _text_cells(points: Floats) -> list[Ints]:
    """Divide the points into halves, quarters and so on. Each cell is cut at the median along its widest axis.

    Returns:
        The cell of each point, shape (n,), for each level.
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
"""Maximum surprise, which prevents densities from becoming 0. It is reached at a distance of about 13 bandwidths."""

_TILE_POINTS = 512  # points per tile; a tile fits into the processor's cache

BITS = math.log2(math.e)
NATS = math.log(2.0)
ROUNDING_MAGIC = 1.5 * 2.0**52
"""When this is added to a number, the lowest bits of the sum contain the integer nearest to the number."""
_EXPONENT_SHIFT = 52
EXPONENT_BIAS = 1023 - int(np.float64(ROUNDING_MAGIC).view(np.int64))


@kernel
def kernel_sums(points: Floats, asked: Ints, members: Ints, first: Ints) -> Floats:
    """Return the sum of the kernels between some vertices and each of several blocks, shape (blocks, k).

    The kernel of two vertices with the points x and y is exp(−|x − y|²), but at least 2^−128. A vertex is not compared
    with itself. If each block contains one vertex, the result is the kernel matrix, with 0 on the diagonal.

    Args:
        points: Shape (n, c). Points of all vertices.
        asked: Shape (k,). Vertices whose sums are computed.
        members: Vertices of all blocks. Block b contains members[first[b] : first[b + 1]].
        first: Shape (blocks + 1,). Start of each block in `members`.
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
    """Compute the kernels between a point and the first `width` points of a tile, and write them to `found`.

    2^y is computed as 2^k · e^f, where k is the integer nearest to y. The first factor is computed by shifting bits and
    the second by a short series. `power` is working memory.

    Args:
        point: Shape (c,). Coordinates of the point.
        columns: Shape (c, points per tile). Coordinates of the points of the tile.
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


_SAMPLED_VECTORS = 512  # maximum number of vectors whose likelihood is computed
_SAMPLED_NEIGHBOURS = 4096  # maximum number of vectors with which each is compared

_BANDWIDTH_STEPS = 48
_NARROWEST_BANDWIDTH_SHARE = 0.25
"""Start of the bandwidth grid, as a fraction of the median distance from a vector to the nearest different vector."""


def likeliest_bandwidth(points: Floats, *, seed: int = 0) -> float:
    """Return the bandwidth with the highest leave-one-out likelihood among those on a grid, in the unit of the points.

    The likelihood uses normalised Gaussian densities, because otherwise the widest kernels would always win. Copies of
    a vector are ignored so that repeated texts do not reduce the bandwidth to 0.

    Args:
        points: Shape (n, c). Points of all vertices.
        seed: Random seed for the samples. The likelihood of at most 512 vectors is computed, and each is compared with
            at most 4,096 vectors. If there are more vectors, the bandwidth is too large by a factor of up to
            (n / 4096)^(1 / (c + 4)).

    Returns:
        The bandwidth, or 1.0 if all points are equal.
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
    """Return the squared distances between two samples of the points, one row per point of the smaller sample.

    The distance from a point to itself, or to one of its copies, is set to infinity.
    """
    drawn = np.random.default_rng(seed).permutation(len(points))
    others = np.sort(drawn[:_SAMPLED_NEIGHBOURS])
    asked = np.sort(drawn[:_SAMPLED_VECTORS])
    squared = np.zeros((len(asked), len(others)))
    for axis in range(points.shape[1]):
        squared += (points[asked, axis][:, None] - points[others, axis][None, :]) ** 2
    squared[squared == 0.0] = np.inf
    return squared


def _likelihood(squared: Floats, width: float, components: int) -> float:
    """Return the mean log density of the sampled points in nats, up to a constant that does not depend on `width`."""
    exponents = squared / (2.0 * width * width)
    least = exponents.min(axis=1)
    counted = np.isfinite(least)
    shifted = np.exp(least[counted, None] - exponents[counted])
    return float((np.log(shifted.sum(axis=1)) - least[counted]).mean()) - components * float(np.log(width))


_MOST_DENSITY_COMPONENTS = 32
_KEPT_VARIANCE_SHARE = 0.9
"""Fraction of the variance that the kept components must explain, unless this would take more than 32 components."""


def principal_components(vectors: Floats) -> Floats:
    """Return the coordinates of vectors along the directions of greatest variance, in order of decreasing variance.

    The sign of each direction is chosen so that its largest coefficient is positive.

    Args:
        vectors: Shape (n, d). All values must be finite.

    Returns:
        Shape (n, c). c is the smallest number of components that explain 90 % of the variance, but at most 32. It is 0
            if all vectors are equal.
    """
    centred = vectors - vectors.mean(axis=0) if len(vectors) else vectors
    variance, directions = _directions(centred)
    kept = _components_needed(variance)
    strongest = np.abs(directions[:, :kept]).argmax(axis=0)
    signs = np.sign(directions[strongest, np.arange(kept)])
    return np.ascontiguousarray(centred @ (directions[:, :kept] * signs))


def _directions(centred: Floats) -> tuple[Floats, Floats]:
    """Return the variances in decreasing order, shape (k,), and their directions, shape (d, k).

    If there are fewer vectors than dimensions, k is the number of vectors. Otherwise k = d.
    """
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

_EXACT_MEMBERS = 4096  # maximum size of a set whose density is computed exactly
_REFERENCE_MEMBERS = 2048  # size of the sample that represents dissimilar texts in larger sets
_CELL_MEMBERS = 256  # number of similar texts that are compared exactly in larger sets


@dataclass(frozen=True, eq=False)
class Density:
    """The vectors of a graph's vertices, from which the density of each vertex in a set of vertices is computed.

    The density of a vertex v with the vector z_v in a set a is the mean kernel between v and the other vertices:

        p₋ᵥ(z_v | a) = 1 / (|a| − 1) · Σ_{u ∈ a, u ≠ v} exp(−|z_u − z_v|² / 2h²)

    h is the bandwidth. The constant factor of the Gaussian is omitted. It is the same for all nodes of a tree, and by
    itself would decide which nodes are pruned. If all texts are equal, their density is 1 and their surprise is 0 bits.

    Attributes:
        points: Shape (n, c). Principal components of the vectors, in units of √2 · bandwidth.
        bandwidth: The bandwidth h, in the unit of the vectors.
        exact_members: Maximum size of a set whose density is computed exactly. In larger sets, it is estimated.

    Source: T-Retriever Eq. 3. Here v itself is left out, because with the paper's bandwidths the kernel between v and
    itself would outweigh all others.
    """

    points: Floats
    bandwidth: float
    exact_members: int = _EXACT_MEMBERS

    @classmethod
    def from_vectors(cls, vectors: ArrayLike, *, bandwidth: float | None = None, seed: int = 0) -> Density:
        """Return the density over the principal components of vectors.

        The components explain 90 % of the variance. There are at most 32 of them.

        Args:
            vectors: Shape (n, d), where d ≥ 1. All values must be finite.
            bandwidth: Bandwidth > 0. By default, the value with the highest likelihood on a grid.
            seed: Random seed for the samples used to choose the bandwidth for a large corpus.

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
        """Return the surprise of each member among the others, which is −log2 of its density and 0 to 128 bits.

        If there are no other members, the surprise is 0.0. It is exact in a set of up to `exact_members` vertices. In a
        larger set, it is an estimate that does not depend on the order of the members.

        Args:
            members: Shape (m,). Vertices of the set.
            asked: Shape (k,). Members whose surprise is returned; by default, all members.
        """
        wanted = members if asked is None else asked
        if len(members) > self.exact_members:
            return surprise_of(self._estimated_sums(members, wanted), len(members))
        sums = kernel_sums(self.points, wanted, members, np.array([0, len(members)]))[0]
        return surprise_of(sums, len(members))

    @cached_property
    def by_text(self) -> Ints:
        """Position of each vertex in an order in which similar texts are close to each other. Shape (n,)."""
        return Arrangement.of(self.points, None).position

    def _estimated_sums(self, members: Ints, asked: Ints) -> Floats:
        """Return an estimate of the sum of the kernels between each vertex in `asked` and the members, shape (k,).

        The kernels of similar texts are summed exactly. The kernels of all others are estimated from a sample.
        """
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
    """Return up to `most` equally spaced positions from 0 … size − 1."""
    count = min(size, most)
    places: Ints = ((np.arange(count) + 0.5) * size / max(count, 1)).astype(np.int64)
    return places


def surprise_of(sums: Floats, size: int) -> Floats:
    """Return the surprise in bits for kernel sums: log2(size − 1) − log2(sums). In a set of one vertex, it is 0.0."""
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
