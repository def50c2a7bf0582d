"""Trees with a given number of levels, added one at a time above or below the existing ones, whichever gains more."""

from __future__ import annotations

import numpy as np

from overstory_entropy.aggregate import aggregate
from overstory_entropy.compile import Ints
from overstory_entropy.improve import improved
from overstory_entropy.problem import PlacementProblem, place, spent
from overstory_entropy.recombine import escape

_FIRST_ROUNDS = 3
"""Rounds for a new level before the escapes, which improve it further than more rounds would."""

_MOST_ESCAPES = 3
_MOST_EDGES_TO_ESCAPE = 8_000_000
"""Each escape costs about half of what the tree did; graphs with more edges go without."""


def community_levels(problem: PlacementProblem, depth: int, random: np.random.Generator, start: Ints) -> Ints:
    """The best tree found with `depth` community levels; shape (depth, n), labels, the coarsest level first.

    Args:
        problem: n nodes, at least one edge.
        depth: ≥ 1.
        random: determines the order of the visits.
        start: shape (n,), labels 0 … k−1 of the initial partition.
    """
    nested = improved(problem, start[None], random, _FIRST_ROUNDS)
    while len(nested) < depth:
        nested = _with_another_level(problem, nested, random)
    if len(problem.neighbours) <= 2 * _MOST_EDGES_TO_ESCAPE:
        for _ in range(_MOST_ESCAPES):
            nested = escape(problem, nested, random)
    return improved(problem, nested, random)


def _with_another_level(problem: PlacementProblem, nested: Ints, random: np.random.Generator) -> Ints:
    apart = np.arange(len(problem.volumes))
    lower = improved(problem, np.concatenate([nested, apart[None]]), random, _FIRST_ROUNDS)
    communities = nested[0]
    count = int(communities.max()) + 1
    quotient = aggregate(problem, communities, count)._replace(inside=np.zeros(count))
    groups = improved(quotient, np.arange(count)[None], random)[0]
    upper = improved(problem, np.concatenate([groups[communities][None], nested]), random, _FIRST_ROUNDS)
    return min(lower, upper, key=lambda tree: spent(place(problem, tree), problem.total))
