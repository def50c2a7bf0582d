"""A deterministic starting partition: the best cut through a tree of greedy joins."""

from __future__ import annotations

import numpy as np

from overstory_entropy.binary_tree import volumes_and_own
from overstory_entropy.compile import Ints, kernel
from overstory_entropy.pairing import paired
from overstory_entropy.problem import PlacementProblem, logarithm


def greedy_partition(problem: PlacementProblem) -> Ints:
    """Labels, shape (n,), each the number of a node of the tree that `paired` builds; n ≥ 2.

    best(a) = max(gain of a as one community, best of its children), from the leaves up, over the whole tree.
    """
    parents = paired(problem, np.empty((0, len(problem.volumes)), dtype=np.int64))
    return _best_cut(problem, parents)


@kernel
def _best_cut(problem: PlacementProblem, parents: Ints) -> Ints:
    volume, inside = volumes_and_own(problem, parents)
    best = np.zeros(len(parents))
    whole = np.zeros(len(parents), dtype=np.bool_)
    below = np.zeros(len(parents))
    for node in range(len(parents)):
        as_one = inside[node] * (logarithm(problem.total) - logarithm(volume[node]))
        whole[node] = as_one > below[node] or below[node] == 0.0
        best[node] = max(as_one, below[node])
        if node < len(parents) - 1:
            inside[parents[node]] += inside[node]
            below[parents[node]] += best[node]
    label = np.arange(len(parents))
    for node in range(len(parents) - 2, -1, -1):
        if label[parents[node]] != parents[node] or whole[parents[node]]:
            label[node] = label[parents[node]]
    return label[: len(problem.volumes)].copy()
