"""The escape: a tree is given up only for one that costs less."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.entropy.placed import Placed, nested_over, placements

from overstory_entropy.improve import CONVERGED_BITS
from overstory_entropy.problem import nested_labels
from overstory_entropy.recombine import escape, recombine

SEEDS = st.integers(0, 2**32 - 1)


@given(placements(), SEEDS)
def test_an_escape_never_makes_the_entropy_rise(placed: Placed, seed: int) -> None:
    random, nested = np.random.default_rng(seed), placed.nested
    for _ in range(3):
        escaped = escape(placed.problem(), nested, random)
        assert placed.entropy(escaped) <= placed.entropy(nested) + 1e-9
        nested = escaped


@given(placements(), st.data(), SEEDS)
def test_two_trees_together_are_at_least_as_good_as_the_better(placed: Placed, data: st.DataObject, seed: int) -> None:
    other = data.draw(nested_over(placed.drawn.vertices, placed.depth))
    both = recombine(placed.problem(), placed.nested, other, np.random.default_rng(seed))
    assert placed.entropy(both) <= placed.entropy() + 1e-9
    assert placed.entropy(both) <= placed.entropy(other) + CONVERGED_BITS + 1e-9


@given(placements(), SEEDS)
def test_the_labels_of_an_escape_are_nested(placed: Placed, seed: int) -> None:
    escaped = escape(placed.problem(), placed.nested, np.random.default_rng(seed))
    as_placed = nested_labels(Placed(placed.drawn, escaped).levels(), placed.depth)
    for given_row, row in zip(escaped, as_placed, strict=True):
        assert np.unique(given_row, return_inverse=True)[1].max() == row.max()
        assert len(np.unique(given_row * len(row) + row)) == row.max() + 1
