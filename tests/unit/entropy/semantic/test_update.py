"""Updates: touched sets are divided anew, the others stay; new vertices land where edges or texts lead."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import ArrayLike
from tests.unit.entropy.semantic.planted import SPREAD, planted

from overstory.entropy import EncodingTree, Graph
from overstory.entropy.compile import Ints
from overstory.entropy.semantic import (
    Density,
    SemanticTree,
    distinct,
    encode_semantic,
    semantic_structural_entropy,
    update_semantic,
)
from overstory.errors import GraphError

NONE = np.empty(0, dtype=np.int64)
CASE = planted(0, circles=3, topics=2, size=6)
DENSITY = Density.from_vectors(CASE.vectors, bandwidth=SPREAD)
FULL = encode_semantic(CASE.graph, DENSITY, height=3)
LABELS = np.stack([FULL.labels(1), FULL.labels(2)])


def test_where_nothing_is_touched_the_tree_stays() -> None:
    tree = update_semantic(CASE.graph, DENSITY, LABELS, NONE, height=3)
    assert tree.parents.tolist() == FULL.parents.tolist()
    assert tree.total == pytest.approx(FULL.total)
    assert not tree.redone.any()
    assert FULL.redone.all()


@pytest.mark.parametrize("weight", [0.0, 1.0])
@pytest.mark.parametrize("vertex", [0, 17, 35])
def test_a_touched_vertex_changes_only_the_sets_of_its_own_top_level_set(vertex: int, weight: float) -> None:
    before = encode_semantic(CASE.graph, DENSITY, height=3, weight=weight)
    labels = np.stack([before.labels(1), before.labels(2)])
    tree = update_semantic(CASE.graph, DENSITY, labels, np.array([vertex]), height=3, weight=weight)
    assert np.flatnonzero(tree.redone).tolist() == np.flatnonzero(labels[0] == labels[0][vertex]).tolist()
    assert {one for one in sets(before) if not one & redone(tree)} == {
        one for one in sets(tree) if not one & redone(tree)
    }
    assert tree.total <= before.total + 1e-9


def test_all_touched_is_no_worse_than_before() -> None:
    tree = update_semantic(CASE.graph, DENSITY, LABELS, np.arange(36), height=3)
    assert tree.redone.all()
    assert tree.total <= FULL.total + 1e-9


@pytest.mark.parametrize("vertex", [3, 10])
def test_a_new_vertex_lands_with_its_neighbours(vertex: int) -> None:
    labels = LABELS.copy()
    labels[:, vertex] = -1
    tree = update_semantic(CASE.graph, DENSITY, labels, np.array([vertex]), height=3)
    others = np.delete(np.arange(36), vertex)
    mates = others[CASE.groups[others] == CASE.groups[vertex]]
    assert set(tree.labels(2)[mates].tolist()) == {int(tree.labels(2)[vertex])}
    assert tree.redone.sum() < 36


def test_new_vertices_whose_edges_lead_to_other_new_ones_follow_them() -> None:
    graph = Graph.from_edges(8, [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (5, 6), (6, 7)])
    labels = np.array([[0, 0, 0, 1, 1, 1, -1, -1]])
    tree = update_semantic(graph, np.zeros((8, 1)), labels, np.array([6, 7]), height=2)
    assert np.flatnonzero(tree.redone).tolist() == [3, 4, 5, 6, 7]


def test_a_new_vertex_without_edges_lands_with_the_nearest_texts() -> None:
    graph = Graph.from_edges(7, [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)])
    density = Density.from_vectors([[0.0], [0.1], [0.2], [3.0], [3.1], [3.2], [3.1]], bandwidth=1.0)
    labels = np.array([[0, 0, 0, 1, 1, 1, -1]])
    tree = update_semantic(graph, density, labels, np.array([6]), height=2)
    assert tree.labels(1)[6] == tree.labels(1)[3] != tree.labels(1)[0]
    assert np.flatnonzero(tree.redone).tolist() == [3, 4, 5, 6]
    edges_only = update_semantic(graph, density, labels, np.array([6]), height=2, weight=0.0)
    assert (edges_only.labels(1) == edges_only.labels(1)[6]).sum() == 1


def test_new_vertices_make_groups_of_their_own_if_no_set_is_there() -> None:
    graph = Graph.from_edges(6, [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)])
    tree = update_semantic(graph, np.zeros((6, 1)), np.full((1, 6), -1), np.arange(6), height=2)
    assert len(set(tree.labels(1).tolist())) == 2


def test_a_deleted_vertex_leaves_its_set_and_the_rest_of_the_tree() -> None:
    kept = np.delete(np.arange(36), 20)
    ends = edges_of(CASE.graph)
    ends = ends[(ends != 20).all(axis=1)]
    graph = Graph.from_edges(35, np.searchsorted(kept, ends))
    density = Density(DENSITY.points[kept], SPREAD)
    row = slice(int(CASE.graph.indptr[20]), int(CASE.graph.indptr[21]))
    mates = [vertex for vertex in CASE.graph.neighbours[row].tolist() if LABELS[0][vertex] == LABELS[0][20]]
    tree = update_semantic(graph, density, LABELS[:, kept], np.searchsorted(kept, mates), height=3)
    assert (tree.depths[:35] == 3).all()
    assert np.flatnonzero(tree.redone).tolist() == np.flatnonzero(LABELS[0][kept] == LABELS[0][20]).tolist()


def test_in_a_set_of_more_than_half_of_the_vertices_only_the_touched_part_is_divided() -> None:
    labels = np.stack([np.zeros(36, dtype=np.int64), LABELS[0]])
    tree = update_semantic(CASE.graph, DENSITY, labels, np.array([0]), height=4)
    assert np.flatnonzero(tree.redone).tolist() == np.flatnonzero(LABELS[0] == LABELS[0][0]).tolist()


def test_without_structure_the_texts_alone_divide_a_touched_set() -> None:
    graph = Graph.from_edges(6, [(0, 1), (2, 3)])
    texts = [[0.0], [9.0], [0.1], [9.1], [0.2], [9.2]]
    tree = update_semantic(graph, texts, np.zeros((1, 6), dtype=np.int64), np.array([0]), height=2, structure=False)
    assert tree.labels(1).tolist() == [6, 7, 6, 7, 6, 7]


def test_a_set_left_with_one_vertex_is_none() -> None:
    graph = Graph.from_edges(4, [(0, 1), (2, 3)])
    tree = update_semantic(graph, np.zeros((4, 1)), [[0, 0, 1, 2]], NONE, height=2)
    assert distinct(graph, tree).parents.tolist() == [4, 4, 5, 5, 5, -1]


def test_distinct_sets_occur_once_and_the_entropy_stays() -> None:
    tree = FULL.distinct()
    found = [frozenset(tree.members(node).tolist()) for node in range(len(tree))]
    assert len(found) == len(set(found))
    assert set(found) == sets(FULL)
    assert semantic_structural_entropy(CASE.graph, tree, DENSITY) == pytest.approx(FULL.total)


@pytest.mark.parametrize(
    ("labels", "touched", "message"),
    [
        (np.zeros((3, 35), dtype=np.int64), NONE, r"shape \(3, 35\)"),
        (np.zeros((3, 36)), NONE, "expected .* integers"),
        (np.zeros((3, 36), dtype=np.int64), NONE, "3 levels of labels, and a tree of height 3 has 2"),
        (np.stack([np.arange(36), np.zeros(36, dtype=np.int64)]), NONE, "level"),
        (LABELS, np.array([36]), "expected numbers from 0 to 35"),
    ],
)
def test_what_does_not_fit_is_refused(labels: ArrayLike, touched: Ints, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        update_semantic(CASE.graph, DENSITY, labels, touched, height=3)


def sets(tree: EncodingTree) -> set[frozenset[int]]:
    return {frozenset(tree.members(node).tolist()) for node in range(len(tree))}


def redone(tree: SemanticTree) -> set[int]:
    return set(np.flatnonzero(tree.redone).tolist())


def edges_of(graph: Graph) -> Ints:
    """Each edge once, shape (m, 2)."""
    ends = np.stack([np.repeat(np.arange(graph.vertices), np.diff(graph.indptr)), graph.neighbours], axis=1).astype(
        np.int64
    )
    once: Ints = ends[ends[:, 0] < ends[:, 1]]
    return once
