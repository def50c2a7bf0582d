"""Rows of the graph as hits: the page on which a passage begins, and what its document came with."""

from __future__ import annotations

import pytest

from overstory.retrieve.hits import (
    best_of,
    has_names,
    has_words,
    hit,
    is_about,
    listed,
    mentions_subject,
    other_words,
    quoted,
    shares,
)
from overstory.text.questions.asked_words import AskedWords

ROW = {
    "chunk_id": "c",
    "document_id": "d",
    "source": "a.pdf",
    "source_key": "",
    "title": "",
    "heading": "",
    "text": "Salt.",
    "boilerplate": None,
    "score": 1.0,
    "start": 26,
    "end": 31,
}


def test_a_hit_has_its_page_instead_of_where_all_pages_begin() -> None:
    document = {"id": "d", "sha256": "…", "metadata_pages": 3, "metadata_page_starts": [0, 24, 26]}
    found = hit({**ROW, "document": document}, ())
    assert (found.page, found.metadata) == (3, {"pages": 3})


@pytest.mark.parametrize("starts", [["i", "ii"], [], "0", [0.5]])
def test_what_somebody_else_calls_page_starts_is_left_alone(starts: object) -> None:
    found = hit({**ROW, "document": {"metadata_page_starts": starts}}, ())
    assert (found.page, found.metadata) == (None, {"page_starts": starts})


def test_a_hit_knows_its_boilerplate() -> None:
    found = hit(ROW | {"document": {}, "text": "Salt.\n\nNext page", "boilerplate": [7, 16]}, ())
    assert found.boilerplate == (7, 16)
    assert found.content == "Salt."


def test_the_best_come_first_and_equal_ones_in_the_order_of_their_ids() -> None:
    assert best_of({"c": 1.0, "a": 1.0, "b": 2.0, "d": 0.0}, 3) == ["b", "a", "c"]
    assert best_of({"a": 1.0}, 3) == ["a"]
    assert best_of({}, 3) == []


HANDBOOK = {
    "document_id": "d",
    "title": "The Debian\nHandbook",
    "heading": "",
    "text": "It was written by two authors.",
}
OTHER = {"document_id": "e", "title": "", "heading": "", "text": "Foreword. " * 20}


@pytest.mark.parametrize(
    ("question", "clause"),
    [
        ("Who are the authors of the Debian Handbook?", "contains words of the question: authors, Debian, Handbook"),
        ("What is it?", "contains words of the question: it"),
        ("Who printed it?", "is in a section that contains words of the question"),
    ],
)
def test_the_words_that_a_passage_has_are_named(question: str, clause: str) -> None:
    assert has_words(AskedWords.of(question), HANDBOOK) == clause


def test_other_passages_are_named_by_title_or_first_words() -> None:
    assert quoted(HANDBOOK, OTHER) == '"The Debian Handbook"'
    assert quoted(OTHER, HANDBOOK) == '"Foreword. Foreword. Foreword. Foreword. Foreword. Foreword …"'
    assert quoted(HANDBOOK, HANDBOOK | {"title": "Preface"}) == "another passage of this document"
    assert quoted(None, HANDBOOK) == "a deleted passage"


def test_words_of_names_and_stop_words_of_the_language_are_left_out() -> None:
    asked = AskedWords.of("Who are the authors of the Debian Handbook?")
    english = HANDBOOK | {"language": None}
    assert other_words(asked, english, ["The Debian Handbook"]) == "contains words of the question: authors"
    assert other_words(asked, english, ["The Debian Handbook", "Authors"]) == ""
    german = {"title": "", "heading": "", "text": "Der Brandschutzbeauftragte ist da.", "language": "de"}
    asked = AskedWords.of("Wer ist der Brandschutzbeauftragte?")
    assert other_words(asked, german, []) == "contains words of the question: Brandschutzbeauftragte"


def test_clauses_say_how_a_name_led_here() -> None:
    assert shares("Raphaël\nHertzog", '"D"') == 'mentions Raphaël Hertzog, as does "D"'
    assert is_about("Ulm", '"D"') == 'is about Ulm, mentioned in "D"'
    assert mentions_subject("Ulm", '"The town"') == 'mentions Ulm, the subject of "The town"'
    assert mentions_subject("", '"Ulm"') == 'mentions the subject of "Ulm"'
    assert has_names(["Ulm", "Bern"]) == "mentions Ulm, Bern, as the question does"
    assert has_names([], about=["Ulm"]) == "is about Ulm, named in the question"
    assert has_names(["Bern"], about=["Ulm"]) == "is about Ulm and mentions Bern, as the question does"


def test_a_long_list_is_cut_and_says_so() -> None:
    assert listed(["a", "b", "a"]) == "a, b"
    assert listed(list("abcdefgh")) == "a, b, c, d, e, f and 2 more"
