"""Questions are data."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.errors import QuestionError
from overstory.retrieve.question import (
    _LONGEST_PARSED_QUESTION_CHARACTERS,
    _LONGEST_RUN_OF_MARKS,
    LONGEST_QUESTION_CHARACTERS,
    check_question,
    full_text_query,
    read_question,
    shortened_for_parser,
)
from overstory.text.words import MOST_QUERY_WORDS


@given(st.text())
def test_a_query_has_nothing_of_lucenes_syntax(question: str) -> None:
    query = full_text_query(question)
    assert all(char in " _" or unicodedata.category(char)[0] in "LMN" for char in query)
    assert not {"AND", "OR", "NOT", "TO"} & set(query.split())


def test_vowel_signs_stay_with_their_letters_and_han_stands_alone() -> None:
    assert full_text_query("हिन्दी?") == "हिन्दी"
    assert full_text_query("東京 Tower") == "東 京 tower"


def test_what_is_no_text_is_no_question() -> None:
    with pytest.raises(QuestionError, match="must be a string, got NoneType"):
        read_question(None)  # type: ignore[arg-type] # what a user may do


def test_a_question_is_composed_as_loaded_texts_are() -> None:
    assert read_question("Besanc\u0327on").text == "Besançon"


def test_words_are_asked_once_and_not_too_many() -> None:
    assert full_text_query("To be or NOT to be?") == "to be or not"
    assert len(full_text_query(" ".join(f"w{i}" for i in range(5000))).split()) == MOST_QUERY_WORDS


@given(st.text(min_size=1))
def test_a_cleaned_question_can_be_sent_and_cleaning_it_again_changes_nothing(question: str) -> None:
    try:
        text = read_question(question).text
    except QuestionError:
        return
    assert text.encode()
    assert text == read_question(text).text


@given(st.text(st.characters(exclude_categories=()), max_size=20))
def test_a_question_is_refused_by_the_check_exactly_if_nothing_is_left_of_it(question: str) -> None:
    try:
        check_question(question)
    except QuestionError:
        cleaned = unicodedata.normalize("NFC", question)
        assert not any(unicodedata.category(char)[0] in "LMNPS" for char in cleaned)
    else:
        assert read_question(question).text


def test_the_words_of_a_question_are_those_of_its_cleaned_text() -> None:
    question = read_question("Who\x00  was J. R. R. Tolkien?")
    assert question.text == "Who was J. R. R. Tolkien?"
    assert question.tokens.forms == ["who", "was", "jrr", "tolkien"]
    assert question.tokens is question.tokens


def test_emoji_and_other_scripts_survive() -> None:
    assert read_question("👩🏽‍🔬 می‌خواهم 谁?").text == "👩🏽‍🔬 می‌خواهم 谁?"


def test_a_long_question_is_cut_and_says_so() -> None:
    read = read_question("x" * (LONGEST_QUESTION_CHARACTERS + 1))
    assert len(read.text) == LONGEST_QUESTION_CHARACTERS
    assert "first 20,000 of 20,001 characters" in read.notes[0]


@pytest.mark.parametrize("question", ["", "  \n", "\x00\x07"])
def test_nothing_to_ask_is_an_error(question: str) -> None:
    with pytest.raises(QuestionError, match="empty"):
        read_question(question)


def test_a_parser_reads_no_long_run_of_punctuation_and_a_bounded_text() -> None:
    assert shortened_for_parser("What?!? C++ ... (it's)") == ("What?!? C++ ... (it's)", ())
    text, notes = shortened_for_parser(f"a {'([' * 100}b{')' * 100} {'_' * 100}")
    assert (
        text == f"a {'([' * (_LONGEST_RUN_OF_MARKS // 2)}b{')' * _LONGEST_RUN_OF_MARKS} {'_' * _LONGEST_RUN_OF_MARKS}"
    )
    assert notes == (f"the parser read {len(text)} of the question's 404 characters",)
    assert len(shortened_for_parser("word " * 4_000)[0]) == _LONGEST_PARSED_QUESTION_CHARACTERS
