"""The escape from local optima: break up part of the tree, solve it again, and combine the best of both."""

from __future__ import annotations

import numpy as np

from overstory_entropy.aggregate import aggregate
from overstory_entropy.compile import Ints
from overstory_entropy.improve import CONVERGED_BITS, first_of_each, improve, improved
from overstory_entropy.problem import PlacementProblem, nested_labels, place, spent
from overstory_entropy.refine import numbered

_SHARE_BROKEN = 0.7
"""Share of the lowest communities; .3 finds less, and 1 (a fresh start) no more on the benchmark's graphs."""
_CHALLENGER_ROUNDS = 2
"""A challenger only contributes boundaries, so it need not converge."""


def escape(problem: PlacementProblem, nested: Ints, random: np.random.Generator) -> Ints:
    """A tree with as many levels as `nested` that costs no more.

    Where two good trees agree they are probably right, and where they differ there are few pieces to choose from. So
    some communities are broken up into single nodes and optimised again, and the two trees are recombined.
    """
    return recombine(problem, nested, _challenger(problem, nested, random), random)


def recombine(problem: PlacementProblem, one: Ints, other: Ints, random: np.random.Generator) -> Ints:
    """The better of two trees, or one better than both, found by moving the sets of nodes that both keep together.

    It never costs more than `one`; `other` must be better by at least `CONVERGED_BITS`.

    Args:
        problem: n nodes.
        one: shape (depth, n), labels of a tree, the coarsest level first.
        other: the same for another tree.
        random: determines the order of the visits.
    """
    pairs, sets = np.unique(one[-1] * one.shape[1] + other[-1], return_inverse=True)
    count = len(pairs)
    first = first_of_each(sets, count)
    of_sets = aggregate(problem, sets, count)
    best, least = one, spent(place(of_sets, one[:, first]), problem.total)
    for start in (one, other):
        levels = place(of_sets, start[:, first])
        improve(of_sets, levels, len(start), random)
        cost = spent(levels, problem.total)
        if cost < least - CONVERGED_BITS * problem.total:
            best, least = nested_labels(levels, len(start))[:, sets], cost
    return one if best is one else improved(problem, best, random)


def _challenger(problem: PlacementProblem, nested: Ints, random: np.random.Generator) -> Ints:
    """The same tree with most of its lowest communities broken into single nodes and improved again."""
    lowest = nested[-1]
    broken = (random.random(int(lowest.max()) + 1) < _SHARE_BROKEN)[lowest]
    pieces = lowest.copy()
    pieces[broken] = int(lowest.max()) + 1 + np.arange(np.count_nonzero(broken))
    return improved(problem, np.concatenate([nested[:-1], numbered(pieces)[0][None]]), random, _CHALLENGER_ROUNDS)
