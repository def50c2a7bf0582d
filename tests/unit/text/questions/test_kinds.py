"""Which questions are for all things of a kind."""

from __future__ import annotations

import pytest

from overstory.text.questions.kinds import kind_asked_for


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("which teams are there and what do they do", "teams"),
        ("List all the services.", "services"),
        ("Which data centres are mentioned in the documents?", "data centres"),
        ("What products exist?", "products"),
        ("Which services do we have?", "services"),
        ("what are all the plants", "plants"),
        ("Welche Teams gibt es?", "Teams"),
        ("Nenne alle Werke.", "Werke"),
        ("Quels services y a-t-il ?", "services"),
        ("Liste toutes les usines", "usines"),
    ],
)
def test_the_kind_is_the_noun_that_the_question_is_for(question: str, kind: str) -> None:
    assert kind_asked_for(question) == kind


@pytest.mark.parametrize(
    "question",
    [
        "List all files in a directory",
        "list directory contents",
        "Which files are there in /etc?",
        "Which documents are there?",
        "What topics are there?",
        "Which actors played in Heat?",
        "Name the capital of France",
        "What is there?",
        "What are all the options of ls",
        "",
        "which teams " * 500,
    ],
)
def test_a_question_that_says_more_of_them_is_for_no_kind(question: str) -> None:
    assert kind_asked_for(question) == ""
