"""Refinement: well-connected sets of nodes inside each community, to be moved as one."""

from __future__ import annotations

import numpy as np

from overstory_entropy.compile import Ints, kernel
from overstory_entropy.problem import Levels, PlacementProblem, logarithm
from overstory_entropy.relocate import WORTHWHILE_GAIN


@kernel
def refine(problem: PlacementProblem, levels: Levels, order: Ints) -> tuple[Ints, int]:
    """Split every lowest community into sets of nodes, growing them from single nodes; O(edges).

    A node that is still alone joins the set of its community with the largest gain, as if the sets were communities.
    This can split a community along lines that no move of single nodes finds (the refinement of Leiden; Traag,
    Waltman and van Eck 2019, with this objective in place of modularity).

    Args:
        problem: n nodes.
        levels: their communities.
        order: shape (n,), the order of the visits.

    Returns:
        The set of each node, shape (n,), 0 … k−1, and k.
    """
    indptr, neighbours, weights, volumes, inside, _ = problem
    home, parent = levels.home, levels.parent
    nodes = len(home)
    group = np.arange(nodes)
    size = np.ones(nodes, dtype=np.int64)
    volume, own = volumes.copy(), inside.copy()
    log_volume = np.zeros(nodes)
    for node in range(nodes):
        log_volume[node] = logarithm(float(volumes[node]))
    toward = np.zeros(nodes)
    touched = np.empty(nodes, dtype=np.int64)
    for node in order:
        if size[node] != 1 or indptr[node] == indptr[node + 1]:
            continue
        count = 0
        for entry in range(indptr[node], indptr[node + 1]):
            if home[neighbours[entry]] == home[node]:
                candidate = group[neighbours[entry]]
                if toward[candidate] == 0.0:
                    touched[count] = candidate
                    count += 1
                toward[candidate] += weights[entry]
        most, chosen = WORTHWHILE_GAIN * volumes[node], node
        log_above = logarithm(float(levels.volume[parent[home[node]]]))
        for index in range(count):
            candidate = touched[index]
            if 2.0 * toward[candidate] * (log_above - log_volume[candidate]) <= most:
                continue
            log_joined = logarithm(float(volume[candidate] + volumes[node]))
            gain = 2.0 * toward[candidate] * (log_above - log_joined)
            gain -= own[candidate] * (log_joined - log_volume[candidate])
            gain -= inside[node] * (log_joined - log_volume[node])
            if gain > most:
                most, chosen = gain, candidate
        if chosen != node:
            group[node] = chosen
            size[node] = 0
            size[chosen] += 1
            volume[chosen] += volumes[node]
            own[chosen] += inside[node] + 2.0 * toward[chosen]
            log_volume[chosen] = logarithm(float(volume[chosen]))
        for index in range(count):
            toward[touched[index]] = 0.0
    return numbered(group)


@kernel
def numbered(labels: Ints) -> tuple[Ints, int]:
    """(n,), n ≥ 1, with values ≥ 0 -> (n,) with 0 … k−1 in the order of their first appearance, and k."""
    numbers = np.full(labels.max() + 1, -1, dtype=np.int64)
    renumbered = np.empty(len(labels), dtype=np.int64)
    count = 0
    for index in range(len(labels)):
        if numbers[labels[index]] < 0:
            numbers[labels[index]] = count
            count += 1
        renumbered[index] = numbers[labels[index]]
    return renumbered, count
