"""The undirected weighted graph under an encoding tree, in compressed sparse row (CSR) form."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from overstory_entropy.compile import Floats, Ids, Ints, kernel
from overstory_entropy.errors import GraphError

MAX_VERTICES = 2**31 - 1
"""Largest number of vertices: vertex numbers in edges have 32 bits."""

_MIRROR_TOLERANCE = 1e-6
"""Relative difference allowed between the two directions of an edge, as float32 rounding causes it."""


@dataclass(frozen=True, eq=False)
class Graph:
    """An undirected graph with weights > 0. Parallel edges are merged, and loops are stored outside the rows.

    Build graphs with `Graph.from_edges`; the constructor checks nothing.

    Attributes:
        indptr: Shape (n + 1,), start of each vertex's row; the row ends where the next one starts.
        neighbours: Shape (e,), neighbours in ascending order within a row. Each edge is in the rows of both its ends,
            with exactly the same weight.
        weights: Shape (e,), weight of each entry.
        loops: Shape (n,), total weight of each vertex's loops.
        degrees: Shape (n,), weighted degrees d_v; a loop counts twice.
        volume: Sum of the degrees, V.
    """

    indptr: Ints
    neighbours: Ids
    weights: Floats
    loops: Floats
    degrees: Floats
    volume: float

    @classmethod
    def from_edges(
        cls, vertices: int, edges: ArrayLike, weights: ArrayLike | None = None, *, symmetric: bool = False
    ) -> Graph:
        """Build a graph from an edge list, in O(n + m) time and about 50 bytes per edge in addition to the input.

        Args:
            vertices: Number of vertices n. Vertices are numbered 0 … n−1 and may have no edges.
            edges: Shape (m, 2), integers. The order of the two ends does not matter. Weights of the same pair add up.
            weights: Shape (m,), finite and ≥ 0; 1 for each row if omitted. Rows with weight 0 are ignored.
            symmetric: The list has every edge in both directions, like a symmetric matrix, which is checked. Each pair
                then counts once, with the mean of the two weights. Loops are listed once.

        Raises:
            GraphError: A vertex number is out of range; a weight is negative or not finite; a shape or type is wrong;
                or with `symmetric`, the other direction of a row is missing or has a different weight. The message
                names the first such row.
        """
        vertices = operator.index(vertices)
        if vertices < 0 or vertices > MAX_VERTICES:
            raise GraphError(f"a graph of {vertices} vertices cannot be built; expected 0 to {MAX_VERTICES}")
        ends = _checked_ends(vertices, edges)
        mass = checked_weights(len(ends), weights)
        with np.errstate(over="ignore", invalid="ignore"):  # an overflow shows in the volume, which is checked below
            loops = loop_weights(vertices, ends, mass)
            indptr, neighbours, merged = _rows(vertices, ends, mass, not symmetric)
            if symmetric:
                _mirror(ends, mass, indptr, neighbours, merged)
            degrees = row_sums(indptr, merged) + 2.0 * loops
            volume = float(degrees.sum())
        if not np.isfinite(volume):
            raise GraphError(
                "the sum of the weights is too large for float64", remedy="Divide all weights by a constant."
            )
        return cls(indptr, neighbours, merged, loops, degrees, volume)

    @property
    def vertices(self) -> int:
        """Number of vertices, n."""
        return len(self.loops)

    @property
    def edges(self) -> int:
        """Number of connected pairs of vertices, without loops."""
        return len(self.neighbours) // 2

    def __repr__(self) -> str:
        return f"Graph({self.vertices} vertices, {self.edges} edges, volume {self.volume:.6g})"


def _array(name: str, given: ArrayLike) -> NDArray[np.generic]:
    try:
        return np.asarray(given)
    except ValueError as error:
        raise GraphError(f"{name} are not an array: {error}") from error


def _checked_ends(vertices: int, edges: ArrayLike) -> Ids:
    ends = _array("edges", edges)
    if ends.shape == (0,):
        return np.empty((0, 2), dtype=np.int32)
    if ends.ndim != 2 or ends.shape[1] != 2:
        raise GraphError(f"edges have the shape {ends.shape}; expected (m, 2): one row per edge")
    if ends.size and ends.dtype.kind not in "iu":
        raise GraphError(f"edges are of type {ends.dtype}; expected integers")
    _check_range(vertices, cast("Ints", ends))
    return np.require(ends, np.int32, ["C", "W", "A"])


def _check_range(vertices: int, ends: Ints) -> None:
    if ends.size and (ends.min() < 0 or ends.max() >= vertices):
        row = int(np.argmax(((ends < 0) | (ends >= vertices)).any(axis=1)))
        raise GraphError(
            f"row {row} of the edges is ({ends[row, 0]}, {ends[row, 1]}), but the graph has {vertices} vertices",
            remedy="Vertices are numbered from 0.",
        )


def checked_weights(rows: int, weights: ArrayLike | None) -> Floats:
    if weights is None:
        return np.ones(rows)
    given = _array("weights", weights)
    if given.shape != (rows,):
        raise GraphError(f"weights have the shape {given.shape}; expected ({rows},): one for each row of the edges")
    if given.dtype.kind not in "iufb":
        raise GraphError(f"weights are of type {given.dtype}; expected numbers")
    mass = np.require(given, np.float64, ["C", "W", "A"])
    right = (mass >= 0.0) & (mass < np.inf)
    if not right.all():
        row = int(np.argmin(right))
        raise GraphError(f"row {row} of the weights is {mass[row]}; expected a finite number ≥ 0")
    return mass


def _mirror(ends: Ids, mass: Floats, indptr: Ints, neighbours: Ids, weights: Floats) -> None:
    row = _first_without_mirror(ends, mass, indptr, neighbours, weights)
    if row >= 0:
        u, v = int(ends[row, 0]), int(ends[row, 1])
        there, back = (_weight(one, other, indptr, neighbours, weights) for one, other in ((u, v), (v, u)))
        raise GraphError(
            f"row {row} of the edges is ({u}, {v}): the weight from {u} to {v} is {there}, back {back}",
            remedy="List every edge in both directions with the same weight, or omit symmetric=True.",
        )


def _weight(source: int, target: int, indptr: Ints, neighbours: Ids, weights: Floats) -> float:
    at = _position(source, target, indptr, neighbours)
    return float(weights[at]) if at >= 0 else 0.0


@kernel
def _position(source: int, target: int, indptr: Ints, neighbours: Ids) -> int:
    low, high = indptr[source], indptr[source + 1]
    while low < high:
        middle = (low + high) // 2
        if neighbours[middle] < target:
            low = middle + 1
        else:
            high = middle
    return low if low < indptr[source + 1] and neighbours[low] == target else -1


@kernel
def _first_without_mirror(ends: Ids, mass: Floats, indptr: Ints, neighbours: Ids, weights: Floats) -> int:
    """Return the first row whose two directions differ, −1 if all agree. Earlier rows are set to their mean."""
    for row in range(len(mass)):
        source, target = ends[row, 0], ends[row, 1]
        if source == target or mass[row] == 0.0:
            continue
        there = _position(source, target, indptr, neighbours)
        back = _position(target, source, indptr, neighbours)
        if back < 0 or abs(weights[there] - weights[back]) > _MIRROR_TOLERANCE * max(weights[there], weights[back]):
            return row
        mean = 0.5 * weights[there] + 0.5 * weights[back]
        weights[there] = mean
        weights[back] = mean
    return -1


@kernel
def loop_weights(vertices: int, ends: Ids, mass: Floats) -> Floats:
    """Return the total weight of each vertex's loops, (m, 2), (m,) -> (n,)."""
    loops = np.zeros(vertices)
    for row in range(len(mass)):
        if ends[row, 0] == ends[row, 1]:
            loops[ends[row, 0]] += mass[row]
    return loops


