"""Defines the undirected weighted graph that encoding trees describe, in compressed sparse row (CSR) format."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from overstory_entropy.compile import Floats, Ids, Ints, kernel
from overstory_entropy.errors import GraphError

MAX_VERTICES = 2**31 - 1
"""Maximum number of vertices, which is limited because edges store vertex numbers in 32 bits."""

_MIRROR_TOLERANCE = 1e-6
"""Maximum relative difference between the weights of the two directions of an edge. It allows for float32 rounding."""


@dataclass(frozen=True, eq=False)
class Graph:
    """An undirected graph with n vertices and positive edge weights. Parallel edges are merged.

    Use `Graph.from_edges` to build a graph, because the constructor does not check its arguments.

    Attributes:
        indptr: Shape (n + 1,). Offset at which the row of each vertex starts. A row ends where the next row starts.
        neighbours: Shape (entries,). Neighbours of each vertex, in ascending order within a row. Each edge occurs in
            the rows of both its ends, with exactly the same weight. Loops do not occur in rows.
        weights: Shape (entries,). Weight of the edge to each of the `neighbours`.
        loops: Shape (n,). Total weight of each vertex's loops.
        degrees: Shape (n,). Weighted degree of each vertex. A loop counts twice.
        volume: Sum of the degrees.
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
        """Build a graph from a list of m edges.

        This takes O(n + m) time, and about 50 bytes of memory per edge in addition to the input.

        Args:
            vertices: Number of vertices, n. They are numbered 0 … n−1. A vertex need not have edges.
            edges: Shape (m, 2). The two ends of each edge, as integers in any order. If a pair of ends occurs several
                times, its weights are added up.
            weights: Shape (m,). The weight of each edge, which must be finite and ≥ 0; by default, all weights are 1.
                Edges of weight 0 are ignored.
            symmetric: True if the list contains every edge in both directions, like a symmetric matrix. This is
                checked. Each pair then counts once, with the mean of its two weights. Loops must be listed only once.

        Raises:
            GraphError: A shape or type is wrong, a vertex number is out of range, or a weight is negative or not
                finite. With `symmetric`, it is also an error if the opposite direction of an edge is missing or has
                another weight. The message names the first invalid row.
        """
        vertices = operator.index(vertices)
        if vertices < 0 or vertices > MAX_VERTICES:
            raise GraphError(f"a graph of {vertices} vertices cannot be built; expected 0 to {MAX_VERTICES}")
        ends = _checked_ends(vertices, edges)
        mass = checked_weights(len(ends), weights)
        with np.errstate(over="ignore", invalid="ignore"):  # overflow makes the volume infinite; see below
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
        """Number of pairs of vertices that are joined by an edge. Loops are not counted."""
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
    """Return the first row whose edge has different weights in its two directions; −1 if there is none.

    The weights of earlier rows are replaced by the mean of both directions.
    """
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
    """Return the total weight of each vertex's loops, shape (n,).

    Args:
        ends: Shape (m, 2). The two ends of each edge.
        mass: Shape (m,). The weight of each edge.
    """
    loops = np.zeros(vertices)
    for row in range(len(mass)):
        if ends[row, 0] == ends[row, 1]:
            loops[ends[row, 0]] += mass[row]
    return loops


@kernel
def _rows(vertices: int, ends: Ids, mass: Floats, both: bool) -> tuple[Ints, Ids, Floats]:
    """Sort an edge list into rows, and return the offsets, neighbours and weights of the rows.

    If `both` is True, each edge is put into the rows of both its ends, otherwise only into the row of its first end.
    Edges are sorted by their second end and then by their first, with two counting sorts in O(n + m). Equal neighbours
    in a row are then adjacent, and are merged. Both directions of a pair are added up in list order, so that their
    weights are exactly equal.
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
    """Return the offsets of the rows, their neighbours and their weights."""
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
    """Return the sum of the weights in each row, shape (n,)."""
    sums = np.zeros(len(indptr) - 1)
    for vertex in range(len(sums)):
        for entry in range(indptr[vertex], indptr[vertex + 1]):
            sums[vertex] += weights[entry]
    return sums
