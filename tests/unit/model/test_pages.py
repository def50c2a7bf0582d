"""The page of a passage."""

from __future__ import annotations

import pytest

from overstory.model.metadata import page_of


@pytest.mark.parametrize(
    ("start", "text", "page"),
    [
        (0, "First page.", 1),
        (23, ".", 1),
        (24, "\n\nThird page.", 3),  # the second has no text, and the third begins after two line ends
        (26, "Third page.", 3),
        (30, "d page.", 3),
    ],
)
def test_a_passage_is_on_the_page_of_its_first_word(start: int, text: str, page: int) -> None:
    assert page_of(start, text, [0, 24, 26]) == page


def test_pages_without_text_before_the_first_are_counted() -> None:
    assert page_of(0, "Salt.", [0, 0, 0]) == 3
