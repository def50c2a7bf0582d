"""Minimises the structural entropy of a graph, and returns the encoding tree. This is the optimiser's entry point."""

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
"""Fraction of the lowest communities that are broken up. In benchmarks, 0.3 is worse, and 1 (a fresh start) no better.
"""
_CHALLENGER_ROUNDS = 2  # few, because only a challenger's boundaries are used


def escape(problem: PlacementProblem, nested: Ints, random: np.random.Generator) -> Ints:
    """Try to escape from a local optimum. Return a tree that has as many levels as `nested` and costs no more.

    Most of the lowest communities are broken up into single nodes, which are optimised again. The old and the new tree
    are then recombined. Where two good trees agree, they are probably right. Where they differ, only a few sets of
    nodes remain to be moved.

    Args:
        nested: Shape (depth, n). Labels of a tree, coarsest level first.
    """
    return recombine(problem, nested, _challenger(problem, nested, random), random)


def recombine(problem: PlacementProblem, one: Ints, other: Ints, random: np.random.Generator) -> Ints:
    """Return the better of two trees, or a tree that is better than both.

    Nodes that both trees keep together are moved as one. The result never costs more than `one`, and it is a different
    tree only if that saves at least `CONVERGED_BITS`.

    Args:
        one: Shape (depth, n). Labels of a tree, coarsest level first.
        other: Shape (depth, n). Labels of another tree.
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
    """Return the tree after most of its lowest communities have been broken into single nodes and improved again."""
    lowest = nested[-1]
    broken = (random.random(int(lowest.max()) + 1) < _SHARE_BROKEN)[lowest]
    pieces = lowest.copy()
    pieces[broken] = int(lowest.max()) + 1 + np.arange(np.count_nonzero(broken))
    return improved(problem, np.concatenate([nested[:-1], numbered(pieces)[0][None]]), random, _CHALLENGER_ROUNDS)


_FIRST_ROUNDS = 3  # number of rounds for a new level, which escapes improve further

_MOST_ESCAPES = 3
_MOST_EDGES_TO_ESCAPE = 8_000_000
"""Maximum number of edges for which escapes are tried. An escape takes about half as long as the search before it."""


def community_levels(problem: PlacementProblem, depth: int, random: np.random.Generator, start: Ints) -> Ints:
    """Search for the best tree with `depth` community levels, and return its labels.

    Args:
        problem: n nodes and at least one edge.
        depth: Number of levels, ≥ 1.
        start: Shape (n,). Labels 0 … k−1 of the initial partition.

    Returns:
        Shape (depth, n). The label of each node at each level, coarsest level first.
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
_UNLIMITED_CONVERGED_BITS = 1e-4  # the search ends after a round that gains less than this
_MOST_UNLIMITED_ROUNDS = 12


def unlimited_tree(problem: PlacementProblem, nested: Ints, random: np.random.Generator) -> Ints:
    """Search for the best tree with any number of levels, and return the parent of each of its nodes.

    Parents have higher numbers than their children. The leaves are numbered first and the root last.

    Args:
        problem: At least two nodes and at least one edge.
        nested: Shape (levels, n). Labels of a good tree, from which the search starts.
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
    """Return the best partition into subtrees of the binary tree that `paired` builds, as labels of shape (n,).

    A label is the number of the node at the top of the subtree. The partition is computed from the leaves upwards: the
    best gain below a node a is either the gain of a as one community or the sum of its children's best gains, whichever
    is larger.

    Args:
        problem: At least two nodes.
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


_LEVELS_TO_START_FROM = 2  # levels of the tree from which `unlimited_tree` starts; 1 is worse, 3 no better

_GREEDY_RESTART = 1


def encode(graph: Graph, *, levels: int | None, seed: int = 0, restarts: int = 1) -> EncodingTree:
    """Search for the encoding tree with the lowest structural entropy. The same seed leads to the same tree.

    Args:
        levels: Number of community levels between the root and the leaves. Every leaf is at depth levels + 1. Use 1 for
            the two-dimensional entropy, 0 for the flat tree, and None for any number of levels. A vertex that gains
            nothing from a level, such as an isolated vertex, forms a community of its own there, which costs nothing.
        seed: Seed that determines the order in which vertices are visited, ≥ 0.
        restarts: Number of searches, ≥ 1. The second search starts from a greedy merge, all others from single
            vertices. If the number of levels is given, each result is recombined with the best tree so far. Otherwise
            the best result is returned.

    Raises:
        GraphError: `levels` or `seed` is not a whole number ≥ 0, or `restarts` is not a whole number ≥ 1.

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
    """Return the value as an int.

    Raises:
        GraphError: The value is not a whole number, or is less than `least`. The message calls it `name`.
    """
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
