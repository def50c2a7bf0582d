"""Leiden's levels as nested partitions."""

from __future__ import annotations

from itertools import pairwise

import hypothesis.strategies as st
import numpy as np
from hypothesis import given
from hypothesis.extra.numpy import arrays

from overstory_systems.hirag.communities import _LEAST_LEVEL_GROWTH, nested


def groups(labels: np.ndarray) -> int:
    return len(np.unique(labels))


@given(arrays(np.int64, st.tuples(st.integers(1, 5), st.integers(1, 40)), elements=st.integers(0, 60)))
def test_each_level_lies_within_the_one_before_and_the_coarsest_stays(levels: np.ndarray) -> None:
    found = nested(levels)
    same_group = levels[-1][:, None] == levels[-1][None, :]
    assert ((found[0][:, None] == found[0][None, :]) == same_group).all()
    for coarse, fine in pairwise(found):
        assert groups(np.stack([coarse, fine], axis=1).astype("i8").view("i8,i8")) == groups(fine)
        assert groups(fine) >= _LEAST_LEVEL_GROWTH * groups(coarse)
    for labels in found:
        _, first = np.unique(labels, return_index=True)
        assert (np.diff(first) > 0).all()  # numbered by first member
        assert labels.min() == 0


def test_a_finer_community_in_two_coarser_ones_is_split() -> None:
    fine, coarse = np.array([9, 9, 9, 4, 4, 1]), np.array([5, 5, 2, 2, 2, 2])
    found = nested(np.stack([fine, coarse]))
    assert [labels.tolist() for labels in found] == [[0, 0, 1, 1, 1, 1], [0, 0, 1, 2, 2, 3]]


def test_a_level_like_the_coarser_one_is_left_out() -> None:
    coarse = np.arange(30) // 2  # 15 communities
    hardly_finer = coarse.copy()
    hardly_finer[1] = 40  # 16
    assert len(nested(np.stack([hardly_finer, coarse]))) == 1
    assert len(nested(np.stack([np.arange(30), hardly_finer, coarse]))) == 2
