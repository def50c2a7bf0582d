"""Citations of a model: those of passages stay, others go, however the text is cut into pieces."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.answer import without_citations
from overstory.answer.citations import CheckedCitations


def calls(work: Callable[[], object]) -> int:
    """The number of calls of functions, in Python and in C, while `work` runs."""
    counted = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return counted


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
        ("In Ulm [99999999999999999999999].", "In Ulm.", [], [999_999_999]),
        ("In Ulm [0000000000000001].", "In Ulm [1].", [1], []),
        ("In Ulm [ 1 ] [ 99 ].", "In Ulm [1].", [1], [99]),
        ("In Ulm [１] ［99］ 〔99〕 [٩] [²].", "In Ulm [1] [2].", [1, 2], [99, 99, 9]),
        ("In Ulm [-1] [−2].", "In Ulm.", [], [-1, -2]),
        ("In Ulm [^99] [^1] [99.] [1.] [1.5].", "In Ulm [1] [1].", [1], [99, 99, 0]),
        ("In Ulm [1:99] [1:3].", "In Ulm [1] [1][2][3].", [1, 2, 3], [99]),
        ("In Ulm [p. 99] [source: 2] [Passage-1].", "In Ulm [2] [1].", [2, 1], [99]),
        ("In Ulm [9\u200b9] [9\u034f9] [1\ufe0f].", "In Ulm [1].", [1], [99, 99]),
        ("In Ulm [[99]9] [9[99]] [[1]].", "In Ulm [1].", [1], [99, 9, 9, 99]),
        (r"In Ulm \[99\] \[1\].", "In Ulm [1].", [1], [99]),
        ("In Ulm [1-2 99].", "In Ulm [1][2].", [1, 2], [99]),
        (
            "Dates [in 1815], [1st], a[i], [see note [99] here].",
            "Dates [in 1815], [1st], a[i], [see note here].",
            [],
            [99],
        ),
    ],
)
def test_numbers_of_passages_stay_and_others_go(said: str, shown: str, cited: list[int], removed: list[int]) -> None:
    assert checked(said) == (shown, cited, removed)
    assert checked(*said) == (shown, cited, removed)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("[a b] [99](http://evil/x)", "[a b] (http://evil/x)"),
        ("[source 99] [99](http://evil/x)", "(http://evil/x)"),
        ("[x] [99] [98](http://evil/x)", "[x] (http://evil/x)"),
        ("[x] [99][y]", "[x] [y]"),
        ("[x] [99]: http://evil/x", "[x] : http://evil/x"),
        ("![x][99](http://evil/x)", "![x] (http://evil/x)"),
        ("[1](http://evil/x) [1][99](http://evil/x)", "[1] (http://evil/x) [1] (http://evil/x)"),
        ("Ulm [1].\n[^1]: http://evil/x", "Ulm [1].\n[1] : http://evil/x"),
        ("<[99]http://evil/x>", "< http://evil/x>"),
        ("As follows [1]: a, b [99]: c.", "As follows [1]: a, b: c."),
        ("[no[99]te 99]", "[no te 99]"),
    ],
)
def test_what_is_taken_away_makes_no_link_of_what_is_left(said: str, shown: str) -> None:
    assert checked(said)[0].lstrip() == shown
    assert checked(*said)[0].lstrip() == shown


@given(st.text(alphabet="ap. [[]]12-9(", max_size=40))
def test_each_number_in_brackets_that_is_left_is_cited(said: str) -> None:
    text, cited, _ = checked(said)
    left, again, removed = checked(text)
    assert (removed, sorted(again)) == ([], sorted(cited))
    assert checked(left)[0] == left


def test_endless_brackets_take_no_time() -> None:
    said = "[" * 20_000
    assert checked(said)[0] == said
    citations = CheckedCitations(1)
    assert "".join(citations.take("[1 ") for _ in range(2_000))
    assert len(citations.rest()) < 1_000


@pytest.mark.parametrize("said", ["[" * 4_000, "[x" * 2_000, "[1 " * 1_500, "[" * 2_000 + "]" * 2_000])
def test_a_bracket_costs_a_few_calls_however_many_follow_it(said: str) -> None:
    assert calls(lambda: checked(said)) < 20 * len(said)


def test_spaces_are_not_read_again_with_each_piece() -> None:
    assert calls(lambda: checked(*" " * 4_000)) < 500 * 4_000
    assert checked(*" " * 4_000)[0] == " " * 4_000


@given(st.text(alphabet="ab .[]12,-9\n:(p", max_size=60), st.lists(st.integers(0, 60), max_size=6))
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
