"""Eq. 8 and 9 against their literal evaluation, one vertex and one community at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.entropy import oracle
from tests.unit.entropy.generated import EdgeList, edge_lists, graph_of, parents_over

from overstory_entropy import EncodingTree, community_vectors, structural_weights
from overstory_entropy.consolidation import Vectors
from overstory_entropy.errors import GraphError

PATH = [(0, 1, 2.0), (1, 2, 1.0), (2, 3, 2.0), (3, 4, 1.0)]


@given(edge_lists(), st.data())
def test_every_weight_is_that_of_equation_8(drawn: EdgeList, data: st.DataObject) -> None:
    tree = EncodingTree.from_parents(drawn.graph(), data.draw(parents_over(drawn.vertices)))
    for node in range(len(tree)):
        expected = [
            oracle.structural_weight(*drawn, tree.parents.tolist(), vertex, node)
            for vertex in tree.members(node).tolist()
        ]
        assert structural_weights(tree, node) == pytest.approx(expected, abs=1e-9)


@given(edge_lists(), st.data(), st.integers(0, 2**32 - 1))
def test_every_vector_is_that_of_equation_9(drawn: EdgeList, data: st.DataObject, seed: int) -> None:
    tree = EncodingTree.from_parents(drawn.graph(), data.draw(parents_over(drawn.vertices)))
    vectors = np.random.default_rng(seed).normal(size=(drawn.vertices, 3)).astype(np.float32)
    expected = [one_by_one(drawn, tree, node, vectors) for node in range(len(tree))]
    assert community_vectors(tree, vectors) == pytest.approx(np.array(expected), abs=2e-4)


def one_by_one(drawn: EdgeList, tree: EncodingTree, node: int, vectors: Vectors) -> list[float]:
    members = tree.members(node).tolist()
    weights = [oracle.structural_weight(*drawn, tree.parents.tolist(), vertex, node) for vertex in members]
    mean = np.average(vectors[members].astype(np.float64), axis=0, weights=weights if sum(weights) > 0.0 else None)
    return [float(number) for number in mean / np.linalg.norm(mean)]


def test_a_vertex_without_edges_weighs_nothing_beside_others() -> None:
    tree = EncodingTree.from_labels(graph_of(3, [(0, 1, 1.0)]), [0, 0, 0])
    assert structural_weights(tree, 3).tolist() == [0.5, 0.5, 0.0]


def test_a_community_of_isolated_vertices_has_the_plain_mean() -> None:
    tree = EncodingTree.from_labels(graph_of(4, [(0, 1, 1.0)]), [0, 0, 1, 1])
    vectors = community_vectors(tree, [[1.0, 0.0], [1.0, 0.0], [3.0, 0.0], [0.0, 4.0]])
    assert vectors[5].tolist() == pytest.approx([0.6, 0.8])


def test_vectors_that_cancel_out_leave_a_vector_without_length() -> None:
    tree = EncodingTree.from_labels(graph_of(2, [(0, 1, 1.0)]))
    assert community_vectors(tree, [[1.0, 0.0], [-1.0, 0.0]])[2].tolist() == [0.0, 0.0]


def test_leaves_keep_their_own_vectors_normalised() -> None:
    tree = EncodingTree.from_labels(graph_of(2, [(0, 1, 1.0)]))
    assert community_vectors(tree, [[3, 4], [0, 0]])[:2].tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0, 0]]


def test_weights_multiplied_by_a_constant_give_the_same_vectors() -> None:
    vectors = np.random.default_rng(1).normal(size=(5, 4))
    labels = [0, 0, 0, 1, 1]
    small = EncodingTree.from_labels(graph_of(5, [(u, v, w * 2.0**-200) for u, v, w in PATH]), labels)
    large = EncodingTree.from_labels(graph_of(5, [(u, v, w * 2.0**900) for u, v, w in PATH]), labels)
    assert community_vectors(small, vectors).tolist() == community_vectors(large, vectors).tolist()


def test_columns_in_blocks_give_what_all_at_once_give(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = EncodingTree.from_labels(graph_of(5, PATH), [0, 0, 0, 1, 1])
    vectors = np.random.default_rng(2).normal(size=(5, 7))
    at_once = community_vectors(tree, vectors)
    monkeypatch.setattr("overstory_entropy.consolidation.WORKING_BYTES", 16 * 3 * 2)
    assert community_vectors(tree, vectors).tolist() == at_once.tolist()


def test_a_tree_without_vertices_has_a_root_without_length() -> None:
    tree = EncodingTree.from_labels(graph_of(0, []))
    assert community_vectors(tree, np.empty((0, 3))).tolist() == [[0.0, 0.0, 0.0]]


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ([[1.0], [2.0]], r"shape \(2, 1\); expected \(3, d\)"),
        ([1.0, 2.0, 3.0], r"shape \(3,\)"),
        ([[1.0], [np.nan], [np.inf]], "row 1 of the vectors"),
        ([[1.0], [2.0], [1e39]], "row 2 of the vectors"),
        ([["a"], ["b"], ["c"]], "type <U1"),
    ],
)
def test_vectors_that_cannot_be_used_are_refused_by_row(vectors: object, message: str) -> None:
    tree = EncodingTree.from_labels(graph_of(3, [(0, 1, 1.0)]))
    with pytest.raises(GraphError, match=message):
        community_vectors(tree, np.array(vectors))
