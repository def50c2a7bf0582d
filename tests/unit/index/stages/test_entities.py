"""Naming of entities."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from overstory.index.stages.entities import most_frequent


@given(st.dictionaries(st.text(), st.integers(1, 5)))
def test_the_order_of_names_does_not_depend_on_the_order_of_mentions(counts: dict[str, int]) -> None:
    pairs = list(counts.items())
    assert most_frequent(pairs) == most_frequent(pairs[::-1])
    assert [counts[name] for name in most_frequent(pairs)] == sorted(counts.values(), reverse=True)
