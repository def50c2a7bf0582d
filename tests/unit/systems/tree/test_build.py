"""Trees over units of a corpus, converted for storage."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from overstory.protocols import Vectors
from overstory.systems.tree.build import TreeNodes, make_tree, stored_form
from overstory.systems.tree.kinds import TreeKind, tree_node_id
from overstory.vectors.packed import unpacked
from overstory_entropy import EncodingTree, Graph, structural_weights
from overstory_entropy.compile import Ints

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
