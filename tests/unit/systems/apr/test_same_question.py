"""Paraphrases and follow-ups, which have like vectors."""

from __future__ import annotations

import pytest

from overstory_systems.apr.prompt import asked_for, sameness

SHIP = "Which ship ran onto the Crow Rocks?"


@pytest.mark.parametrize(
    ("asked", "remembered"),
    [
        (SHIP, SHIP.upper()),
        ("Where had Bram Stoker been born?", "Where was Bram Stoker born?"),
        ("In which year was Harbour rewritten?", "When was Harbour rewritten?"),
        ("Who is the wife of Ada Huber?", "Who is married to Ada Huber?"),
    ],
)
def test_the_same_question_in_nearly_the_same_words(asked: str, remembered: str) -> None:
    assert sameness(asked, remembered) == sameness(remembered, asked) == "same"


@pytest.mark.parametrize(
    ("asked", "remembered"),
    [
        ("Which vessel hit the Crow Rocks?", SHIP),
        ("Where did Bram Stoker die?", "Where was Bram Stoker born?"),
    ],
)
def test_where_words_differ_it_is_open(asked: str, remembered: str) -> None:
    assert sameness(asked, remembered) == sameness(remembered, asked) == "open"


@pytest.mark.parametrize(
    ("asked", "remembered"),
    [
        ("Who was saved from the ship that ran onto the Crow Rocks?", SHIP),
        ("Why did the head office move in 2016?", "Where did the head office move in 2016?"),
        ("Who supplied the membranes before 2024?", "Who supplied the membranes since 2024?"),
        ("Who leads team Otter?", "Who leads team Pike?"),
        ("What was released in version 3.6?", "What was released in version 3.7?"),
        ("Who founded the firm Johnson?", "Who founded the firm Johnston?"),
        ("Who did Ada Huber manage?", "Who managed Ada Huber?"),
        ("Which of them is older?", "Which of them is younger?"),
        ("Who is the deputy of the leader of team Pike?", "Who leads team Pike?"),
        ("Where was the coworker of Jonas Berg born?", "Where was Jonas Berg born?"),
        ("Who founded the owner of Harrow Foundry?", "Who founded Harrow Foundry?"),
        ("Who else designed the Quillbox?", "Who designed the Quillbox?"),
    ],
)
def test_what_is_asked_for_names_numbers_and_words_that_turn_a_question_make_it_another(
    asked: str, remembered: str
) -> None:
    assert sameness(asked, remembered) == sameness(remembered, asked) == "other"


def test_what_is_asked_for_is_a_type_or_the_question_word() -> None:
    assert asked_for("Which two people built it?") == asked_for("Who built it?")
    assert asked_for("Why was it built?") == {"why"}
    assert asked_for("Was it built?") == {""}
