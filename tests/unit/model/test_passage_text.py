"""None"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.index.stages.embed import embedded_text
from overstory.model import Hit
from overstory.model.passage_text import count_at_most, passage_text, squeezed, without_boilerplate

PAGE = "Prev | Home | Next\n\nKnoppix is a live system.\n\nCopyright ACME\n\nIt runs from a CD."
SPANS = [0, 18, 47, 61]


def test_boilerplate_becomes_spaces_so_that_positions_stay() -> None:
    blanked = without_boilerplate(PAGE, SPANS)
    assert len(blanked) == len(PAGE)
    assert " ".join(blanked.split()) == "Knoppix is a live system. It runs from a CD."
    assert blanked.index("Knoppix") == PAGE.index("Knoppix")


def test_what_is_embedded_and_quoted_has_neither_boilerplate_nor_its_space() -> None:
    rest = "Knoppix is a live system.\n\nIt runs from a CD."
    assert squeezed(PAGE, SPANS) == rest
    assert embedded_text({"title": "Knoppix", "heading": "", "text": PAGE, "boilerplate": SPANS}) == f"Knoppix\n{rest}"
    hit = Hit("c", "d", "/k.html", "", "Knoppix", "", PAGE, 1.0, boilerplate=tuple(SPANS))
    assert hit.content == rest
    assert hit.text == PAGE


def test_a_passage_of_boilerplate_under_its_heading_has_nothing_to_embed() -> None:
    row: dict[str, Any] = {"title": "Knoppix", "heading": "Colophon", "text": "Colophon\n\nCopyright ACME"}
    assert embedded_text(row) == passage_text("Knoppix", "Colophon", "Colophon\n\nCopyright ACME")
    assert embedded_text(row | {"boilerplate": [10, 24]}) == ""
    row = {"title": "Knoppix", "heading": "Colophon", "text": "Imprint\n\nCopyright ACME", "boilerplate": [9, 23]}
    assert embedded_text(row) == passage_text("Knoppix", "Colophon", "Imprint")


@given(st.text(max_size=30), st.lists(st.integers(0, 30), max_size=4, unique=True))
def test_nothing_else_changes(text: str, places: list[int]) -> None:
    spans = sorted(place for place in places if place <= len(text))
    spans = spans[: len(spans) // 2 * 2]
    inside = {at for start, end in zip(spans[::2], spans[1::2], strict=True) for at in range(start, end)}
    blanked = without_boilerplate(text, spans)
    assert blanked == "".join(" " if at in inside else character for at, character in enumerate(text))
    assert squeezed(text, ()) == text


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("and the other", 4), ("Tegucigalpa", 6), ("1234", 4), ("北京", 6), ("a\nb", 3), ("\ud800", 1)],
)
def test_tokens_are_estimated_on_the_safe_side(text: str, tokens: int) -> None:
    assert count_at_most(text) == tokens
