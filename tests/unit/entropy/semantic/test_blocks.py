"""Blocks of a large set: contiguous in an order of the structural tree, cut where it is weakest."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from overstory_entropy import EncodingTree, Graph
from overstory_entropy.semantic.blocks import Arrangement

EDGELESS = Graph.from_edges(12, [])


@given(st.integers(0, 1000), st.integers(2, 30), st.integers(2, 40))
def test_blocks_hold_every_member_once_and_are_at_most_as_many_as_asked_for(seed: int, size: int, most: int) -> None:
    random = np.random.default_rng(seed)
    arrangement = Arrangement.of(random.standard_normal((40, 2)), None)
    members = random.choice(40, size, replace=False)
    ordered, first = arrangement.blocks(members, most)
    assert sorted(ordered.tolist()) == sorted(members.tolist())
    assert 1 <= len(first) - 1 <= max(most, 2)
    assert (np.diff(first) > 0).all()
    assert (first[0], first[-1]) == (0, size)


def test_groups_of_the_tree_stand_together_and_blocks_end_with_them() -> None:
    group = np.array([2, 0, 1] * 4)
    arrangement = Arrangement.of(np.zeros((12, 1)), EncodingTree.from_labels(EDGELESS, group))
    ordered, first = arrangement.blocks(np.arange(12), 4)
    assert [len(set(group[part].tolist())) for part in np.split(ordered, first[1:-1])] == [1] * (len(first) - 1)


def test_without_a_tree_neighbours_in_the_text_stand_together() -> None:
    points = np.arange(32.0)[np.random.default_rng(0).permutation(32), None]
    ordered, _ = Arrangement.of(points, None).blocks(np.arange(32), 4)
    assert np.abs(np.diff(points[ordered, 0])).max() <= 16
    assert {int(value) // 8 for value in points[ordered[:8], 0]} == {0}
