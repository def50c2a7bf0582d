"""Trees of unlimited height. They are binary: joining two of several children first always gains."""

from __future__ import annotations

import logging

import numpy as np

from overstory_entropy.binary_tree import children_of, in_order, without_idle_nodes
from overstory_entropy.compile import Ints
from overstory_entropy.pairing import paired
from overstory_entropy.problem import PlacementProblem
from overstory_entropy.rearrange import rearranged
from overstory_entropy.regraft import regrafted, small_subtrees

log = logging.getLogger(__name__)

_LARGEST_MOVED_LEAVES = 4
"""Leaves of the largest subtree that is moved whole."""
_UNLIMITED_CONVERGED_BITS = 1e-4
"""The search stops after a round that gains less than this, in bits."""
_MOST_UNLIMITED_ROUNDS = 12


def unlimited_tree(problem: PlacementProblem, nested: Ints, random: np.random.Generator) -> Ints:
    """Parents of the best tree found, numbered above their children, leaves first, the root last.

    Args:
        problem: n ≥ 2 nodes, at least one edge.
        nested: shape (levels, n), a good tree with some levels, the start of the binary tree.
        random: determines the order of the visits.
    """
    parents = paired(problem, nested)
    tree = in_order(*children_of(parents), len(parents) - 1)
    all_tried = True
    for _ in range(_MOST_UNLIMITED_ROUNDS):
        tree, by_regrafting, complete = regrafted(problem, tree, small_subtrees(tree, _LARGEST_MOVED_LEAVES, random))
        tree, by_rearranging = rearranged(problem, tree, random)
        all_tried &= complete
        if by_regrafting + by_rearranging < _UNLIMITED_CONVERGED_BITS:
            break
    if not all_tried:
        log.info(
            "a tree of %d leaves is too deep to try every move of a subtree; some were left out", len(problem.volumes)
        )
    return without_idle_nodes(problem, tree.parents)
