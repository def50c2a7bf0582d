"""Questions are data."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.errors import QuestionError
from overstory.retrieve.question import LONGEST_QUESTION, MOST_WORDS, clean_question, full_text_query


@given(st.text())
def test_a_query_has_nothing_of_lucenes_syntax(question: str) -> None:
    query = full_text_query(question)
    assert all(char in " _" or unicodedata.category(char)[0] in "LMN" for char in query)
    assert not {"AND", "OR", "NOT", "TO"} & set(query.split())


def test_vowel_signs_stay_with_their_letters_and_han_stands_alone() -> None:
    assert full_text_query("हिन्दी?") == "हिन्दी"
    assert full_text_query("東京 Tower") == "東 京 tower"


def test_what_is_no_text_is_no_question() -> None:
    with pytest.raises(QuestionError, match="no text but NoneType"):
        clean_question(None)  # type: ignore[arg-type] # what a user may do


def test_a_question_is_composed_as_loaded_texts_are() -> None:
    assert clean_question("Besanc\u0327on")[0] == "Besançon"


def test_words_are_asked_once_and_not_too_many() -> None:
    assert full_text_query("To be or NOT to be?") == "to be or not"
    assert len(full_text_query(" ".join(f"w{i}" for i in range(5000))).split()) == MOST_WORDS


@given(st.text(min_size=1))
def test_a_cleaned_question_can_be_sent_and_cleaning_it_again_changes_nothing(question: str) -> None:
    try:
        text, _ = clean_question(question)
    except QuestionError:
        return
    assert text.encode()
    assert text == clean_question(text)[0]


def test_emoji_and_other_scripts_survive() -> None:
    assert clean_question("👩🏽‍🔬 می‌خواهم 谁?")[0] == "👩🏽‍🔬 می‌خواهم 谁?"


def test_a_long_question_is_cut_and_says_so() -> None:
    text, notes = clean_question("x" * (LONGEST_QUESTION + 1))
    assert len(text) == LONGEST_QUESTION
    assert "first 20,000 of 20,001 characters" in notes[0]


@pytest.mark.parametrize("question", ["", "  \n", "\x00\x07"])
def test_nothing_to_ask_is_an_error(question: str) -> None:
    with pytest.raises(QuestionError, match="empty"):
        clean_question(question)
