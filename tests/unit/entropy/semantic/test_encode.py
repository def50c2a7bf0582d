"""The whole: planted groups that only edges and texts together show, ablations, edge cases, limits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.entropy.semantic.planted import SPREAD, Attributed, adjusted_rand, attributed, planted
from tests.unit.entropy.speed import compiled_only

from overstory_entropy import EncodingTree, Graph
from overstory_entropy.encoder import encode
from overstory_entropy.errors import GraphError
from overstory_entropy.semantic import Density, encode_semantic, node_semantic_entropy, semantic_structural_entropy


@compiled_only
@pytest.mark.parametrize("seed", range(5))
def test_edges_and_texts_together_recover_groups_that_neither_shows_alone(seed: int) -> None:
    case = planted(seed)
    density = Density.from_vectors(case.vectors, bandwidth=SPREAD)
    both = encode_semantic(case.graph, density, height=2, seed=seed)
    edges_alone = encode_semantic(case.graph, density, height=2, weight=0.0, seed=seed)
    texts_alone = encode_semantic(case.graph, density, height=2, structure=False, seed=seed)
    assert adjusted_rand(both.labels(1), case.groups) > 0.95
    assert adjusted_rand(edges_alone.labels(1), case.groups) < 0.6
    assert adjusted_rand(texts_alone.labels(1), case.groups) < 0.6


@compiled_only
@pytest.mark.parametrize("seed", range(3))
def test_a_second_level_shows_the_circles_above_the_groups(seed: int) -> None:
    case = planted(seed)
    tree = encode_semantic(case.graph, Density.from_vectors(case.vectors, bandwidth=SPREAD), height=3, seed=seed)
    assert adjusted_rand(tree.labels(1), case.groups // 3) > 0.95
    assert adjusted_rand(tree.labels(2), case.groups) > 0.95


@compiled_only
@pytest.mark.parametrize("height", [2, 3, 4])
def test_without_texts_it_is_as_good_as_the_structural_engine(height: int) -> None:
    case = planted(3, circles=8, topics=2)
    semantic = encode_semantic(case.graph, case.vectors, height=height, weight=0.0)
    assert semantic.total <= encode(case.graph, levels=height - 1).entropy + 1e-9


@given(attributed(most=7), st.integers(1, 4), st.sampled_from([0.0, 1.0]), st.booleans())
def test_every_leaf_is_at_the_height_and_the_numbers_are_those_of_the_formula(
    case: Attributed, height: int, weight: float, structure: bool
) -> None:
    tree = encode_semantic(case.graph, case.density, height=height, weight=weight, structure=structure)
    assert (tree.depths[: tree.leaves] == height).all()
    assert tree.parents.tolist() == EncodingTree.from_parents(case.graph, tree.parents).parents.tolist()
    assert tree.semantic_entropy == pytest.approx(node_semantic_entropy(tree, case.density))
    edges = case.graph if structure else Graph.from_edges(case.graph.vertices, [])
    counted = EncodingTree.from_parents(edges, tree.parents)
    total = semantic_structural_entropy(edges, counted, case.density, weight=weight)
    assert tree.total == pytest.approx(total, abs=1e-9)


@given(attributed(most=7))
def test_the_total_is_never_above_that_of_no_groups(case: Attributed) -> None:
    flat = semantic_structural_entropy(case.graph, EncodingTree.from_labels(case.graph), case.density)
    assert encode_semantic(case.graph, case.density).total <= flat + 1e-9


@compiled_only
def test_the_tree_says_where_it_is_from_and_is_no_better_where_it_is_made_as_published() -> None:
    case = planted(0)
    density = Density.from_vectors(case.vectors, bandwidth=SPREAD)
    best = encode_semantic(case.graph, density, height=3)
    published = encode_semantic(case.graph, density, height=3, candidates="partition")
    assert published.kept == "partition"
    assert best.total <= published.total + 1e-9
    assert encode_semantic(case.graph, density, height=3, weight=0.0).kept == "structure"


def test_the_same_seed_gives_the_same_tree() -> None:
    case = planted(0, circles=2, topics=2, size=6)
    one, other = (encode_semantic(case.graph, case.vectors, seed=5) for _ in range(2))
    assert one.parents.tolist() == other.parents.tolist()


def test_without_edges_the_texts_decide() -> None:
    graph = Graph.from_edges(6, [])
    tree = encode_semantic(graph, [[0.0], [9.0], [0.1], [9.1], [0.2], [9.2]], height=2)
    assert adjusted_rand(tree.labels(1), np.array([0, 1, 0, 1, 0, 1])) == 1.0
    assert tree.entropy == 0.0


def test_a_vertex_without_edges_joins_the_group_whose_text_it_shares() -> None:
    edges = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (0, 0)]
    texts = Density.from_vectors([[0.0]] * 3 + [[9.0]] * 3 + [[9.0]], bandwidth=1.0)
    labels = encode_semantic(Graph.from_edges(7, edges), texts, height=2).labels(1)
    assert adjusted_rand(labels, np.array([0, 0, 0, 1, 1, 1, 1])) == 1.0


@pytest.mark.parametrize("vertices", [0, 1, 2])
def test_graphs_too_small_to_divide_have_their_obvious_tree(vertices: int) -> None:
    graph = Graph.from_edges(vertices, [(0, 1)] if vertices == 2 else [])
    tree = encode_semantic(graph, np.arange(2.0 * vertices).reshape(vertices, 2), height=3)
    assert tree.leaves == vertices
    assert np.isfinite(tree.total)
    assert (tree.depths[:vertices] == 3).all()


def test_copies_of_one_text_leave_the_structure() -> None:
    case = planted(0, circles=2, topics=1, size=8)
    copies = np.ones((16, 4))
    both, edges_alone = (encode_semantic(case.graph, copies, height=2, weight=weight) for weight in (1.0, 0.0))
    assert both.labels(1).tolist() == edges_alone.labels(1).tolist()
    assert both.total == pytest.approx(edges_alone.total)


@compiled_only
def test_blocks_cost_little() -> None:
    case = planted(0, circles=10, topics=5, size=8)
    density = Density.from_vectors(case.vectors, bandwidth=SPREAD)
    exact = encode_semantic(case.graph, density)
    in_blocks = encode_semantic(case.graph, density, kernel_entries=400 * 100)
    assert in_blocks.capped.in_blocks > 0
    assert exact.capped.in_blocks == 0
    assert in_blocks.total < 1.03 * exact.total


@compiled_only
def test_estimated_densities_cost_little_and_are_counted() -> None:
    case = planted(0, circles=20, topics=3, size=10)
    exact = Density.from_vectors(case.vectors, bandwidth=SPREAD)
    estimated = encode_semantic(case.graph, replace(exact, exact_members=20), kernel_entries=100 * 100)
    best = encode_semantic(case.graph, exact)
    assert estimated.estimated > 0
    assert best.estimated == 0
    assert estimated.capped.in_blocks > 0
    assert semantic_structural_entropy(case.graph, estimated, exact) < 1.03 * best.total


def test_a_height_below_one_is_refused() -> None:
    with pytest.raises(GraphError, match="height must be at least 1, got 0"):
        encode_semantic(Graph.from_edges(2, [(0, 1)]), np.zeros((2, 1)), height=0)


def test_a_vector_that_is_none_is_named() -> None:
    with pytest.raises(GraphError, match="row 1 of the vectors") as caught:
        encode_semantic(Graph.from_edges(2, [(0, 1)]), [[1.0], [float("nan")]])
    assert caught.value.remedy
