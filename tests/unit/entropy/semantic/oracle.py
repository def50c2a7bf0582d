"""Semantic–structural entropy from its definition, in plain Python over sets; nothing is shared with the package."""

from __future__ import annotations

from collections.abc import Sequence
from math import dist, exp, fsum, log2

from tests.unit.entropy.oracle import vertices_below

Point = Sequence[float]


def semantic_entropy(points: Sequence[Point], parents: Sequence[int]) -> float:
    """The mean over vertices v, and over v's distinct groups a, of −log2 p₋ᵥ(z_v | a)."""
    if len(points) < 2:
        return 0.0
    return fsum(_mean_surprise(points, parents, vertex) for vertex in range(len(points))) / len(points)


def surprise(points: Sequence[Point], vertex: int, group: frozenset[int]) -> float:
    """−log2 of the leave-one-out density of a vertex; points are in units of √2 · bandwidth."""
    others = [max(exp(-(dist(points[vertex], points[other]) ** 2)), 2.0**-128) for other in group if other != vertex]
    return -log2(fsum(others) / len(others))


def _mean_surprise(points: Sequence[Point], parents: Sequence[int], vertex: int) -> float:
    below = [frozenset(members) for members in vertices_below(len(points), parents)]
    ancestors: list[int] = []
    node = parents[vertex]
    while node >= 0:
        ancestors.append(node)
        node = parents[node]
    groups: set[frozenset[int]] = set()
    for place in range(len(ancestors) - 1):
        groups.add(next(below[above] for above in ancestors[place:] if len(below[above]) > 1))
    groups = groups or {below[ancestors[-1]]}
    return fsum(surprise(points, vertex, group) for group in groups) / len(groups)
