"""The names in questions and answers, and what passages say of them."""

from __future__ import annotations

import pytest

from overstory.answer import Answer
from overstory.conversation.names import described, names_in, names_of_answer
from overstory.model import Evidence, Hit
from overstory.text.questions.follow_up import Named


def hit(title: str, text: str) -> Hit:
    return Hit("c1", "d1", "s", "k", title, "", text, 1.0)


def test_words_with_capitals_are_names_of_an_unknown_type_and_figures_are_none() -> None:
    assert names_in("When did Bram Stoker visit Whitby in 1890 with 3 friends?", None) == (
        Named("Bram Stoker"),
        Named("Whitby"),
        Named("1890", "DATE"),
        Named("3", "CARDINAL"),
    )
    assert names_in("Who won in 1912?", None) == (Named("1912", "DATE"),)
    assert names_in("Is J. R. R. Tolkien from Bloemfontein-Nord?", None)[-2:] == (
        Named("J. R. R. Tolkien"),
        Named("Bloemfontein-Nord"),
    )
    assert names_in("Quand est née Élodie?", None) == (Named("Élodie"),)
    assert names_in("who wrote it?", None) == ()


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        ("", "He wrote the novel Dracula.", Named("Dracula", "WORK_OF_ART")),
        ("", "Dracula is a gothic horror novel of 1897.", Named("Dracula", "WORK_OF_ART")),
        ("Dracula", "He lives in a castle.", Named("Dracula", "PERSON", "he")),
        ("Dracula", "She bit him. Her teeth. She fled. She flew.", Named("Dracula", "PERSON", "she")),
        ("Whitby", "He lives in a castle.", Named("Dracula", "PERSON")),
        ("Dracula", "He bit her.", Named("Dracula", "PERSON")),
    ],
)
def test_passages_say_what_a_name_is_and_which_pronoun_it_has(title: str, text: str, expected: Named) -> None:
    assert described([Named("Dracula", "PERSON")], [hit(title, text)]) == (expected,)


def answer(question: str, text: str, *, short: str = "", guess: str = "") -> Answer:
    return Answer(
        question, text, guess or short, "extractive", "answered", (), Evidence(question, "test", ()), guess=guess
    )


def test_a_guess_is_what_an_answer_gives_of_the_type_that_was_asked_for() -> None:
    said = answer("Where was he born?", "He was born in Dublin. [1]", guess="Dublin")
    assert names_of_answer(said, None) == (Named("Dublin", "GPE"),)


def test_without_a_guess_an_answer_gives_the_names_that_the_question_has_not() -> None:
    said = answer(
        "Who wrote Dracula?", "He wrote Dracula. [1]\nThe author was Bram Stoker. [2]", short="He wrote Dracula."
    )
    assert names_of_answer(said, None) == (Named("Bram Stoker"),)
