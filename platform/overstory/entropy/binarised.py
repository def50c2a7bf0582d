"""A tree of any shape made binary, with leaves left out and others added."""

from __future__ import annotations

import numpy as np

from overstory.entropy.compile import Ints, kernel

GONE = -1


@kernel
def binarised(parents: Ints, number: Ints, add: int) -> Ints:
    """Parents of a binary tree, (2n − 1,), in which every group of leaves of the given tree that are left has a node.

    The children of a node of several are joined two by two, in rounds, so that a wide node becomes a low tree.

    Args:
        parents: shape (nodes,), each numbered above its children, the root last.
        number: shape (leaves,), what each leaf is called in the result, 0 … in any order; −1 for one to leave out.
        add: how many leaves to add under the root; they are called by the next numbers. n = leaves left + add ≥ 1.
    """
    nodes, leaves = len(parents), len(number)
    left = 0
    for leaf in range(leaves):
        left += number[leaf] != GONE
    total = left + add
    result = np.full(2 * total - 1, -1, dtype=np.int64)
    starts = np.zeros(nodes + 1, dtype=np.int64)
    for node in range(nodes - 1):
        starts[parents[node] + 1] += 1
    for node in range(nodes):
        starts[node + 1] += starts[node]
    # The name of what is left of each child, by parents; a subtree of which nothing is left fills no place.
    names = np.empty(nodes + add, dtype=np.int64)
    filled = starts[:-1].copy()
    next_name = total
    for node in range(nodes):
        if node < leaves:
            name = number[node]
        else:
            begin, end = starts[node], filled[node]
            if node == nodes - 1:
                for new in range(add):
                    names[end] = left + new
                    end += 1
            while end - begin > 1:
                kept = begin
                for index in range(begin, end, 2):
                    if index + 1 < end:
                        result[names[index]] = result[names[index + 1]] = next_name
                        names[kept] = next_name
                        next_name += 1
                    else:
                        names[kept] = names[index]
                    kept += 1
                end = kept
            name = names[begin] if end > begin else GONE
        if node < nodes - 1 and name != GONE:
            names[filled[parents[node]]] = name
            filled[parents[node]] += 1
    return result
