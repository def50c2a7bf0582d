"""The escape from local optima: break a part of the tree up, solve it anew, and take the best of both."""

from __future__ import annotations

import numpy as np

from overstory.entropy.aggregate import aggregate
from overstory.entropy.compile import Ints
from overstory.entropy.improve import SETTLED, first_of_each, improve, settled
from overstory.entropy.problem import Problem, nested_labels, place, spent
from overstory.entropy.refine import numbered

SHARE_BROKEN = 0.7
"""Of the lowest communities; .3 finds less, and 1 (a fresh start) no more on the graphs of the benchmark."""
FEW_ROUNDS = 2
"""A challenger is a source of boundaries, not a result: it need not settle."""


def escape(problem: Problem, nested: Ints, random: np.random.Generator) -> Ints:
    """A tree that costs no more than `nested`, of as many levels.

    Where two good trees agree, they are right; where they differ, the choice is among few pieces. So some of the
    communities are broken up into single nodes, which settle anew in a tree of their own, and the two are recombined.
    """
    return recombine(problem, nested, _challenger(problem, nested, random), random)


def recombine(problem: Problem, one: Ints, other: Ints, random: np.random.Generator) -> Ints:
    """The better of two trees, or one better than both: they are improved by moves of the sets that they agree on.

    It never costs more than `one`; `other` counts as better from `SETTLED` on.

    Args:
        problem: n nodes.
        one: shape (depth, n), labels of a tree, the coarsest level first.
        other: those of another.
        random: the order of the visits.
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
        if cost < least - SETTLED * problem.total:
            best, least = nested_labels(levels, len(start))[:, sets], cost
    return one if best is one else settled(problem, best, random)


def _challenger(problem: Problem, nested: Ints, random: np.random.Generator) -> Ints:
    """The same tree with most of its lowest communities broken into single nodes, and settled again."""
    lowest = nested[-1]
    broken = (random.random(int(lowest.max()) + 1) < SHARE_BROKEN)[lowest]
    pieces = lowest.copy()
    pieces[broken] = int(lowest.max()) + 1 + np.arange(np.count_nonzero(broken))
    return settled(problem, np.concatenate([nested[:-1], numbered(pieces)[0][None]]), random, FEW_ROUNDS)
