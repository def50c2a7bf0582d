"""The front door: the best tree there is on small graphs, the same one for the same seed, on whatever graph."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.unit.entropy import oracle
from tests.unit.entropy.generated import EdgeList, edge_lists, graph_of
from tests.unit.entropy.placed import Placed, nested_over, parents_of, placements
from tests.unit.entropy.speed import PLAIN_PYTHON, compiled_only

from overstory_entropy import EncodingTree, Graph, encode, flat_entropy, structural_entropy
from overstory_entropy.binary_tree import paired
from overstory_entropy.compile import Ints
from overstory_entropy.encoder import community_levels, escape, greedy_partition, recombine
from overstory_entropy.errors import GraphError
from overstory_entropy.improve import CONVERGED_BITS
from overstory_entropy.problem import nested_labels, vertices_as_nodes

COMPLETE = [(one, other, 1.0) for one, other in combinations(range(7), 2)]
STAR = [(0, leaf, 1.0) for leaf in range(1, 8)]
RING = [(vertex, (vertex + 1) % 8, 1.0) for vertex in range(8)]
PATH = RING[:-1]
TWO_COMPONENTS = [(0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0), (3, 4, 1.0), (4, 5, 1.0), (5, 3, 1.0), (6, 6, 2.0)]
PARALLEL = [(0, 1, 1.0), (1, 0, 1.0), (0, 1, 0.5), (1, 2, 1.0), (2, 3, 1.0), (0, 0, 3.0), (3, 3, 0.25)]


def some_graph(seed: int, vertices: int = 30, edges: int = 90) -> Graph:
    random = np.random.default_rng(seed)
    return Graph.from_edges(vertices, random.integers(0, vertices, (edges, 2)), random.random(edges) + 0.01)


def tiny_graph(seed: int) -> EdgeList:
    """Two to eight vertices, of every density, half of the graphs with equal weights."""
    random = np.random.default_rng(seed)
    vertices = int(random.integers(2, 9))
    ends = random.integers(0, vertices, (int(random.integers(1, 4 * vertices)), 2)).tolist()
    weights = np.ones(len(ends)) if seed % 2 else random.random(len(ends)) + 0.01
    return EdgeList(
        vertices, [(one, other, weight) for (one, other), weight in zip(ends, weights.tolist(), strict=True)]
    )


# The best there is


@pytest.mark.parametrize("tens", range(2 if PLAIN_PYTHON else 30))
def test_twenty_restarts_find_the_best_partition_of_a_tiny_graph(tens: int) -> None:
    for seed in range(10 * tens, 10 * tens + (2 if PLAIN_PYTHON else 10)):
        drawn = tiny_graph(seed)
        found = encode(drawn.graph(), levels=1, restarts=20).entropy
        assert found == pytest.approx(oracle.least_entropy(*drawn, levels=1), abs=1e-9), seed


@pytest.mark.parametrize("levels", [1, 2])
@pytest.mark.parametrize(
    "drawn",
    [
        EdgeList(6, [edge for edge in COMPLETE if max(edge[:2]) < 6]),
        EdgeList(6, STAR[:5]),
        EdgeList(6, [(vertex, (vertex + 1) % 6, 1.0) for vertex in range(6)]),
        EdgeList(6, PATH[:5]),
        EdgeList(4, PARALLEL),
        EdgeList(6, TWO_COMPONENTS[:6]),
    ],
    ids=["complete", "star", "ring", "path", "parallel", "two components"],
)
@compiled_only
def test_graphs_of_equal_weights_are_solved_too(drawn: EdgeList, levels: int) -> None:
    found = encode(drawn.graph(), levels=levels, restarts=20).entropy
    assert found == pytest.approx(oracle.least_entropy(*drawn, levels=levels), abs=1e-9)


@pytest.mark.parametrize("seed", range(2 if PLAIN_PYTHON else 10))
def test_a_ring_of_cliques_falls_into_its_cliques(seed: int) -> None:
    cliques = [(one, other, 1.0) for one, other in combinations(range(40), 2) if one // 5 == other // 5]
    ring = [(first, (first + 9) % 40, 1.0) for first in range(0, 40, 5)]
    tree = encode(graph_of(40, cliques + ring), levels=1, seed=seed)
    assert (tree.labels(1) - 40).tolist() == (np.arange(40) // 5).tolist()


@pytest.mark.parametrize(("vertices", "inside"), [(200, 0.8), pytest.param(3000, 0.6, marks=compiled_only)])
@pytest.mark.parametrize("seed", range(1 if PLAIN_PYTHON else 5))
def test_the_tree_of_a_planted_graph_costs_no_more_than_the_planted_one(
    vertices: int, inside: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    source = random.integers(0, vertices, 8 * vertices)
    beside = source // 20 * 20 + random.integers(0, 20, len(source))
    target = np.where(random.random(len(source)) < inside, beside, random.integers(0, vertices, len(source)))
    graph = Graph.from_edges(vertices, np.stack([source, target], axis=1))
    planted = EncodingTree.from_labels(graph, np.arange(vertices) // 20)
    assert encode(graph, levels=1, seed=seed).entropy <= planted.entropy + 1e-9


# What holds on every graph


@given(edge_lists(least=0), st.integers(0, 4), st.integers(1, 3))
def test_every_leaf_is_as_deep_as_asked_for(drawn: EdgeList, levels: int, restarts: int) -> None:
    tree = encode(drawn.graph(), levels=levels, restarts=restarts)
    assert tree.depths[: drawn.vertices].tolist() == [levels + 1] * drawn.vertices


@given(edge_lists(), st.sampled_from([0, 1, 2, 3, None]), st.integers(0, 9))
def test_the_reported_entropy_is_that_of_the_definition(drawn: EdgeList, levels: int | None, seed: int) -> None:
    tree = encode(drawn.graph(), levels=levels, seed=seed)
    assert tree.entropy == pytest.approx(oracle.entropy(*drawn, tree.parents.tolist()), abs=1e-9)
    assert tree.entropy == pytest.approx(structural_entropy(drawn.graph(), tree), abs=1e-9)


@given(edge_lists(), st.sampled_from([1, 2, None]))
def test_no_tree_costs_more_than_the_flat_one(drawn: EdgeList, levels: int | None) -> None:
    assert encode(drawn.graph(), levels=levels).entropy <= flat_entropy(drawn.graph()) + 1e-9


@pytest.mark.parametrize("levels", [1, 2, None])
@pytest.mark.parametrize("seed", range(1 if PLAIN_PYTHON else 5))
def test_more_restarts_never_make_it_worse(levels: int | None, seed: int) -> None:
    graph = some_graph(seed)
    entropies = [encode(graph, levels=levels, seed=seed, restarts=restarts).entropy for restarts in range(1, 4)]
    assert all(later <= earlier + 1e-9 for earlier, later in pairwise(entropies))


@given(edge_lists(), st.integers(1, 3), st.integers(1, 3))
def test_no_community_reaches_over_components_and_isolated_vertices_are_alone(
    drawn: EdgeList, levels: int, restarts: int
) -> None:
    tree = encode(drawn.graph(), levels=levels, restarts=restarts)
    component = components(drawn)
    for community in range(drawn.vertices, tree.root):
        assert len({component[vertex] for vertex in tree.members(community).tolist()}) == 1


def components(drawn: EdgeList) -> list[int]:
    """The smallest vertex that edges lead to from each."""
    smallest = list(range(drawn.vertices))
    for _ in range(drawn.vertices):
        for one, other, _weight in drawn.edges:
            smallest[one] = smallest[other] = min(smallest[one], smallest[other])
    return smallest


# The same again


def test_the_same_seed_gives_the_same_tree_and_another_may_give_another() -> None:
    graph = some_graph(0, 40, 120)
    trees = [encode(graph, levels=1, seed=seed).parents.tolist() for seed in (*range(4), *range(4))]
    assert trees[:4] == trees[4:]
    assert len({tuple(tree) for tree in trees}) > 1


PROGRAM = """
from tests.unit.entropy.test_encoder import some_graph
from overstory_entropy import encode
print([encode(some_graph(3, 300, 2000), levels=levels, restarts=2).parents.tolist() for levels in (1, 2, None)])
"""


@compiled_only
def test_the_tree_is_the_same_in_every_process_and_on_one_and_on_eight_threads() -> None:
    printed = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=os.environ
            | {"NUMBA_NUM_THREADS": threads, "PYTHONHASHSEED": threads, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "8")
    ]
    here = [encode(some_graph(3, 300, 2000), levels=levels, restarts=2).parents.tolist() for levels in (1, 2, None)]
    assert printed == [f"{here}\n"] * 2


@given(placements(), st.sampled_from([2.0**-300, 2.0**-30, 2.0, 2.0**200]))
def test_weights_multiplied_by_a_power_of_two_give_the_same_tree(placed: Placed, factor: float) -> None:
    drawn = placed.drawn
    multiplied = graph_of(drawn.vertices, [(one, other, weight * factor) for one, other, weight in drawn.edges])
    assert encode(multiplied, levels=2).parents.tolist() == encode(drawn.graph(), levels=2).parents.tolist()


@pytest.mark.parametrize("factor", [3.7, 1e-9, 1e9])
@pytest.mark.parametrize("seed", range(1 if PLAIN_PYTHON else 10))
def test_weights_multiplied_by_a_constant_give_the_same_tree(seed: int, factor: float) -> None:
    random = np.random.default_rng(seed)
    edges, weights = random.integers(0, 30, (90, 2)), random.random(90) + 0.01
    trees = [encode(Graph.from_edges(30, edges, numbers), levels=2) for numbers in (weights, weights * factor)]
    assert trees[0].parents.tolist() == trees[1].parents.tolist()
    assert trees[0].entropy == pytest.approx(trees[1].entropy, abs=1e-12)


def test_float32_and_float64_weights_give_the_same_tree() -> None:
    random = np.random.default_rng(5)
    edges, weights = random.integers(0, 30, (90, 2)), random.random(90).astype(np.float32)
    trees = [encode(Graph.from_edges(30, edges, weights.astype(kind)), levels=2) for kind in (np.float32, np.float64)]
    assert trees[0].parents.tolist() == trees[1].parents.tolist()


# Nothing to optimise, and what is refused


@pytest.mark.parametrize("levels", [0, 1, 3, None])
@pytest.mark.parametrize(("vertices", "edges"), [(0, []), (1, []), (1, [(0, 0, 2.0)]), (3, []), (2, [(1, 1, 1.0)])])
def test_a_graph_without_edges_between_vertices_has_entropy_0_and_single_vertices(
    vertices: int, edges: list[oracle.Edge], levels: int | None
) -> None:
    tree = encode(graph_of(vertices, edges), levels=levels, restarts=2)
    assert tree.entropy == 0.0
    assert tree.parents.tolist() == parents_of_single_vertices(vertices, levels or 0)


def parents_of_single_vertices(vertices: int, levels: int) -> list[int]:
    return parents_of(np.array([range(vertices)] * levels).reshape(levels, vertices)) if vertices else [-1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"levels": -1}, "levels must be at least 0, got -1"),
        ({"levels": 1, "restarts": 0}, "restarts must be at least 1, got 0"),
        ({"levels": None, "seed": -1}, "seed must be at least 0, got -1"),
        ({"levels": 1.5}, "levels must be a whole number, got 1.5"),
        ({"levels": "1"}, "levels must be a whole number, got '1'"),
        ({"levels": 1, "seed": None}, "seed must be a whole number, got None"),
    ],
)
def test_numbers_below_the_least_are_refused(options: dict[str, int], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        encode(graph_of(2, [(0, 1, 1.0)]), **options)


SEEDS = st.integers(0, 2**32 - 1)


@given(placements(), SEEDS)
def test_an_escape_never_makes_the_entropy_rise(placed: Placed, seed: int) -> None:
    random, nested = np.random.default_rng(seed), placed.nested
    for _ in range(3):
        escaped = escape(placed.problem(), nested, random)
        assert placed.entropy(escaped) <= placed.entropy(nested) + 1e-9
        nested = escaped


@given(placements(), st.data(), SEEDS)
def test_two_trees_together_are_at_least_as_good_as_the_better(placed: Placed, data: st.DataObject, seed: int) -> None:
    other = data.draw(nested_over(placed.drawn.vertices, placed.depth))
    both = recombine(placed.problem(), placed.nested, other, np.random.default_rng(seed))
    assert placed.entropy(both) <= placed.entropy() + 1e-9
    assert placed.entropy(both) <= placed.entropy(other) + CONVERGED_BITS + 1e-9


@given(placements(), SEEDS)
def test_the_labels_of_an_escape_are_nested(placed: Placed, seed: int) -> None:
    escaped = escape(placed.problem(), placed.nested, np.random.default_rng(seed))
    as_placed = nested_labels(Placed(placed.drawn, escaped).levels(), placed.depth)
    for given_row, row in zip(escaped, as_placed, strict=True):
        assert np.unique(given_row, return_inverse=True)[1].max() == row.max()
        assert len(np.unique(given_row * len(row) + row)) == row.max() + 1


def cuts(node: int, parents: list[int], groups: list[set[int]]) -> Iterator[list[set[int]]]:
    """Every way to cut through a tree below a node: the node as one group, or a cut below each of its children."""
    yield [groups[node]]
    children = [child for child, above in enumerate(parents) if above == node]
    if children:
        for parts in product(*(list(cuts(child, parents, groups)) for child in children)):
            yield [group for part in parts for group in part]


def entropy_of(given_graph: EdgeList, partition: list[set[int]]) -> float:
    vertices, parents = given_graph.vertices, [-1] * (given_graph.vertices + len(partition) + 1)
    for community, group in enumerate(partition):
        parents[vertices + community] = len(parents) - 1
        for vertex in group:
            parents[vertex] = vertices + community
    return oracle.entropy(vertices, given_graph.edges, parents)


def groups_of(labels: Ints) -> list[set[int]]:
    return [{*np.flatnonzero(labels == label).tolist()} for label in np.unique(labels)]


@given(edge_lists(least=2, most=7))
def test_no_other_cut_through_the_same_tree_costs_less(given_graph: EdgeList) -> None:
    assume(given_graph.edges)
    problem = vertices_as_nodes(given_graph.graph())
    parents = paired(problem, np.empty((0, given_graph.vertices), dtype=np.int64)).tolist()
    every = cuts(len(parents) - 1, parents, oracle.vertices_below(given_graph.vertices, parents))
    least = min(entropy_of(given_graph, partition) for partition in every)
    found = entropy_of(given_graph, groups_of(greedy_partition(problem)))
    assert found == pytest.approx(least, abs=1e-9)


def test_two_triangles_are_found() -> None:
    triangles = EdgeList(6, [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0), (3, 4, 1.0), (4, 5, 1.0), (3, 5, 1.0), (2, 3, 0.5)])
    labels = greedy_partition(vertices_as_nodes(triangles.graph()))
    assert groups_of(labels) == [{0, 1, 2}, {3, 4, 5}]


@given(edge_lists(least=2, most=7))
def test_a_second_restart_which_starts_there_never_hurts(given_graph: EdgeList) -> None:
    graph = given_graph.graph()
    assert encode(graph, levels=None, restarts=2).entropy <= encode(graph, levels=None).entropy


@given(placements(), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_there_are_as_many_levels_as_asked_for_each_refining_the_one_above(
    placed: Placed, depth: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    nested = community_levels(placed.problem(), depth, random, np.arange(placed.drawn.vertices))
    assert nested.shape == (depth, placed.drawn.vertices)
    for coarse, fine in pairwise(nested):
        assert len(np.unique(fine * placed.drawn.vertices + coarse)) == len(np.unique(fine))


@given(placements(), st.integers(0, 2**32 - 1))
def test_the_search_never_ends_above_the_partition_that_it_begins_with(placed: Placed, seed: int) -> None:
    start = placed.nested[-1]
    for depth in (1, 2):
        nested = community_levels(placed.problem(), depth, np.random.default_rng(seed), start)
        assert placed.entropy(nested) <= placed.entropy(start[None]) + 1e-9


@pytest.mark.parametrize("seed", range(2 if PLAIN_PYTHON else 10))
def test_groups_of_groups_are_found_as_two_levels(seed: int) -> None:
    fine, coarse = np.arange(60) // 5, np.arange(60) // 20
    weights = 1e-3 + 0.1 * (coarse[:, None] == coarse) + 1.0 * (fine[:, None] == fine)
    edges = [(one, other, float(weights[one, other])) for one in range(60) for other in range(one)]
    problem = vertices_as_nodes(graph_of(60, edges))
    nested = community_levels(problem, 2, np.random.default_rng(seed), np.arange(60))
    assert nested.tolist() == [coarse.tolist(), fine.tolist()]