@kernel
def _rows(vertices: int, ends: Ids, mass: Floats, both: bool) -> tuple[Ints, Ids, Floats]:
    """Sort an edge list into rows: each edge into the rows of both ends, or only of the first end if not `both`.

    Two counting sorts, by the second end and then by the first, leave every row ascending. Equal neighbours are then
    adjacent and are merged. Both directions of a pair add up in list order, so they are equal. O(n + m).
    """
    starts, columns = _offsets(vertices, ends, mass, both)
    sources, by_column = _sorted_by_column(ends, mass, both, columns)
    neighbours, weights = np.empty(len(sources), dtype=np.int32), np.empty(len(sources))
    filled = starts[:-1].copy()
    for target in range(vertices):
        for entry in range(columns[target], columns[target + 1]):
            source = sources[entry]
            last = filled[source] - 1
            if last >= starts[source] and neighbours[last] == target:
                weights[last] += by_column[entry]
            else:
                neighbours[last + 1] = target
                weights[last + 1] = by_column[entry]
                filled[source] = last + 2
    return _close_gaps(starts, filled, neighbours, weights)


@kernel
def _offsets(vertices: int, ends: Ids, mass: Floats, both: bool) -> tuple[Ints, Ints]:
    rows, columns = np.zeros(vertices + 1, dtype=np.int64), np.zeros(vertices + 1, dtype=np.int64)
    for row in range(len(mass)):
        if ends[row, 0] != ends[row, 1] and mass[row] > 0.0:
            for direction in range(2 if both else 1):
                rows[ends[row, direction] + 1] += 1
                columns[ends[row, 1 - direction] + 1] += 1
    for vertex in range(vertices):
        rows[vertex + 1] += rows[vertex]
        columns[vertex + 1] += columns[vertex]
    return rows, columns


@kernel
def _sorted_by_column(ends: Ids, mass: Floats, both: bool, columns: Ints) -> tuple[Ids, Floats]:
    sources, weights = np.empty(columns[-1], dtype=np.int32), np.empty(columns[-1])
    filled = columns[:-1].copy()
    for row in range(len(mass)):
        if ends[row, 0] != ends[row, 1] and mass[row] > 0.0:
            for direction in range(2 if both else 1):
                target = ends[row, 1 - direction]
                sources[filled[target]] = ends[row, direction]
                weights[filled[target]] = mass[row]
                filled[target] += 1
    return sources, weights


@kernel
def _close_gaps(starts: Ints, filled: Ints, neighbours: Ids, weights: Floats) -> tuple[Ints, Ids, Floats]:
    """Close the gaps between rows in place; return offsets (n+1,), trimmed neighbours and trimmed weights."""
    indptr = np.zeros(len(starts), dtype=np.int64)
    for vertex in range(len(filled)):
        size = filled[vertex] - starts[vertex]
        for offset in range(size):
            neighbours[indptr[vertex] + offset] = neighbours[starts[vertex] + offset]
            weights[indptr[vertex] + offset] = weights[starts[vertex] + offset]
        indptr[vertex + 1] = indptr[vertex] + size
    return indptr, neighbours[: indptr[-1]], weights[: indptr[-1]]


@kernel
def row_sums(indptr: Ints, weights: Floats) -> Floats:
    """Return the sum of each row, (n+1,), (e,) -> (n,)."""
    sums = np.zeros(len(indptr) - 1)
    for vertex in range(len(sums)):
        for entry in range(indptr[vertex], indptr[vertex + 1]):
            sums[vertex] += weights[entry]
    return sums
