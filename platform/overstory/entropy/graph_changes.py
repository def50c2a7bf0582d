"""Add and remove vertices and set edges of a graph, at the cost of copying it."""

from __future__ import annotations

import operator

import numpy as np
from numpy.typing import ArrayLike

from overstory.entropy.compile import Flags, Floats, Ids, Ints, kernel
from overstory.entropy.graph import MAX_VERTICES, Graph, checked_ends, checked_weights, row_sums
from overstory.errors import GraphError


def changed(
    graph: Graph, *, add: int = 0, edges: ArrayLike = (), weights: ArrayLike | None = None, remove: ArrayLike = ()
) -> Graph:
    """A copy of the graph with some vertices and edges changed. O(n + m) copying, O(k log k) for k rows of edges.

    Args:
        graph: n vertices; unchanged.
        add: how many vertices to add; they are n … n+add−1.
        edges: shape (k, 2), pairs whose weight is set, each once; the order of the two ends does not matter.
        weights: shape (k,), finite and ≥ 0, the new weights; 0 removes an edge. Without it, 1.
        remove: vertices to remove with their edges, none of them in `edges`. Later vertices move up, so that numbers
            stay consecutive and in order.

    Raises:
        GraphError: invalid edges or weights, as for `Graph.from_edges`; a pair set twice; a vertex to remove that is
            not in the graph or occurs in `edges`.
    """
    vertices = graph.vertices + _checked_count(graph.vertices, add)
    ends = checked_ends(vertices, edges)
    mass = checked_weights(len(ends), weights)
    kept = _checked_removal(graph.vertices, vertices, remove)
    _check_sets(ends, kept)
    loops = np.concatenate([graph.loops, np.zeros(vertices - graph.vertices)])
    at_loops = ends[:, 0] == ends[:, 1]
    loops[ends[at_loops, 0]] = mass[at_loops]
    indptr, neighbours, merged = _merge(graph, vertices, ends[~at_loops], mass[~at_loops], kept)
    degrees = row_sums(indptr, merged) + 2.0 * loops[kept]
    volume = float(degrees.sum())
    if not np.isfinite(volume):
        raise GraphError("the weights add up to more than a float64 holds", remedy="Divide them by a constant.")
    return Graph(indptr, neighbours, merged, loops[kept], degrees, volume)


def _checked_count(known: int, add: int) -> int:
    try:
        count = operator.index(add)
    except TypeError as error:
        raise GraphError(f"{add!r} vertices cannot be added", remedy="Give a whole number of 0 or more.") from error
    if not 0 <= count <= MAX_VERTICES - known:
        raise GraphError(f"{add} vertices cannot be added", remedy=f"Give 0 to {MAX_VERTICES - known}.")
    return count


def _checked_removal(known: int, vertices: int, remove: ArrayLike) -> Flags:
    """(vertices,): which of them stay."""
    gone = np.asarray(remove)
    if gone.size and (gone.ndim != 1 or gone.dtype.kind not in "iu"):
        raise GraphError(f"vertices to remove have the shape {gone.shape} and type {gone.dtype}; expected integers")
    outside = (gone < 0) | (gone >= known)
    if outside.any():
        raise GraphError(f"vertex {gone[np.argmax(outside)]} is to be removed, and the graph has {known} vertices")
    kept = np.ones(vertices, dtype=np.bool_)
    kept[gone.astype(np.int64)] = False
    return kept


def _check_sets(ends: Ids, kept: Flags) -> None:
    gone = ~kept[ends].all(axis=1)
    if gone.any():
        row = int(np.argmax(gone))
        raise GraphError(f"row {row} of the edges is ({ends[row, 0]}, {ends[row, 1]}), one of which is to be removed")
    ordered = np.sort(ends, axis=1)
    order = np.lexsort((ordered[:, 1], ordered[:, 0]))
    twice = (ordered[order[1:]] == ordered[order[:-1]]).all(axis=1)
    if twice.any():
        row = int(order[1:][twice].min())
        raise GraphError(f"row {row} of the edges sets ({ends[row, 0]}, {ends[row, 1]}) a second time")


def _merge(graph: Graph, vertices: int, ends: Ids, mass: Floats, kept: Flags) -> tuple[Ints, Ids, Floats]:
    sources = np.concatenate([ends[:, 0], ends[:, 1]])
    targets = np.concatenate([ends[:, 1], ends[:, 0]])
    order = np.lexsort((targets, sources))
    starts = np.zeros(vertices + 1, dtype=np.int64)
    np.cumsum(np.bincount(sources, minlength=vertices), out=starts[1:])
    number = np.cumsum(kept, dtype=np.int64) - 1
    return _merged_rows(
        (graph.indptr, graph.neighbours, graph.weights),
        (starts, targets[order], np.concatenate([mass, mass])[order]),
        kept,
        number,
    )


@kernel
def _merged_rows(
    old: tuple[Ints, Ids, Floats], new: tuple[Ints, Ids, Floats], kept: Flags, number: Ints
) -> tuple[Ints, Ids, Floats]:
    """Merge two sets of ascending rows; a pair in both gets the new weight, and 0 removes it.

    Args:
        old: rows of the first vertices.
        new: rows of all of them.
        kept: shape (n,), the vertices whose rows, and whose entries in other rows, stay.
        number: shape (n,), their numbers in the result.
    """
    old_starts, old_targets, old_weights = old
    new_starts, new_targets, new_weights = new
    starts = np.zeros(number[-1] + 2 if len(number) else 1, dtype=np.int64)
    targets = np.empty(len(old_targets) + len(new_targets), dtype=np.int32)
    weights = np.empty(len(old_targets) + len(new_targets))
    end = 0
    for vertex in range(len(kept)):
        if not kept[vertex]:
            continue
        one, one_end = 0, 0
        if vertex + 1 < len(old_starts):
            one, one_end = old_starts[vertex], old_starts[vertex + 1]
        other, other_end = new_starts[vertex], new_starts[vertex + 1]
        while one < one_end or other < other_end:
            if other == other_end or (one < one_end and old_targets[one] < new_targets[other]):
                target, weight = old_targets[one], old_weights[one]
                one += 1
            else:
                target, weight = new_targets[other], new_weights[other]
                if one < one_end and old_targets[one] == target:
                    one += 1
                other += 1
            if weight > 0.0 and kept[target]:
                targets[end], weights[end] = number[target], weight
                end += 1
        starts[number[vertex] + 1] = end
    return starts, targets[:end], weights[:end]
