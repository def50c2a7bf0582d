"""The multilevel search: moves of nodes, of sets of nodes and of communities until nothing moves."""

from __future__ import annotations

import numpy as np

from overstory_entropy.aggregate import aggregate
from overstory_entropy.compile import Ints
from overstory_entropy.problem import Levels, PlacementProblem, nested_labels, place
from overstory_entropy.refine import numbered, refine
from overstory_entropy.relocate import relocate

CONVERGED_BITS = 1e-5
"""The search stops after a round that gains less than this, in bits."""
_MOST_IMPROVING_ROUNDS = 12


def improve(
    problem: PlacementProblem,
    levels: Levels,
    depth: int,
    random: np.random.Generator,
    rounds: int = _MOST_IMPROVING_ROUNDS,
) -> float:
    """Move nodes, sets and communities until a round gains less than `CONVERGED_BITS`; returns the gain in bits.

    Args:
        problem: n nodes.
        levels: the communities to start from; changed in place.
        depth: the number of their levels, ≥ 1.
        random: determines the order of the visits.
        rounds: the maximum number of rounds.
    """
    gained = 0.0
    for _ in range(rounds):
        gain = _move_nodes_and_sets(problem, levels, depth, random)
        if depth > 1:
            gain += _move_communities(problem, levels, depth, random)
        gained += gain
        if gain < CONVERGED_BITS:
            break
    return gained


def _move_nodes_and_sets(problem: PlacementProblem, levels: Levels, depth: int, random: np.random.Generator) -> float:
    """One pass that moves nodes, then larger and larger sets of them, between the existing communities."""
    nodes = len(levels.home)
    gain = relocate(problem, levels, depth, random.permutation(nodes)) / problem.total
    sets, count = refine(problem, levels, random.permutation(nodes))
    if count == nodes:
        return gain
    of_sets = levels._replace(home=levels.home[first_of_each(sets, count)])
    _count_children(of_sets, depth)
    gain += _move_nodes_and_sets(aggregate(problem, sets, count), of_sets, depth, random)
    levels.home[:] = of_sets.home[sets]
    _count_children(levels, depth)
    return gain


def _move_communities(problem: PlacementProblem, levels: Levels, depth: int, random: np.random.Generator) -> float:
    """Move the lowest communities, as nodes of the levels above; each pays for its own inside."""
    communities, count = numbered(levels.home)
    slots = levels.home[first_of_each(communities, count)]
    quotient = aggregate(problem, communities, count)._replace(inside=np.zeros(count))
    above = levels._replace(home=levels.parent[slots])
    gain = improve(quotient, above, depth - 1, random)
    levels.parent[slots] = above.home
    return gain


def first_of_each(labels: Ints, count: int) -> Ints:
    """(n,) with values 0 … count−1 -> (count,): the first index of each value."""
    first = np.empty(count, dtype=np.int64)
    first[labels[::-1]] = np.arange(len(labels) - 1, -1, -1)
    return first


def improved(
    problem: PlacementProblem, nested: Ints, random: np.random.Generator, rounds: int = _MOST_IMPROVING_ROUNDS
) -> Ints:
    """Labels (depth, n), the coarsest level first, of the tree after `improve`, from those before."""
    levels = place(problem, nested)
    improve(problem, levels, len(nested), random, rounds)
    return nested_labels(levels, len(nested))


def _count_children(levels: Levels, depth: int) -> None:
    lowest = levels.level == depth
    levels.children[lowest] = np.bincount(levels.home, minlength=len(levels.level))[lowest]
