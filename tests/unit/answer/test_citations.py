"""Citations of a model: those of passages stay, others go, however the text is cut into pieces."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.answer import without_citations
from overstory.answer.citations import CheckedCitations


def checked(*pieces: str, passages: int = 3) -> tuple[str, list[int], list[int]]:
    citations = CheckedCitations(passages)
    text = "".join(citations.take(piece) for piece in pieces) + citations.rest()
    return text, citations.cited, citations.removed


@pytest.mark.parametrize(
    ("said", "shown", "cited", "removed"),
    [
        ("In Ulm [1].", "In Ulm [1].", [1], []),
        ("In Ulm [99].", "In Ulm.", [], [99]),
        ("In Ulm [1][99] and Bern [3].", "In Ulm [1] and Bern [3].", [1, 3], [99]),
        ("In Ulm [1, 2; 7].", "In Ulm [1][2].", [1, 2], [7]),
        ("In Ulm [1-3].", "In Ulm [1][2][3].", [1, 2, 3], []),
        ("In Ulm [2-9].", "In Ulm [2].", [2], [9]),
        ("In Ulm [0].", "In Ulm.", [], [0]),
        ("In Ulm [passage 2].", "In Ulm [2].", [2], []),
        ("In Ulm 【1】.", "In Ulm [1].", [1], []),
        ("In Ulm [1 and 1].", "In Ulm [1].", [1], []),
        ("x[i] = [a link](page) [1", "x[i] = [a link](page) [1", [], []),
        ("In Ulm [999999999999].", "In Ulm [999999999999].", [], []),
    ],
)
def test_numbers_of_passages_stay_and_others_go(said: str, shown: str, cited: list[int], removed: list[int]) -> None:
    assert checked(said) == (shown, cited, removed)
    assert checked(*said) == (shown, cited, removed)


@given(st.text(alphabet="ab .[]12,-9\n", max_size=60), st.lists(st.integers(0, 60), max_size=6))
def test_the_pieces_make_no_difference(said: str, cuts: list[int]) -> None:
    bounds = [0, *sorted(cuts), len(said)]
    pieces = [said[start:end] for start, end in pairwise(bounds)]
    assert checked(*pieces) == checked(said)


def test_a_text_comes_as_soon_as_it_can_be_no_citation() -> None:
    citations = CheckedCitations(1)
    assert citations.take("Born in Ulm [") == "Born in Ulm"
    assert citations.take("1]") == " [1]"
    assert citations.take(" [" + "x" * 100) == " [" + "x" * 100


def test_numbers_are_taken_off_for_comparisons() -> None:
    assert without_citations("Ulm [1][2], on the Danube [3].") == "Ulm, on the Danube."
