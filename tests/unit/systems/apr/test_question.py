"""What AutoPrunedRetriever reads out of a question."""

from __future__ import annotations

import pytest

from overstory.model import FactStatement
from overstory.retrieve.question import read_question
from overstory.settings import ExtractionSettings
from overstory_systems.apr.codebook import Triple
from overstory_systems.apr.retriever import (
    _MOST_ASKED_TRIPLES,
    _MOST_SEARCHED_NAMES,
    QuestionTripleReader,
    asked_triples,
)


@pytest.fixture(scope="module")
def reader() -> QuestionTripleReader:
    return QuestionTripleReader(ExtractionSettings())


def fact(subject: str, predicate: str, object_: str) -> FactStatement:
    return FactStatement(subject, predicate, object_, 0, 0, None, None)


def test_what_a_question_asks_for_is_empty_in_its_triple(reader: QuestionTripleReader) -> None:
    asked = reader.read(read_question("Who founded Mitsubishi Heavy Industries?"))
    assert asked.triples == (Triple("", "found", "Mitsubishi Heavy Industries", 0),)
    assert asked.names == ("Mitsubishi Heavy Industries",)


@pytest.mark.parametrize(
    ("subject", "said"),
    [("Which band", "band"), ("What kind of plane", "kind of plane"), ("Who", ""), ("it", ""), ("Whose", "")],
)
def test_words_that_ask_and_pronouns_are_taken_out(subject: str, said: str) -> None:
    assert asked_triples([fact(subject, "be", "Ulm")]) == [Triple(said, "be", "Ulm", 0)]


def test_a_triple_that_names_nothing_is_left_out() -> None:
    assert asked_triples([fact("Who", "be", "what"), fact("he", "go", "where")]) == []


def test_a_name_that_begins_with_a_word_that_asks_loses_it_alone() -> None:
    assert asked_triples([fact("Whoopi Goldberg", "play", "Whatever Lola Wants")]) == [
        Triple("Whoopi Goldberg", "play", "Whatever Lola Wants", 0)
    ]


def test_a_question_without_triples_has_names(reader: QuestionTripleReader) -> None:
    asked = reader.read(read_question("Why did John Middleton Murry's wife die?"))
    assert asked.triples == ()
    assert "John Middleton Murry" in asked.names


def test_a_name_is_asked_for_once_whatever_case_it_has(reader: QuestionTripleReader) -> None:
    asked = reader.read(read_question("Did Albert Einstein, who was born in Ulm, leave ULM?"))
    assert [name.casefold() for name in asked.names].count("ulm") == 1


def test_a_long_question_has_bounded_triples_and_names(reader: QuestionTripleReader) -> None:
    asked = reader.read(read_question(" ".join(f"Ada{i} Stone met Bo{i} Wood in Port{i} City." for i in range(40))))
    assert len(asked.triples) == _MOST_ASKED_TRIPLES
    assert len(asked.names) == _MOST_SEARCHED_NAMES


def test_the_note_says_how_much_of_a_question_was_read(reader: QuestionTripleReader) -> None:
    (note,) = reader.read(read_question("Where was Einstein born? " * 200)).notes
    assert "the parser read" in note
