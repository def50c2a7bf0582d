"""Trees: their numbers against the definition, their shape from parents and labels, and what is no tree."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from tests.unit.entropy import oracle
from tests.unit.entropy.generated import EdgeList, edge_lists, graph_of, parents_over

from overstory_entropy import EncodingTree, Graph, flat_entropy, structural_entropy
from overstory_entropy.compile import Ints
from overstory_entropy.encoding_tree import common_ancestor, depths_of, heavy_paths
from overstory_entropy.errors import GraphError

PAIRS = graph_of(4, [(0, 1, 2.0), (2, 3, 2.0), (1, 2, 1.0)])


@st.composite
def graphs_with_trees(draw: st.DrawFn) -> tuple[EdgeList, list[int]]:
    """A graph and the parents of some tree over it."""
    drawn = draw(edge_lists())
    return drawn, draw(parents_over(drawn.vertices))


@given(graphs_with_trees())
def test_volume_cut_and_entropy_of_every_node_are_those_of_the_definition(case: tuple[EdgeList, list[int]]) -> None:
    drawn, parents = case
    tree = EncodingTree.from_parents(drawn.graph(), parents)
    below = oracle.vertices_below(drawn.vertices, tree.parents.tolist())
    assert tree.volume == pytest.approx([oracle.volume(drawn.edges, group) for group in below])
    assert tree.cut == pytest.approx([oracle.cut(drawn.edges, group) for group in below], abs=1e-9)
    assert tree.node_entropy == pytest.approx(oracle.terms(*drawn, tree.parents.tolist()), abs=1e-9)
    assert tree.entropy == pytest.approx(oracle.entropy(*drawn, parents), abs=1e-9)


@given(graphs_with_trees())
def test_sizes_members_ancestors_children_and_labels_agree_with_the_parents(case: tuple[EdgeList, list[int]]) -> None:
    drawn, parents = case
    tree = EncodingTree.from_parents(drawn.graph(), parents)
    below = oracle.vertices_below(drawn.vertices, tree.parents.tolist())
    for node, group in enumerate(below):
        assert tree.members(node).tolist() == sorted(group)
        assert tree.sizes[node] == len(group)
        assert tree.children(node).tolist() == np.flatnonzero(tree.parents == node).tolist()
        assert tree.ancestors(node).tolist() == ancestors(node, tree.parents.tolist())
        assert tree.depths[node] == len(tree.ancestors(node))
    for level in range(tree.height + 2):
        paths = [[vertex, *ancestors(vertex, tree.parents.tolist())][::-1] for vertex in range(drawn.vertices)]
        assert tree.labels(level).tolist() == [path[: level + 1][-1] for path in paths]


def ancestors(node: int, parents: list[int]) -> list[int]:
    return [parents[node], *ancestors(parents[node], parents)] if parents[node] >= 0 else []


@given(graphs_with_trees(), st.randoms(use_true_random=False))
def test_a_tree_is_numbered_by_its_groups_whatever_numbers_it_came_with(
    case: tuple[EdgeList, list[int]], order: random.Random
) -> None:
    drawn, parents = case
    inner = list(range(drawn.vertices, len(parents)))
    order.shuffle(inner)
    number = {-1: -1} | dict(enumerate([*range(drawn.vertices), *inner]))
    shuffled = [0] * len(parents)
    for node, parent in enumerate(parents):
        shuffled[number[node]] = number[parent]
    one, other = (EncodingTree.from_parents(drawn.graph(), given) for given in (parents, shuffled))
    assert one.parents.tolist() == other.parents.tolist()
    assert one.entropy == other.entropy
    inner_parents = one.parents[:-1]
    assert (inner_parents > np.arange(len(inner_parents))).all()


@given(graphs_with_trees())
def test_the_entropy_is_the_flat_one_less_what_the_edges_inside_communities_save(
    case: tuple[EdgeList, list[int]],
) -> None:
    drawn, parents = case
    tree = EncodingTree.from_parents(drawn.graph(), parents)
    plain = [edge for edge in drawn.edges if edge[0] != edge[1]]
    saved = 0.0
    for node in range(drawn.vertices, tree.root):
        group = set(tree.members(node).tolist())
        inside = oracle.volume(plain, group) - oracle.cut(plain, group)
        if inside:
            saved += inside * np.log2(tree.volume[tree.parents[node]] / tree.volume[node])
    assert tree.entropy == pytest.approx(
        flat_entropy(drawn.graph()) - saved / (tree.volume[tree.root] or 1.0), abs=1e-9
    )


@given(edge_lists(), st.data())
def test_a_level_above_is_the_same_problem_on_the_quotient(drawn: EdgeList, data: st.DataObject) -> None:
    groups = data.draw(st.lists(st.integers(0, 3), min_size=drawn.vertices, max_size=drawn.vertices))
    above = data.draw(st.lists(st.integers(0, 1), min_size=4, max_size=4))
    quotient = graph_of(4, [(groups[one], groups[other], weight) for one, other, weight in drawn.edges])
    alone = EncodingTree.from_labels(drawn.graph(), groups)
    below = EncodingTree.from_labels(drawn.graph(), [above[group] for group in groups], groups)
    saved = flat_entropy(quotient) - EncodingTree.from_labels(quotient, above).entropy
    assert alone.entropy - below.entropy == pytest.approx(saved, abs=1e-9)


@given(edge_lists())
def test_flat_entropy_is_that_of_the_tree_without_communities(drawn: EdgeList) -> None:
    flat = EncodingTree.from_labels(drawn.graph())
    assert flat.height == 1
    assert flat_entropy(drawn.graph()) == pytest.approx(flat.entropy, abs=1e-12)


@given(graphs_with_trees(), st.integers(-300, 300))
def test_the_entropy_does_not_depend_on_the_unit_of_the_weights(case: tuple[EdgeList, list[int]], power: int) -> None:
    drawn, parents = case
    scaled = graph_of(drawn.vertices, [(u, v, weight * 2.0**power) for u, v, weight in drawn.edges])
    one, other = (EncodingTree.from_parents(graph, parents) for graph in (drawn.graph(), scaled))
    assert one.node_entropy.tolist() == other.node_entropy.tolist()


def test_what_leaves_a_component_is_nothing_to_the_last_bit() -> None:
    numbers, components = np.random.default_rng(3), 20
    ends = numbers.integers(0, 10, (3000, 2)) * components + np.arange(3000)[:, np.newaxis] % components
    graph = Graph.from_edges(10 * components, ends, numbers.random(3000))
    component = np.arange(graph.vertices) % components
    tree = EncodingTree.from_labels(graph, component, np.arange(graph.vertices) % (2 * components))
    assert tree.cut[tree.depths <= 1].tolist() == [0.0] * (components + 1)


def test_from_scratch_means_from_the_edges_and_not_from_what_the_tree_says() -> None:
    honest = EncodingTree.from_labels(PAIRS, [0, 0, 1, 1])
    liar = EncodingTree(honest.parents, honest.leaves, honest.volume, np.zeros(len(honest)))
    assert liar.entropy == 0.0
    assert structural_entropy(PAIRS, liar) == structural_entropy(PAIRS, honest.parents) == honest.entropy


def test_a_tree_of_other_vertices_is_not_scored() -> None:
    with pytest.raises(GraphError, match="3 leaves, but the graph has 4 vertices"):
        structural_entropy(PAIRS, EncodingTree.from_labels(graph_of(3, [])))


def test_one_vertex_and_no_vertex_have_the_obvious_trees() -> None:
    assert EncodingTree.from_labels(graph_of(1, [(0, 0, 2.0)])).parents.tolist() == [1, -1]
    assert EncodingTree.from_labels(graph_of(0, [])).parents.tolist() == [-1]
    assert EncodingTree.from_labels(graph_of(0, []), []).height == 0


def test_nested_labels_make_levels_and_any_integers_may_name_the_groups() -> None:
    tree = EncodingTree.from_labels(PAIRS, [7, 7, -2, -2], [70, 70, 5, 6])
    assert tree.parents.tolist() == [4, 4, 5, 6, 7, 8, 8, 9, 9, -1]
    assert tree.height == 3


def test_labels_that_are_not_nested_are_refused_by_vertex_and_level() -> None:
    with pytest.raises(GraphError, match=r"vertex 0 shares its group of level 2 .* another group of level 1"):
        EncodingTree.from_labels(PAIRS, [0, 1, 1, 1], [5, 5, 6, 6])


@pytest.mark.parametrize("labels", [[0, 0, 1], [[0, 0, 1, 1]], [0.0, 0.0, 1.0, 1.0]])
def test_labels_that_do_not_fit_the_vertices_are_refused(labels: ArrayLike) -> None:
    with pytest.raises(GraphError, match="labels of level 1 have the shape"):
        EncodingTree.from_labels(PAIRS, labels)


@pytest.mark.parametrize(
    ("parents", "message"),
    [
        ([4, 4, 4, 4, 4], "one root, .* have 0"),
        ([4, 4, 5, 5, -1, -1], r"have 2 \(\[4, 5\]\)"),
        ([-1, 0, 0, 0], r"have 1 \(\[0\]\)"),
        ([4, 4, 4, 9, -1], "parent of node 3 is 9, but the tree has 5 nodes"),
        ([4, 4, 4, -2, -1], "parent of node 3 is -2"),
        ([4, 4, 4, 0, -1], "vertex 0 has children"),
        ([5, 5, 5, 5, 5, -1], "internal node 4 has no children"),
        ([4, 4, 4, 4, 5, 4, -1], "node 6 has no children"),
        ([4, 4, 6, 6, 5, 4, -1], "form a cycle"),
        ([[4, 4, 4, 4, -1]], r"shape \(1, 5\)"),
        ([4.0, 4.0, 4.0, 4.0, -1.0], "type float64"),
        ([], r"shape \(0,\)"),
    ],
)
def test_parents_that_make_no_tree_are_refused(parents: ArrayLike, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        EncodingTree.from_parents(PAIRS, parents)


@pytest.mark.parametrize("node", [-1, 7])
def test_a_node_that_is_not_there_is_refused(node: int) -> None:
    tree = EncodingTree.from_labels(PAIRS, [0, 0, 1, 1])
    for ask in (tree.children, tree.ancestors, tree.members):
        with pytest.raises(GraphError, match=f"nodes 0 to 6, but no node {node}"):
            ask(node)


def test_what_a_tree_shows_cannot_be_written_to() -> None:
    tree = EncodingTree.from_labels(PAIRS, [0, 0, 1, 1])
    for shown in (tree.parents, tree.depths, tree.volume, tree.cut, tree.sizes, tree.node_entropy, tree.children(6)):
        assert not shown.flags.writeable


def test_a_tree_shows_its_size_and_its_entropy() -> None:
    assert repr(EncodingTree.from_labels(PAIRS)) == "EncodingTree(4 leaves, 5 nodes, height 1, 1.9710 bits)"


def test_a_tree_as_deep_as_it_has_vertices_takes_no_longer_than_others() -> None:
    vertices = 30_000
    chain = np.arange(vertices, 2 * vertices - 1)
    parents = np.concatenate([chain, chain[-1:], chain[1:], [-1]])
    graph = Graph.from_edges(vertices, np.stack([np.arange(vertices - 1), np.arange(1, vertices)], axis=1))
    tree = EncodingTree.from_parents(graph, parents)
    assert tree.height == vertices - 1
    assert tree.sizes[tree.labels(1)].sum() == 2 + (vertices - 2) ** 2
    assert len(tree) == 2 * vertices - 1


def test_weights_that_lie_too_far_apart_for_their_quotient_have_an_entropy() -> None:
    graph = Graph.from_edges(4, [(0, 1), (2, 3), (1, 2)], [1e300, 1e-300, 1.0])
    assert EncodingTree.from_labels(graph).entropy == pytest.approx(1.0)
    assert flat_entropy(graph) == pytest.approx(1.0)


@st.composite
def ordered_parents(draw: st.DrawFn) -> Ints:
    """Parents of up to 40 nodes, each above its children."""
    nodes = draw(st.integers(1, 40))
    return np.array([draw(st.integers(node + 1, nodes - 1)) for node in range(nodes - 1)] + [-1], dtype=np.int64)


def path(node: int, parents: Ints) -> list[int]:
    return [node, *path(int(parents[node]), parents)] if node >= 0 else []


@given(ordered_parents())
def test_a_walk_to_the_root_meets_no_more_heavy_paths_than_the_logarithm_of_the_nodes(parents: Ints) -> None:
    tops = heavy_paths(parents)
    for node in range(len(parents)):
        assert len({int(tops[above]) for above in path(node, parents)}) <= 1 + np.log2(len(parents))


@given(ordered_parents())
def test_the_common_ancestor_is_the_lowest_node_on_both_paths(parents: Ints) -> None:
    tops = heavy_paths(parents)
    for one in range(len(parents)):
        for other in range(len(parents)):
            shared = [above for above in path(one, parents) if above in path(other, parents)]
            assert common_ancestor(one, other, parents, tops) == shared[0]


@pytest.mark.parametrize(("parents", "depths"), [([-1], [0]), ([2, 2, 3, -1], [2, 2, 1, 0])])
def test_depths_are_counted_from_the_root(parents: list[int], depths: list[int]) -> None:
    assert depths_of(np.array(parents)).tolist() == depths
