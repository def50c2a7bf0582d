"""A binary tree built from the bottom up, joining the closest nodes first."""

from __future__ import annotations

import numpy as np

from overstory_entropy.aggregate import aggregate
from overstory_entropy.binary_tree import NO_NODE
from overstory_entropy.compile import Floats, Ints, kernel
from overstory_entropy.improve import first_of_each
from overstory_entropy.problem import PlacementProblem
from overstory_entropy.refine import numbered

_ENOUGH_MUTUAL_SHARE = 0.1
"""A round that would join a smaller share of the nodes joins along all pointers: a star has one mutual pair a round."""


def paired(problem: PlacementProblem, nested: Ints) -> Ints:
    """The parents of a binary tree over the nodes, shape (2n − 1,), each parent numbered above its children.

    In each round every node points to its closest neighbour, by w(a, b) / (vol(a) · vol(b)), and mutual pairs are
    joined. At least one exists: among the closest pairs, the one with the smallest number. A community of `nested`
    becomes one node before it is joined to anything outside.

    Args:
        problem: n ≥ 2 nodes.
        nested: shape (levels, n), communities, the coarsest level first.

    Source: the closeness is that of Bonald, Charpentier, Galland and Hollocou 2018 (Paris).
    """
    nodes = len(problem.volumes)
    parents = np.full(2 * nodes - 1, NO_NODE, dtype=np.int64)
    names, members, next_name = np.arange(nodes), np.arange(nodes), nodes
    for fence in [*nested[::-1], np.zeros(nodes, dtype=np.int64)]:
        while True:
            partner, closeness = _closest(problem, fence[members])
            named = partner != NO_NODE
            if not named.any():
                break
            mutual = named & (partner[partner] == np.arange(len(partner)))
            if np.count_nonzero(mutual) >= _ENOUGH_MUTUAL_SHARE * np.count_nonzero(named):
                partner[~mutual] = NO_NODE
            joined, next_name = _join(partner, np.argsort(-closeness, kind="stable"), names, parents, next_name)
            labels, count = numbered(joined)
            first = first_of_each(labels, count)
            names, members = names[joined[first]], members[first]
            problem = aggregate(problem, labels, count)
    _join_the_rest(names, parents, next_name)
    return parents


def _join_the_rest(names: Ints, parents: Ints, next_name: int) -> None:
    """Join the remaining components, which share no edge, in a tree of logarithmic height."""
    while len(names) > 1:
        pairs = len(names) // 2
        above = next_name + np.arange(pairs)
        parents[names[: 2 * pairs]] = np.repeat(above, 2)
        names = np.concatenate([above, names[2 * pairs :]])
        next_name += pairs


@kernel
def _closest(problem: PlacementProblem, fence: Ints) -> tuple[Ints, Floats]:
    """(n,) -> (n,), (n,): the closest neighbour of each node within its fence (−1: no neighbour) and its closeness."""
    indptr, neighbours, weights, volumes, _, _ = problem
    partner = np.full(len(fence), NO_NODE, dtype=np.int64)
    closeness = np.zeros(len(fence))
    for node in range(len(fence)):
        for entry in range(indptr[node], indptr[node + 1]):
            other = neighbours[entry]
            if fence[other] == fence[node]:
                here = weights[entry] / (volumes[node] * volumes[other])
                if here > closeness[node] or (here == closeness[node] and other < partner[node]):
                    closeness[node], partner[node] = here, other
    return partner, closeness


@kernel
def _join(partner: Ints, order: Ints, names: Ints, parents: Ints, next_name: int) -> tuple[Ints, int]:
    """Join nodes along their pointers, the closest first.

    Returns:
        The representative of each node, (n,), at which `names` now has the name of the joined node; the next free name.
    """
    chief = np.arange(len(partner))
    for node in order:
        if partner[node] == NO_NODE:
            continue
        one, other = _chief(chief, node), _chief(chief, int(partner[node]))
        if one != other:
            parents[names[one]] = parents[names[other]] = next_name
            chief[other] = one
            names[one] = next_name
            next_name += 1
    for node in range(len(partner)):
        chief[node] = _chief(chief, node)
    return chief, next_name


@kernel
def _chief(chief: Ints, node: int) -> int:
    while chief[node] != node:
        chief[node] = chief[chief[node]]
        node = chief[node]
    return node
