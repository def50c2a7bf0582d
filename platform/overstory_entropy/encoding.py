"""Entry point of the optimiser: a graph in, its encoding tree out."""

from __future__ import annotations

import operator

import numpy as np

from overstory_entropy.compile import Ints
from overstory_entropy.encoding_tree import EncodingTree
from overstory_entropy.errors import GraphError
from overstory_entropy.graph import Graph
from overstory_entropy.greedy_start import greedy_partition
from overstory_entropy.levels import community_levels
from overstory_entropy.problem import PlacementProblem, vertices_as_nodes
from overstory_entropy.recombine import recombine
from overstory_entropy.refine import numbered
from overstory_entropy.unlimited import unlimited_tree

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
