"""Entry point of the optimiser: minimises the structural entropy of a graph and returns the encoding tree."""

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
"""Share of the lowest communities to break up. .3 finds less, and 1 (a fresh start) finds no more in the benchmarks."""
_CHALLENGER_ROUNDS = 2  # a challenger only contributes boundaries, so it need not converge


def escape(problem: PlacementProblem, nested: Ints, random: np.random.Generator) -> Ints:
    """Return a tree with as many levels as `nested` that costs no more, by escaping from a local optimum.

    Most of the lowest communities are broken up into single nodes and optimised again. The old and the new tree are
    then recombined: where two good trees agree they are probably right, and where they differ only few pieces are left
    to move.
    """
    return recombine(problem, nested, _challenger(problem, nested, random), random)


def recombine(problem: PlacementProblem, one: Ints, other: Ints, random: np.random.Generator) -> Ints:
    """Return the better of two trees, or a tree better than both.

    Sets of nodes that both trees keep together are moved as a whole.

    The result never costs more than `one`. It replaces `one` only if it is better by at least `CONVERGED_BITS`.

    Args:
        one: Shape (depth, n), labels of a tree, coarsest level first.
        other: Labels of another tree, same shape.
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
    """Return the tree with most of its lowest communities broken into single nodes and improved again."""
    lowest = nested[-1]
    broken = (random.random(int(lowest.max()) + 1) < _SHARE_BROKEN)[lowest]
    pieces = lowest.copy()
    pieces[broken] = int(lowest.max()) + 1 + np.arange(np.count_nonzero(broken))
    return improved(problem, np.concatenate([nested[:-1], numbered(pieces)[0][None]]), random, _CHALLENGER_ROUNDS)


_FIRST_ROUNDS = 3  # rounds for a new level; the later escapes improve it more than further rounds would

_MOST_ESCAPES = 3
_MOST_EDGES_TO_ESCAPE = 8_000_000
"""An escape costs about half of the search, so graphs with more edges are built without escapes."""


def community_levels(problem: PlacementProblem, depth: int, random: np.random.Generator, start: Ints) -> Ints:
    """Return the best tree found with `depth` community levels as labels, shape (depth, n), coarsest level first.

    Args:
        problem: n nodes, at least one edge.
        depth: Number of levels, ≥ 1.
        start: Shape (n,), labels 0 … k−1 of the initial partition.
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

_LARGEST_MOVED_LEAVES = 4  # leaves of the largest subtree that is moved as a whole
_UNLIMITED_CONVERGED_BITS = 1e-4  # the search stops after a round that gains fewer bits
_MOST_UNLIMITED_ROUNDS = 12


def unlimited_tree(problem: PlacementProblem, nested: Ints, random: np.random.Generator) -> Ints:
    """Return the parents of the best tree found without a level limit.

    Parents are numbered above their children, leaves come first and the root last.

    Args:
        problem: n ≥ 2 nodes, at least one edge.
        nested: Shape (levels, n), labels of a good tree, from which the binary tree starts.
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
        log.info("Some subtree moves were skipped because the tree of %d leaves is too deep.", len(problem.volumes))
    return without_idle_nodes(problem, tree.parents)


def greedy_partition(problem: PlacementProblem) -> Ints:
    """Return a partition as labels, shape (n,), each the number of a node in the tree that `paired` builds; n ≥ 2.

    The partition is the best cut through that tree, computed from the leaves up: best(a) = max(gain of a as one
    community, sum of its children's best).
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


_LEVELS_TO_START_FROM = 2  # levels of the initial tree without a level limit; 1 is worse, 3 no better

_GREEDY_RESTART = 1


def encode(graph: Graph, *, levels: int | None, seed: int = 0, restarts: int = 1) -> EncodingTree:
    """Return the encoding tree with the lowest structural entropy found. The same seed gives the same tree.

    Args:
        levels: Number of community levels between the root and the leaves, each leaf at depth levels + 1. 1 gives the
            two-dimensional entropy, 0 the flat tree, None sets no limit. A vertex that gains nothing from a level, such
            as an isolated one, gets its own community there, which costs nothing.
        seed: ≥ 0. Determines the order in which vertices are visited.
        restarts: Number of searches, ≥ 1. The second starts from a greedy merge, the others from single vertices. With
            levels, each result is recombined with the best so far.

    Raises:
        GraphError: levels or seed is not a whole number ≥ 0, or restarts is not a whole number ≥ 1.

    Source: the objective is that of Li and Pan 2016 (SeRAG Eq. 1 and 2). docs/entropy.md describes the search.
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
    """Return the value as an int; raise `GraphError` if it is not a whole number of at least `least`."""
    try:
        number = operator.index(value)
    except TypeError as error:
        raise GraphError(
            f"{name} must be a whole number, got {value!r}", remedy=f"Give a whole number of {least} or more."
        ) from error
    if number < least:
        raise GraphError(
            f"{name} must be at least {least}, got {number}", remedy=f"Give a whole number of {least} or more."
        )
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
