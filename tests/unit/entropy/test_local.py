"""A part of a tree that vertices come to and go from, compared with the whole tree computed from all edges."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.entropy import oracle
from tests.unit.entropy.generated import EdgeList, edge_lists
from tests.unit.entropy.placed import nested_over, parents_of

from overstory_entropy import EncodingTree
from overstory_entropy.compile import Ints
from overstory_entropy.local import Leaf, MutableCommunity, TreePart

NEAR = 1e-9


def part_of(drawn: EdgeList, nested: Ints) -> TreePart:
    """The whole of a tree over the vertices 0 … of nested labels, all as a part."""
    tree = EncodingTree.from_labels(drawn.graph(), *nested)
    communities = {str(node): community(tree, node) for node in range(tree.leaves, len(tree))}
    leaves = {
        f"v{vertex}": Leaf(str(tree.parents[vertex]), float(tree.volume[vertex])) for vertex in range(tree.leaves)
    }
    return TreePart(len(nested), communities, leaves)


def community(tree: EncodingTree, node: int) -> MutableCommunity:
    children = tree.children(node)
    return MutableCommunity(
        parent="" if node == tree.root else str(tree.parents[node]),
        level=int(tree.depths[node]),
        children=len(children),
        size=int(tree.sizes[node]),
        volume=float(tree.volume[node]),
        cut=float(tree.cut[node]),
        own=float(tree.cut[children].sum() - tree.cut[node]),
    )


def merged(drawn: EdgeList) -> EdgeList:
    """Without loops and parallel edges."""
    weights: dict[tuple[int, int], float] = {}
    for one, other, weight in drawn.edges:
        if one != other:
            pair = (min(one, other), max(one, other))
            weights[pair] = weights.get(pair, 0.0) + weight
    return EdgeList(drawn.vertices, [(*pair, weight) for pair, weight in weights.items()])


def without_last(drawn: EdgeList) -> tuple[EdgeList, dict[str, float]]:
    """The graph without its last vertex, and the edges of that."""
    last = drawn.vertices - 1
    edges = {f"v{one}": weight for one, other, weight in drawn.edges if other == last}
    return EdgeList(last, [edge for edge in drawn.edges if last not in edge[:2]]), edges


def labels_in(part: TreePart, vertices: int) -> Ints:
    """(levels, vertices): the communities as labels."""
    paths = [part.path(part.leaves[f"v{vertex}"].home)[:-1] for vertex in range(vertices)]
    rows = np.array(paths).reshape(vertices, part.levels).T[::-1]
    return np.array([np.unique(row, return_inverse=True)[1] for row in rows], dtype=np.int64)


def assert_is(part: TreePart, drawn: EdgeList, nested: Ints) -> None:
    """Volumes, cuts and counts are those of the whole tree."""
    wanted, found = part_of(drawn, nested), part
    for vertex, leaf in wanted.leaves.items():
        assert found.leaves[vertex].volume == pytest.approx(leaf.volume, abs=1e-6, rel=NEAR)
        for name, other in zip(wanted.path(leaf.home), found.path(found.leaves[vertex].home), strict=True):
            one, two = (replace(each, parent="") for each in (wanted.communities[name], found.communities[other]))
            assert (one.level, one.children, one.size) == (two.level, two.children, two.size)
            for figure in ("volume", "cut", "own"):
                assert getattr(two, figure) == pytest.approx(getattr(one, figure), abs=1e-6, rel=NEAR)


@st.composite
def newcomers(draw: st.DrawFn) -> tuple[EdgeList, Ints]:
    """A graph, and a tree over all of its vertices but the last."""
    drawn = merged(draw(edge_lists(least=2)))
    return drawn, draw(nested_over(drawn.vertices - 1, draw(st.integers(1, 3))))


@given(newcomers())
def test_a_vertex_goes_where_the_whole_tree_costs_least_and_all_figures_follow(given: tuple[EdgeList, Ints]) -> None:
    drawn, nested = given
    before, edges = without_last(drawn)
    part = part_of(before, nested)
    bits = oracle.entropy(*before, parents_of(nested))
    part.add(f"v{drawn.vertices - 1}", edges)
    after = labels_in(part, drawn.vertices)
    assert_is(part, drawn, after)
    found = oracle.entropy(*drawn, parents_of(after))
    assert part.entropy(bits) == pytest.approx(found, abs=1e-8)
    assert found <= min(oracle.entropy(*drawn, parents_of(each)) for each in places(nested)) + 1e-8


def places(nested: Ints) -> list[Ints]:
    """The labels of every place that one more vertex can have: in each community, or in new ones below each."""
    levels = len(nested)
    paths = {tuple(column[:depth]) for column in nested.T.tolist() for depth in range(1, levels + 1)}
    found: list[Ints] = []
    for path in [(), *sorted(paths)]:
        column = [*path, *[int(nested.max()) + 1] * (levels - len(path))]
        found.append(np.concatenate([nested, np.array(column, dtype=np.int64)[:, None]], axis=1))
    return [np.array([_numbered(each[: row + 1]) for row in range(levels)], dtype=np.int64) for each in found]


def _numbered(rows: Ints) -> Ints:
    numbered: Ints = np.unique(rows, axis=1, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return numbered


@given(newcomers())
def test_a_vertex_that_goes_again_leaves_nothing_behind(given: tuple[EdgeList, Ints]) -> None:
    drawn, nested = given
    before, edges = without_last(drawn)
    part = part_of(before, nested)
    bits = oracle.entropy(*before, parents_of(nested))
    part.add("last", edges)
    part.remove("last", edges)
    assert_is(part, before, nested)
    assert part.communities.keys() == part_of(before, nested).communities.keys()
    assert all(name.startswith("+") for name in part.gone)
    if before.edges:
        assert part.entropy(bits) == pytest.approx(bits, abs=1e-8)


@given(newcomers(), st.data())
def test_leaves_of_unknown_edges_keep_the_figures_whole(given: tuple[EdgeList, Ints], data: st.DataObject) -> None:
    """Volumes stay sums, no cut is more than a volume, and nothing is below 0; empty communities go."""
    drawn, nested = given
    before, _ = without_last(drawn)
    whole = part_of(before, nested)
    gone = data.draw(st.permutations(range(before.vertices)))[: data.draw(st.integers(1, before.vertices))]
    lost = [whole.leaves.pop(f"v{vertex}") for vertex in gone]
    part = TreePart(whole.levels, whole.communities, whole.leaves)
    for leaf in lost:
        part.forget(leaf.home, leaf.volume, 1)
    assert part.root.size == before.vertices - len(gone)
    figures = sum(
        each.own * log2(part.root.volume / each.volume) for each in part.communities.values() if each.volume > NEAR
    )
    leaves = sum(leaf.volume * log2(part.root.volume / leaf.volume) for leaf in part.leaves.values() if leaf.volume)
    if part.root.volume > 1e-3:  # the entropy is that of the figures as they are
        found = part.entropy(oracle.entropy(*before, parents_of(nested)))
        assert found == pytest.approx((leaves - figures) / part.root.volume, abs=1e-5)
    children: dict[str, list[tuple[float, float]]] = {name: [] for name in part.communities}
    for each in part.communities.values():
        assert -NEAR <= each.cut <= each.volume + 1e-6
        if each.parent:
            children[each.parent].append((each.volume, each.cut))
    for leaf in part.leaves.values():
        children[leaf.home].append((leaf.volume, leaf.volume))
    for name, below in children.items():
        each = part.communities[name]
        assert each.children == len(below)
        assert each.volume == pytest.approx(sum(volume for volume, _ in below), abs=1e-6, rel=NEAR)
        assert each.own == pytest.approx(sum(cut for _, cut in below) - each.cut, abs=1e-6, rel=NEAR)
        assert each.own >= -1e-6


def test_of_two_groups_a_vertex_joins_that_of_its_neighbours() -> None:
    ring = [(one, other, 1.0) for one, other in [*pairwise(range(5)), (0, 4), *pairwise(range(5, 10)), (5, 9)]]
    part = part_of(EdgeList(10, ring), np.array([[0] * 5 + [1] * 5]))
    place = part.add("new", {"v5": 1.0, "v6": 1.0, "v0": 0.5})
    assert place == part.leaves["v7"].home
    alone = part.add("alone", {})
    assert alone.startswith("+")
    assert part.communities[alone].size == 1
