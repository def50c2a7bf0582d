"""Entry point of the optimiser: a graph in, its encoding tree out."""

from __future__ import annotations

import logging
import operator

import numpy as np

from overstory_entropy.binary_tree import children_of, in_order, paired, volumes_and_own, without_idle_nodes
from overstory_entropy.compile import Ints, kernel
from overstory_entropy.encoding_tree import EncodingTree
from overstory_entropy.errors import GraphError
from overstory_entropy.graph import Graph
from overstory_entropy.improve import CONVERGED_BITS, first_of_each, improve, improved, numbered
from overstory_entropy.problem import (
    PlacementProblem,
    aggregate,
    logarithm,
    nested_labels,
    place,
    spent,
    vertices_as_nodes,
)
from overstory_entropy.regraft import rearranged, regrafted, small_subtrees

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


_LEVELS_TO_START_FROM = 2
"""Of a tree without a level limit: one gives a worse start, three no better."""

_GREEDY_RESTART = 1


def encode(graph: Graph, *, levels: int | None, seed: int = 0, restarts: int = 1) -> EncodingTree:
    """Return the encoding tree of lowest structural entropy found; the same seed gives the same tree.

    Args:
        graph: n vertices.
        levels: community levels between the root and the leaves, each leaf at depth levels + 1; 1 gives the
            two-dimensional entropy, 0 the flat tree, None sets no limit. A vertex that gains nothing from a level, such
            as an isolated one, gets a community of its own there, which costs nothing.
        seed: ≥ 0; determines the order in which vertices are visited.
        restarts: number of searches, ≥ 1; the second starts from a greedy merge, the others from single vertices. With
            levels, each result is recombined with the best so far.

    Raises:
        GraphError: levels or seed is not a whole number ≥ 0, or restarts is not a whole number ≥ 1.

    Source: the objective is that of Li and Pan 2016 (SeRAG Eq. 1 and 2); the search is described in docs/entropy.md.
    """
    levels = None if levels is None else whole_number("levels", levels, least=0)
    seed, restarts = whole_number("seed", seed, least=0), whole_number("restarts", restarts, least=1)
    if graph.edges == 0 or levels == 0:
        return _tree_of_single_vertices(graph, levels or 0)
    problem = vertices_as_nodes(graph)
    if levels is None:
        trees = (_without_limit(graph, problem, seed, restart) for restart in range(restarts))
        return min(trees, key=lambda tree: tree.entropy)
    return EncodingTree.from_labels(graph, *_best_levels(problem, levels, seed, restarts))


def whole_number(name: str, value: int, *, least: int) -> int:
    """The value as an int."""
    try:
        number = operator.index(value)
    except TypeError as error:
        raise GraphError(f"{name} is {value!r}", remedy=f"Give a whole number of {least} or more.") from error
    if number < least:
        raise GraphError(f"{name} is {number}", remedy=f"Give a whole number of {least} or more.")
    return number


def _best_levels(problem: PlacementProblem, levels: int, seed: int, restarts: int) -> Ints:
    best = community_levels(problem, levels, np.random.default_rng([seed, 0]), _start(problem, 0))
    for restart in range(1, restarts):
        random = np.random.default_rng([seed, restart])
        another = community_levels(problem, levels, random, _start(problem, restart))
        best = recombine(problem, best, another, random)
    return best


def _without_limit(graph: Graph, problem: PlacementProblem, seed: int, restart: int) -> EncodingTree:
    random = np.random.default_rng([seed, restart])
    nested = community_levels(problem, _LEVELS_TO_START_FROM, random, _start(problem, restart))
    return EncodingTree.from_parents(graph, unlimited_tree(problem, nested, random))


def _start(problem: PlacementProblem, restart: int) -> Ints:
    if restart == _GREEDY_RESTART:
        return numbered(greedy_partition(problem))[0]
    return np.arange(len(problem.volumes))


def _tree_of_single_vertices(graph: Graph, levels: int) -> EncodingTree:
    return EncodingTree.from_labels(graph, *[np.arange(graph.vertices)] * levels)
