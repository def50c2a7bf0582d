"""Convert a tree of any shape into a binary one, dropping some leaves and adding others."""

from __future__ import annotations

import numpy as np

from overstory.entropy.compile import Ints, kernel

GONE = -1


@kernel
def binarised(parents: Ints, number: Ints, add: int) -> Ints:
    """Parents of a binary tree, (2n − 1,), with a node for every group of remaining leaves in the given tree.

    A node with several children joins them in pairs, in rounds, so that a wide node becomes a low tree.

    Args:
        parents: shape (nodes,), each numbered above its children, the root last.
        number: shape (leaves,), the number of each leaf in the result, 0 … in any order; −1 drops the leaf.
        add: how many leaves to add under the root; they get the next numbers. n = remaining leaves + add ≥ 1.
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
    # For each parent, the names of what remains of its children; a subtree with no leaves left has no entry.
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
