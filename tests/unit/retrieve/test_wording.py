"""What is said of why a passage was found."""

from __future__ import annotations

import pytest

from overstory.retrieve import wording
from overstory.text.questions.asked_words import AskedWords

ROW = {"document_id": "d", "title": "The Debian\nHandbook", "heading": "", "text": "It was written by two authors."}
OTHER = {"document_id": "e", "title": "", "heading": "", "text": "Foreword. " * 20}


@pytest.mark.parametrize(
    ("question", "clause"),
    [
        ("Who are the authors of the Debian Handbook?", "has words of the question: authors, Debian, Handbook"),
        ("What is it?", "has words of the question: it"),
        ("Who printed it?", "is in a section that has words of the question"),
    ],
)
def test_the_words_that_a_passage_has_are_named(question: str, clause: str) -> None:
    assert wording.has_words(AskedWords.of(question), ROW) == clause


def test_other_passages_are_named_by_title_or_first_words() -> None:
    assert wording.quoted(ROW, OTHER) == '"The Debian Handbook"'
    assert wording.quoted(OTHER, ROW) == '"Foreword. Foreword. Foreword. Foreword. Foreword. Foreword …"'
    assert wording.quoted(ROW, ROW | {"title": "Preface"}) == "another passage of this document"
    assert wording.quoted(None, ROW) == "a passage that is gone"


def test_clauses_say_how_a_name_led_here() -> None:
    shared = 'shares the name Raphaël Hertzog with "D"'
    assert wording.shares("Raphaël\nHertzog", '"D"', better=True) == f"{shared}, which was found first"
    assert wording.shares("Raphaël\nHertzog", '"D"', better=False) == shared
    assert wording.is_about("Ulm", '"D"') == 'is about Ulm, named in "D"'
    assert wording.two_names_away("Ulm", '"D"') == 'is two names away: by Ulm from "D"'
    assert wording.has_names(["Ulm", "Bern"]) == "names Ulm, Bern, as the question does"


def test_a_long_list_is_cut_and_says_so() -> None:
    assert wording.listed(["a", "b", "a"]) == "a, b"
    assert wording.listed(list("abcdefgh")) == "a, b, c, d, e, f and 2 more"
