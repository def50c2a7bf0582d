"""Upper bounds of tokens."""

from __future__ import annotations

import pytest

from overstory.model.passage_text import count_at_most


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("and the other", 4), ("Tegucigalpa", 6), ("1234", 4), ("北京", 6), ("a\nb", 3), ("\ud800", 1)],
)
def test_tokens_are_estimated_on_the_safe_side(text: str, tokens: int) -> None:
    assert count_at_most(text) == tokens
