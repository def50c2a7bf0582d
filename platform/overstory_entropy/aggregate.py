"""Aggregation: sets of nodes of a problem become the nodes of a smaller one."""

from __future__ import annotations

import numpy as np

from overstory_entropy.compile import Ints, kernel
from overstory_entropy.problem import PlacementProblem


@kernel
def aggregate(problem: PlacementProblem, labels: Ints, count: int) -> PlacementProblem:
    """Merge the nodes of each label into one: weights add up, and the weight between merged nodes becomes `inside`.

    Args:
        problem: n nodes.
        labels: shape (n,), 0 … count−1, each at least once.
        count: the number of nodes of the result.
    """
    indptr, neighbours, weights, volumes, inside, total = problem
    starts = np.zeros(count + 1, dtype=np.int64)
    for label in labels:
        starts[label + 1] += 1
    for label in range(count):
        starts[label + 1] += starts[label]
    members = np.empty(len(labels), dtype=np.int64)
    filled = starts[:-1].copy()
    for node in range(len(labels)):
        members[filled[labels[node]]] = node
        filled[labels[node]] += 1

    merged_volumes, merged_inside = np.zeros(count), np.zeros(count)
    merged_indptr = np.zeros(count + 1, dtype=np.int64)
    merged_neighbours = np.empty(len(neighbours), dtype=np.int32)
    merged_weights = np.empty(len(neighbours))
    toward = np.zeros(count)
    end = 0
    for label in range(count):
        begin = end
        for index in range(starts[label], starts[label + 1]):
            node = members[index]
            merged_volumes[label] += volumes[node]
            merged_inside[label] += inside[node]
            for entry in range(indptr[node], indptr[node + 1]):
                other = labels[neighbours[entry]]
                if other == label:
                    merged_inside[label] += weights[entry]
                else:
                    if toward[other] == 0.0:
                        merged_neighbours[end] = other
                        end += 1
                    toward[other] += weights[entry]
        for entry in range(begin, end):
            merged_weights[entry] = toward[merged_neighbours[entry]]
            toward[merged_neighbours[entry]] = 0.0
        merged_indptr[label + 1] = end
    return PlacementProblem(
        merged_indptr, merged_neighbours[:end].copy(), merged_weights[:end].copy(), merged_volumes, merged_inside, total
    )
