"""Trees over units of a corpus: updated where the graph changed, and converted for storage."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from overstory.entropy import EncodingTree, Graph, structural_entropy, structural_weights
from overstory.entropy.compile import Flags, Ints
from overstory.protocols import Vectors
from overstory.systems.tree.build import TreeNodes, labels_before, make_tree, stored_form, update_tree
from overstory.systems.tree.changes import stored_after, tree_changes
from overstory.systems.tree.ids import tree_node_id
from overstory.systems.tree.kinds import TreeKind
from overstory.vectors.packed import unpacked

GROUPS, SIZE = 6, 12
KIND = TreeKind("toy", "toy tree", "chunk", "ToyNode", structure="toy")


def planted(seed: int) -> NDArray[np.float64]:
    """Weights of all pairs of chunks in groups, and pairs of groups that are near each other."""
    random = np.random.default_rng(seed)
    group = np.repeat(np.arange(GROUPS), SIZE)
    likely = np.where(group[:, None] == group, 0.7, np.where(group[:, None] // 2 == group // 2, 0.1, 0.02))
    weights = np.triu((random.random(likely.shape) < likely) * random.uniform(0.2, 1.0, likely.shape), 1)
    return weights + weights.T


def graph_of(weights: NDArray[np.float64]) -> Graph:
    edges = np.argwhere(np.triu(weights, 1))
    return Graph.from_edges(len(weights), edges, weights[edges[:, 0], edges[:, 1]])


def labels_of(tree: EncodingTree, levels: int) -> Ints:
    return np.stack([tree.labels(level) for level in range(1, levels + 1)])


def vectors_of(chunks: int) -> Vectors:
    drawn = np.random.default_rng(5).standard_normal((chunks, 8)).astype(np.float32)
    unit: Vectors = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return unit


def stored(tree: EncodingTree, units: list[str]) -> TreeNodes:
    return stored_form(tree, units, vectors_of(len(units)), kind=KIND, corpus="Corpus_0", generation=1)


def assert_whole(tree: EncodingTree, graph: Graph, levels: int) -> None:
    """It is over this graph, with every chunk below so many levels."""
    again = EncodingTree.from_labels(graph, *labels_of(tree, levels))
    assert (tree.depths[: tree.leaves] == levels + 1).all()
    np.testing.assert_array_equal(tree.parents, again.parents)
    np.testing.assert_allclose(tree.volume, again.volume)
    np.testing.assert_allclose(tree.cut, again.cut, atol=1e-9)
    assert tree.entropy == pytest.approx(structural_entropy(graph, tree), abs=1e-12)


def updated(
    weights: NDArray[np.float64], before: EncodingTree, stays: Flags, levels: int, touched: Ints
) -> EncodingTree:
    """Of all chunks, from a tree over those that stay."""
    labels = np.full((levels, len(weights)), -1, dtype=np.int64)
    labels[:, stays] = labels_of(before, levels)
    return update_tree(graph_of(weights), labels, touched)


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_chunks_that_come_among_the_others_join_the_communities_that_they_belong_to(levels: int) -> None:
    weights = planted(1)
    graph = graph_of(weights)
    stays = np.ones(len(weights), dtype=np.bool_)
    stays[3::9] = False
    before = make_tree(graph_of(weights[np.ix_(stays, stays)]), levels)
    after = updated(weights, before, stays, levels, np.zeros((0, 2), dtype=np.int64))
    assert_whole(after, graph, levels)
    assert after.entropy == pytest.approx(make_tree(graph, levels).entropy, rel=0.02)


def test_chunks_whose_edges_changed_move_to_where_they_belong_now() -> None:
    weights = planted(2)
    before = make_tree(graph_of(weights), 2)
    moved, group = 0, np.arange(SIZE, 2 * SIZE)
    touched = [(moved, int(other)) for other in np.flatnonzero(weights[moved])]
    weights[moved] = weights[:, moved] = 0.0
    weights[moved, group] = weights[group, moved] = 1.0
    touched += [(int(other), moved) for other in group]
    everybody = np.ones(len(weights), dtype=np.bool_)
    after = updated(weights, before, everybody, 2, np.array(touched))
    assert_whole(after, graph_of(weights), 2)
    assert before.labels(1)[moved] != before.labels(1)[group[0]]
    assert after.labels(1)[moved] == after.labels(1)[group[0]]
    assert after.entropy == pytest.approx(make_tree(graph_of(weights), 2).entropy, rel=0.02)


def test_without_changes_the_tree_stays_as_it_is() -> None:
    weights = planted(3)
    before = make_tree(graph_of(weights), 2)
    everybody = np.ones(len(weights), dtype=np.bool_)
    after = updated(weights, before, everybody, 2, np.zeros((0, 2), dtype=np.int64))
    np.testing.assert_array_equal(after.parents, before.parents)


def test_a_graph_that_lost_all_edges_still_has_a_tree() -> None:
    weights = planted(4)
    before = make_tree(graph_of(weights), 2)
    everybody = np.ones(len(weights), dtype=np.bool_)
    after = updated(np.zeros_like(weights), before, everybody, 2, np.argwhere(weights))
    assert (after.leaves, after.entropy) == (len(weights), 0.0)
    assert len(set(stored(after, [f"{n:03}" for n in range(len(weights))]).ids)) == len(after)


def test_a_community_keeps_its_id_while_chunks_come_behind_its_first() -> None:
    weights = planted(1)
    chunks = [f"{n:03}" for n in range(len(weights))]
    stays = np.ones(len(weights), dtype=np.bool_)
    stays[5] = False
    before = make_tree(graph_of(weights[np.ix_(stays, stays)]), 2)
    old = stored(before, [chunk for chunk, there in zip(chunks, stays.tolist(), strict=True) if there])
    new = stored(updated(weights, before, stays, 2, np.zeros((0, 2), dtype=np.int64)), chunks)
    for nodes in (old, new):
        assert len(set(nodes.ids)) == len(nodes.ids)
        assert nodes.parents[-1] == ""
        assert set(nodes.parents[:-1]) <= set(nodes.ids)
    assert len(set(new.ids) - set(old.ids)) == 1
    assert set(old.ids) < set(new.ids)


def test_no_two_generations_levels_or_trees_share_an_id() -> None:
    ids = {
        tree_node_id("Corpus_0", tree, generation, level, "first")
        for tree in ("toy", "toy-names")
        for generation in (1, 2)
        for level in (0, 1, 2)
    }
    assert len(ids) == 12


def test_the_vector_of_a_community_is_the_mean_of_its_chunks_by_their_structural_weights() -> None:
    graph = graph_of(planted(1))
    tree = make_tree(graph, 2)
    vectors = vectors_of(tree.leaves)
    nodes = stored(tree, [f"{n:03}" for n in range(tree.leaves)])
    assert len(nodes.vectors) == len(tree) - tree.leaves
    for node, packed in enumerate(nodes.vectors, start=tree.leaves):
        weights = structural_weights(tree, node)
        mean = weights @ vectors[tree.members(node)]
        expected = mean / np.linalg.norm(mean)
        np.testing.assert_allclose(unpacked(packed), expected, atol=1e-3)


def test_the_numbers_of_a_node_are_those_of_the_tree() -> None:
    tree = make_tree(graph_of(planted(1)), 2)
    nodes = stored(tree, [f"{n:03}" for n in range(tree.leaves)])
    assert nodes.levels[: tree.leaves] == [3] * tree.leaves
    assert (nodes.levels[-1], nodes.sizes[-1]) == (0, tree.leaves)
    assert nodes.units == [f"{n:03}" for n in range(tree.leaves)]
    np.testing.assert_array_equal(nodes.volumes, tree.volume)
    np.testing.assert_array_equal(nodes.cuts, tree.cut)


@pytest.mark.parametrize("chunks", [0, 1, 2])
def test_the_smallest_corpora_have_trees(chunks: int) -> None:
    tree = make_tree(Graph.from_edges(chunks, np.zeros((0, 2), dtype=np.int64)), 2)
    nodes = stored(tree, [str(n) for n in range(chunks)])
    assert len(set(nodes.ids)) == len(nodes.ids) >= chunks + 1
    assert nodes.sizes[-1] == chunks


def test_the_communities_of_a_stored_tree_are_read_back() -> None:
    tree = make_tree(graph_of(planted(2)), 2)
    units = [f"{n:03}" for n in range(tree.leaves)]
    as_stored = stored_after(tree_changes(stored(tree, units), {}), {})
    now = ["new", *reversed(units[3:])]
    labels = labels_before(as_stored, now, 2)
    assert (labels[:, 0] == -1).all()
    for level in (1, 2):
        before = tree.labels(level)[3:][::-1]
        pairs = set(zip(labels[level - 1, 1:].tolist(), before.tolist(), strict=True))
        assert len(pairs) == len(set(before.tolist()))  # one number for each community


def test_communities_have_the_properties_that_their_kind_names() -> None:
    kind = TreeKind("toy", "toy tree", "chunk", "ToyNode", structure="toy", properties=("title", "rating"))
    tree = make_tree(graph_of(planted(1)), 1)
    units = [f"{n:03}" for n in range(tree.leaves)]
    given = {tree.root: {"title": "All", "rating": 3, "beside": "left out"}}
    nodes = stored_form(
        tree, units, vectors_of(len(units)), kind=kind, corpus="Corpus_0", generation=1, properties=given
    )
    assert nodes.properties[-1] == {"title": "All", "rating": 3}
    assert nodes.properties[0] == {"title": None, "rating": None}
    assert len(nodes.properties) == len(nodes.vectors)
