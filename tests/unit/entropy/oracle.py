"""The oracle of the engine: the definitions in plain Python, independent of the package, and every possible tree.

A tree is the list of its nodes' parents, −1 for the root, with the vertices first. Edges are (one end, other end,
weight) in any order, including parallel edges and loops.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum, log2

Edge = tuple[int, int, float]


def entropy(vertices: int, edges: Sequence[Edge], parents: Sequence[int]) -> float:
    """−Σ over the nodes but the root of g/V · log2(vol/vol(parent)), in bits."""
    return fsum(terms(vertices, edges, parents))


def terms(vertices: int, edges: Sequence[Edge], parents: Sequence[int]) -> list[float]:
    """The term of each node; 0 where nothing leaves it."""
    below = vertices_below(vertices, parents)
    whole = volume(edges, set(range(vertices)))
    found: list[float] = []
    for node, parent in enumerate(parents):
        leaving = 0.0 if parent < 0 else cut(edges, below[node])
        ratio = volume(edges, below[parent]) / volume(edges, below[node]) if leaving else 1.0
        found.append(leaving / whole * log2(ratio) if leaving else 0.0)
    return found


def structural_weight(
    vertices: int, edges: Sequence[Edge], parents: Sequence[int], vertex: int, community: int
) -> float:
    """W(vertex | community), SeRAG Eq. 8."""
    below = vertices_below(vertices, parents)
    weight, node = 0.0, vertex
    while node != community:
        leaving, above = cut(edges, below[node]), parents[node]
        if leaving:
            share = leaving / volume(edges, below[community])
            weight -= share * log2(volume(edges, below[node]) / volume(edges, below[above]))
        node = above
    return weight


def volume(edges: Sequence[Edge], group: set[int]) -> float:
    """Σ of the weighted degrees; both ends of an edge count, so a loop counts twice."""
    return fsum(weight * ((one in group) + (other in group)) for one, other, weight in edges)


def cut(edges: Sequence[Edge], group: set[int]) -> float:
    """The weight of the edges with one end in the group."""
    return fsum(weight for one, other, weight in edges if (one in group) != (other in group))


def vertices_below(vertices: int, parents: Sequence[int]) -> list[set[int]]:
    """The vertices at or below each node."""
    below: list[set[int]] = [set() for _ in parents]
    for vertex in range(vertices):
        node = vertex
        while node >= 0:
            below[node].add(vertex)
            node = parents[node]
    return below


def partitions(items: int) -> Iterator[list[int]]:
    """Every partition of 0 … items−1, as the group of each; the groups are numbered as they first appear."""
    if items == 0:
        yield []
        return
    for shorter in partitions(items - 1):
        for group in range(max(shorter, default=-1) + 2):
            yield [*shorter, group]


def level_trees(vertices: int, levels: int) -> Iterator[list[int]]:
    """Every tree with all leaves at depth levels + 1: each partition of the vertices, each of its groups, and so on."""
    if levels == 0:
        yield [vertices] * vertices + [-1]
        return
    for groups in partitions(vertices):
        for above in level_trees(max(groups, default=-1) + 1, levels - 1):
            yield [vertices + group for group in groups] + [vertices + node if node >= 0 else -1 for node in above]


def trees(vertices: int) -> Iterator[list[int]]:
    """Every tree whose internal nodes have two children or more, but the root of a lone vertex; from one vertex on."""
    for shape in _shapes(list(range(vertices))):
        yield _parents(vertices, shape)


_Shape = int | list["_Shape"]
"""A vertex, or the children of an internal node."""


def _shapes(members: list[int]) -> Iterator[_Shape]:
    """Every hierarchy of these vertices."""
    if len(members) == 1:
        yield members[0]
        return
    for groups in partitions(len(members)):
        if max(groups) > 0:
            yield from _combined(
                [[members[i] for i in range(len(members)) if groups[i] == g] for g in sorted({*groups})]
            )


def _combined(groups: list[list[int]]) -> Iterator[list[_Shape]]:
    if not groups:
        yield []
        return
    for first in _shapes(groups[0]):
        for rest in _combined(groups[1:]):
            yield [first, *rest]


def _parents(vertices: int, shape: _Shape) -> list[int]:
    parents = [-1] * (vertices + 1)
    waiting: list[tuple[int, list[_Shape]]] = [(vertices, [shape] if isinstance(shape, int) else shape)]
    while waiting:
        node, children = waiting.pop()
        for child in children:
            if isinstance(child, int):
                parents[child] = node
            else:
                parents.append(node)
                waiting.append((len(parents) - 1, child))
    return parents


def least_entropy(vertices: int, edges: Sequence[Edge], levels: int | None) -> float:
    """The lowest entropy of any tree of these levels, or of any tree at all; for some 8 vertices, 6 above one level."""
    every = trees(vertices) if levels is None else level_trees(vertices, levels)
    measured = _EverySet(vertices, edges)
    return min(measured.entropy(parents) for parents in every)


class _EverySet:
    """Volume and cut of every set of vertices, its members the bits of its number: thousands of trees in a second."""

    def __init__(self, vertices: int, edges: Sequence[Edge]) -> None:
        sets = [{vertex for vertex in range(vertices) if number >> vertex & 1} for number in range(2**vertices)]
        self.vertices = vertices
        self.volume_bits = [log2(volume(edges, group) or 1.0) for group in sets]
        self.shares = [cut(edges, group) / (volume(edges, sets[-1]) or 1.0) for group in sets]

    def entropy(self, parents: Sequence[int]) -> float:
        below = [0] * len(parents)
        for vertex in range(self.vertices):
            node = vertex
            while node >= 0:
                below[node] |= 1 << vertex
                node = parents[node]
        return fsum(
            self.shares[group] * (self.volume_bits[below[parent]] - self.volume_bits[group])
            for group, parent in zip(below, parents, strict=True)
            if parent >= 0
        )
