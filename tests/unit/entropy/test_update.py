from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.unit.entropy.generated import EdgeList, edge_lists
from tests.unit.entropy.speed import compiled_only

from overstory.entropy import EncodingTree, Graph, encode, structural_entropy, update
from overstory.errors import GraphError

LEVELS = [0, 1, 2, 3, None]


def planted(groups: int, size: int, seed: int) -> tuple[int, NDArray[np.int64]]:
    """Groups of vertices, each joined to four of its own group and one of any."""
    random = np.random.default_rng(seed)
    vertices = groups * size
    one = np.repeat(np.arange(vertices), 5)
    near = one // size * size + random.integers(0, size, len(one))
    far = random.integers(0, vertices, len(one))
    return vertices, np.stack([one, np.where(np.arange(len(one)) % 5 < 4, near, far)], axis=1)


@pytest.mark.parametrize("levels", LEVELS)
@given(given=edge_lists(least=1), data=st.data())
def test_an_updated_tree_is_a_tree_of_the_changed_graph(
    levels: int | None, given: EdgeList, data: st.DataObject
) -> None:
    graph = given.graph()
    add = data.draw(st.integers(0, 3))
    vertices = graph.vertices + add
    gone = data.draw(st.sets(st.integers(0, graph.vertices - 1)))
    ends = st.integers(0, vertices - 1).filter(lambda vertex: vertex not in gone)
    stay = vertices - len(gone)
    drawn = data.draw(st.sets(st.tuples(ends, ends).map(lambda pair: (min(pair), max(pair))), max_size=8 * (stay > 0)))

    after, tree = update(
        graph,
        encode(graph, levels=levels),
        levels=levels,
        add=add,
        edges=np.array([*drawn], dtype=int).reshape(-1, 2),
        remove=[*gone],
    )

    assert tree.leaves == after.vertices == stay
    assert abs(structural_entropy(after, tree) - tree.entropy) <= 1e-9
    if levels is not None:
        assert (tree.depths[:stay] == levels + 1).all()
    assert tree.entropy <= EncodingTree.from_labels(after).entropy + 1e-9 or levels is not None


@compiled_only
@pytest.mark.parametrize("levels", [1, 2, None])
def test_a_graph_that_grows_in_batches_is_within_a_hundredth_of_a_new_tree(levels: int | None) -> None:
    vertices, edges = planted(groups=20, size=10, seed=0)
    order = np.random.default_rng(1).permutation(vertices)
    edges = order[edges]
    edges = np.unique(np.sort(edges, axis=1), axis=0)
    arrival = edges.max(axis=1)
    known = vertices - vertices // 10
    graph = Graph.from_edges(known, edges[arrival < known])
    tree = encode(graph, levels=levels)
    for newest in range(known, vertices):
        graph, tree = update(graph, tree, levels=levels, add=1, edges=edges[arrival == newest])
    anew = encode(Graph.from_edges(vertices, edges), levels=levels)
    assert tree.entropy <= 1.01 * anew.entropy


@pytest.mark.parametrize("levels", [1, 2, None])
def test_what_is_added_and_removed_again_leaves_the_entropy_no_higher(levels: int | None) -> None:
    vertices, edges = planted(groups=3, size=6, seed=2)
    graph = Graph.from_edges(vertices, edges)
    tree = encode(graph, levels=levels)
    larger = update(graph, tree, levels=levels, add=2, edges=[(0, vertices), (1, vertices), (vertices, vertices + 1)])
    again = update(*larger, levels=levels, remove=[vertices, vertices + 1])
    assert again.graph.edges == graph.edges
    assert again.tree.entropy <= tree.entropy + 1e-9


def test_a_new_vertex_joins_the_community_of_its_neighbours() -> None:
    graph = Graph.from_edges(6, [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)])
    _, tree = update(graph, encode(graph, levels=1), levels=1, add=1, edges=[(6, 4), (6, 5)])
    labels = tree.labels(1)
    assert labels[6] == labels[4] == labels[5] != labels[0]


def test_a_vertex_whose_edges_move_goes_with_them() -> None:
    triangles = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)]
    graph = Graph.from_edges(7, [*triangles, (6, 0), (6, 1)])
    moved = update(
        graph,
        encode(graph, levels=1),
        levels=1,
        edges=[(6, 0), (6, 1), (6, 3), (6, 4)],
        weights=[0.0, 0.0, 1.0, 1.0],
    )
    labels = moved.tree.labels(1)
    assert labels[6] == labels[3] != labels[0]


def test_everything_can_be_removed() -> None:
    graph = Graph.from_edges(3, [(0, 1), (1, 2)])
    for levels in LEVELS:
        after, tree = update(graph, encode(graph, levels=levels), levels=levels, remove=[0, 1, 2])
        assert after.vertices == tree.leaves == 0


def test_a_tree_of_other_levels_or_of_another_graph_is_refused() -> None:
    graph = Graph.from_edges(3, [(0, 1), (1, 2)])
    tree = encode(graph, levels=1)
    with pytest.raises(GraphError, match="does not have 2 community levels above every vertex"):
        update(graph, tree, levels=2)
    with pytest.raises(GraphError, match="the tree has 3 leaves, and the graph has 2 vertices"):
        update(Graph.from_edges(2, [(0, 1)]), tree, levels=1)
