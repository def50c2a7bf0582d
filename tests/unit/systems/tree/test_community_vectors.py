"""The communities that a question is near to."""

from __future__ import annotations

import numpy as np
import pytest

from overstory_systems.serag.retriever import Communities

VECTORS = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [0.8, 0.6], [0.6, 0.8]], dtype=np.float32)
TREE = Communities(["coarse", "far", "one", "two", "like one"], np.array([1, 1, 2, 2, 2]), VECTORS)

QUESTION = np.array([1.0, 0.0], dtype=np.float32)


def test_the_best_of_each_level_are_chosen_the_finest_level_first() -> None:
    chosen = TREE.nearest(QUESTION, 1)
    assert list(chosen.items()) == [("two", pytest.approx(0.8)), ("coarse", 1.0)]
    assert list(TREE.nearest(QUESTION, 2)) == ["two", "one", "coarse", "far"]
    assert set(TREE.nearest(QUESTION, 10)) == set(TREE.ids)


def test_a_tree_without_communities_has_none_to_choose() -> None:
    empty = Communities([], np.zeros(0, dtype=np.int64), np.zeros((0, 2), dtype=np.float32))
    assert empty.nearest(QUESTION, 10) == {}
