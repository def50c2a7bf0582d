"""The kind of name, date or number that a question asks for."""

from __future__ import annotations

import pytest

from overstory.answer.answer_type import DATE, NUMBER, PERSON, PLACE, asks_to_choose, types_asked_for


@pytest.mark.parametrize(
    ("question", "types"),
    [
        ("Who wrote Dracula?", PERSON),
        ("Which American actor played Gatsby?", PERSON),
        ("When did he die?", DATE),
        ("In what year was it built?", DATE),
        ("Where was Einstein born?", PLACE),
        ("In which county is Johnnycake?", PLACE),
        ("How many people live there?", NUMBER),
        ("What is it made of?", ()),
        ("How old is the minster?", NUMBER),
        ("What is the population of Ulm?", NUMBER),
        ("What was Ada's date of birth?", DATE),
        ("What is the place of birth of the performer of the song Demon?", PLACE),
        ("Nosferatu is a film that was directed by who?", PERSON),
        ("The president was Chiang, who died on which date?", DATE),
        ("Who was king when the country where Ulm lies became a state?", PERSON),
        ("What is the most popular hotel in Ada's city of birth?", ()),
        ("Is Ulm in Bavaria?", ()),
        ("Who is older, Ada or Bob?", ()),
    ],
)
def test_a_question_asks_for_a_type(question: str, types: tuple[str, ...]) -> None:
    assert types_asked_for(question) == types


@pytest.mark.parametrize(
    "question",
    [
        "How do I see who is logged in?",
        "How is the number of open files limited?",
        "Why was the year 2038 chosen?",
        "What is a person?",
        "What is the year 2038 problem?",
        "What is the state of a process?",
        "What is debhelper?",
        "What happens when a file is deleted?",
        "Which option forwards a local port?",
        "report file system space usage",
        "",
    ],
)
def test_how_why_and_what_is_ask_for_no_name(question: str) -> None:
    assert types_asked_for(question) == ()


def test_a_choice_is_one_of_several_things_or_yes_or_no() -> None:
    assert asks_to_choose("Are both in Ohio?")
    assert asks_to_choose("Which is older, Ulm or Bern?")
    assert not asks_to_choose("Who was the author of Orlando?")
