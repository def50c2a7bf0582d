"""Common ancestors in a logarithm of steps, whatever the shape of the tree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory_entropy.compile import Ints
from overstory_entropy.tree_paths import common_ancestor, depths_of, heavy_paths


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
