"""How entities are weighed and named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.index.stages.entities import most_frequent, specificity


def test_a_name_tells_less_the_more_passages_have_it() -> None:
    values = [specificity(1000, df) for df in (0, 1, 10, 100, 1000)]
    assert values[0] == 1.0
    assert values == sorted(values, reverse=True)
    assert 0 < values[-1] < 0.11


def test_an_empty_corpus_has_no_specificity() -> None:
    assert specificity(0, 0) == 0.0


def test_the_formula_of_the_design() -> None:
    assert specificity(100, 9) == pytest.approx(2.3978952727983707 / 4.61512051684126)


@given(st.dictionaries(st.text(), st.integers(1, 5)))
def test_the_order_of_names_does_not_depend_on_the_order_of_mentions(counts: dict[str, int]) -> None:
    pairs = list(counts.items())
    assert most_frequent(pairs) == most_frequent(pairs[::-1])
    assert [counts[name] for name in most_frequent(pairs)] == sorted(counts.values(), reverse=True)
