"""Levels above one another: every partition refines the one above, and a level is worth what it costs."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.entropy.generated import graph_of
from tests.unit.entropy.placed import Placed, placements
from tests.unit.entropy.speed import PLAIN_PYTHON

from overstory_entropy.encoding import community_levels
from overstory_entropy.problem import vertices_as_nodes


@given(placements(), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_there_are_as_many_levels_as_asked_for_each_refining_the_one_above(
    placed: Placed, depth: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    nested = community_levels(placed.problem(), depth, random, np.arange(placed.drawn.vertices))
    assert nested.shape == (depth, placed.drawn.vertices)
    for coarse, fine in pairwise(nested):
        assert len(np.unique(fine * placed.drawn.vertices + coarse)) == len(np.unique(fine))


@given(placements(), st.integers(0, 2**32 - 1))
def test_the_search_never_ends_above_the_partition_that_it_begins_with(placed: Placed, seed: int) -> None:
    start = placed.nested[-1]
    for depth in (1, 2):
        nested = community_levels(placed.problem(), depth, np.random.default_rng(seed), start)
        assert placed.entropy(nested) <= placed.entropy(start[None]) + 1e-9


@pytest.mark.parametrize("seed", range(2 if PLAIN_PYTHON else 10))
def test_groups_of_groups_are_found_as_two_levels(seed: int) -> None:
    fine, coarse = np.arange(60) // 5, np.arange(60) // 20
    weights = 1e-3 + 0.1 * (coarse[:, None] == coarse) + 1.0 * (fine[:, None] == fine)
    edges = [(one, other, float(weights[one, other])) for one in range(60) for other in range(one)]
    problem = vertices_as_nodes(graph_of(60, edges))
    nested = community_levels(problem, 2, np.random.default_rng(seed), np.arange(60))
    assert nested.tolist() == [coarse.tolist(), fine.tolist()]
