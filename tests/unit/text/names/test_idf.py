from __future__ import annotations

import pytest

from overstory.text.names.tokens import idf_weight


def test_it_falls_with_the_chunks_that_mention_a_name() -> None:
    values = [idf_weight(1000, df) for df in (0, 1, 10, 100, 1000)]
    assert values[0] == 1.0
    assert values == sorted(values, reverse=True)
    assert 0 < values[-1] < 0.11


def test_an_empty_corpus_has_no_weights() -> None:
    assert idf_weight(0, 0) == 0.0


def test_the_formula_of_the_design() -> None:
    assert idf_weight(100, 9) == pytest.approx(2.3978952727983707 / 4.61512051684126)
