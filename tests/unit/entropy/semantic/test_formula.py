"""S² of a whole tree against its definition, and the paper's two propositions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from tests.unit.entropy.oracle import entropy
from tests.unit.entropy.semantic import oracle
from tests.unit.entropy.semantic.planted import Attributed, attributed

from overstory_entropy import EncodingTree, Graph, structural_entropy
from overstory_entropy.errors import GraphError
from overstory_entropy.semantic import (
    Density,
    encode_semantic,
    node_semantic_entropy,
    regulate,
    semantic_entropy,
    semantic_structural_entropy,
)

PATH = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)])
ON_A_LINE = Density.from_vectors([[0.0], [1.0], [2.0], [3.0]], bandwidth=1.0)


@given(attributed())
def test_the_formula_is_the_definition(case: Attributed) -> None:
    parents, points = case.tree.parents.tolist(), case.density.points.tolist()
    expected = entropy(case.graph.vertices, case.edges, parents) + 0.7 * oracle.semantic_entropy(points, parents)
    computed = semantic_structural_entropy(case.graph, case.tree, case.density, weight=0.7)
    assert computed == pytest.approx(expected, abs=1e-9)


@given(attributed())
def test_without_the_texts_it_is_the_structural_entropy(case: Attributed) -> None:
    computed = semantic_structural_entropy(case.graph, case.tree, case.density, weight=0.0)
    assert computed == structural_entropy(case.graph, case.tree)


@given(attributed())
def test_regulate_changes_neither_entropy(case: Attributed) -> None:
    """Proposition 1."""
    regulated = regulate(case.graph, case.tree, case.tree.height + 2)
    assert (regulated.depths[: regulated.leaves] == case.tree.height + 2).all()
    assert regulated.entropy == pytest.approx(case.tree.entropy, abs=1e-9)
    before, after = (semantic_entropy(tree, case.density) for tree in (case.tree, regulated))
    assert after == pytest.approx(before, abs=1e-9)


def test_regulate_adds_no_node_where_a_group_can_stand_deeper() -> None:
    tree = EncodingTree.from_labels(PATH, [0, 0, 1, 1])
    assert len(regulate(PATH, tree, 4)) == len(tree) + 2 * 2


def test_a_tree_that_is_too_high_is_not_regulated() -> None:
    with pytest.raises(GraphError, match="height 2, more than 1"):
        regulate(PATH, EncodingTree.from_labels(PATH, [0, 0, 1, 1]), 1)


def test_purer_texts_below_a_node_lower_the_entropy_of_the_whole_tree() -> None:
    """Proposition 2, the catalytic effect: a division that the edges leave open is settled by the texts."""
    ring = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    one_way = EncodingTree.from_labels(ring, [0, 0, 1, 1])
    other_way = EncodingTree.from_labels(ring, [0, 1, 1, 0])
    texts = Density.from_vectors([[0.0], [0.1], [5.0], [5.1]], bandwidth=1.0)
    assert structural_entropy(ring, one_way) == pytest.approx(structural_entropy(ring, other_way))
    assert semantic_structural_entropy(ring, one_way, texts) < semantic_structural_entropy(ring, other_way, texts) - 1.0


@pytest.mark.parametrize("heavy", [1.2, 2.0, 3.0])
@pytest.mark.parametrize("apart", [1.0, 3.0])
def test_the_weight_of_the_texts_decides_whether_edges_part_a_pair_of_similar_texts(heavy: float, apart: float) -> None:
    """Proposition 2: below λ₀, where both trees have the same entropy, edges decide; above it, texts."""
    ring = Graph.from_edges(4, [(0, 1), (2, 3), (1, 2), (3, 0)], [heavy, heavy, 1.0, 1.0])
    texts = Density.from_vectors([[0.0], [apart], [apart + 0.1], [0.1]], bandwidth=1.0)
    parted, together = (EncodingTree.from_labels(ring, labels) for labels in ([0, 0, 1, 1], [0, 1, 1, 0]))
    loss = structural_entropy(ring, together) - structural_entropy(ring, parted)
    weight = loss / (semantic_entropy(parted, texts) - semantic_entropy(together, texts))
    below, above = (encode_semantic(ring, texts, height=2, weight=part * weight).labels(1) for part in (0.98, 1.02))
    assert below.tolist() == parted.labels(1).tolist()
    assert above.tolist() == together.labels(1).tolist()


def test_more_levels_cost_nothing_by_themselves() -> None:
    copies = Density.from_vectors(np.zeros((4, 1)))
    for tree in (EncodingTree.from_labels(PATH), EncodingTree.from_labels(PATH, [0, 0, 1, 1], [0, 0, 1, 2])):
        assert semantic_entropy(tree, copies) == 0.0


def test_a_vertex_alone_spends_what_it_would_one_level_up() -> None:
    alone = EncodingTree.from_labels(PATH, [0, 0, 0, 1])
    left_out = EncodingTree.from_parents(PATH, [4, 4, 4, 5, 5, -1])
    assert semantic_entropy(alone, ON_A_LINE) == pytest.approx(semantic_entropy(left_out, ON_A_LINE))


@given(attributed())
def test_the_entropy_of_a_node_is_the_mean_surprise_of_its_vertices(case: Attributed) -> None:
    found = node_semantic_entropy(case.tree, case.density)
    for node in range(len(case.tree)):
        members = case.tree.members(node)
        crowded = [above for above in [node, *case.tree.ancestors(node).tolist()] if case.tree.sizes[above] > 1]
        group = case.tree.members(crowded[0]) if crowded else members
        expected = case.density.surprise(group, members).mean() if crowded else 0.0
        assert found[node] == pytest.approx(expected, abs=1e-9)


def test_vectors_of_another_number_of_vertices_are_refused() -> None:
    with pytest.raises(GraphError, match="3 rows of vectors, but the graph has 4"):
        semantic_structural_entropy(PATH, EncodingTree.from_labels(PATH), np.zeros((3, 2)))


@pytest.mark.parametrize("weight", [-0.5, float("nan"), float("inf")])
def test_a_weight_that_is_none_is_refused(weight: float) -> None:
    with pytest.raises(GraphError, match="weight of the texts"):
        semantic_structural_entropy(PATH, EncodingTree.from_labels(PATH), ON_A_LINE, weight=weight)
