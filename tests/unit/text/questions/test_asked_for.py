"""The subject of a question, from its parse."""

from __future__ import annotations

import functools

import pytest

from overstory.settings import ExtractionSettings
from overstory.text.parsing.pipelines import find_pipeline
from overstory.text.parsing.spacy_parser import SpacyParser
from overstory.text.questions.asked_for import ASKED_FOR, AskedFor


@functools.cache
def parser() -> SpacyParser[AskedFor]:
    return SpacyParser(find_pipeline(ExtractionSettings().pipeline), ASKED_FOR)


def asked(question: str) -> AskedFor:
    return parser().parse([question])[0]


@pytest.mark.parametrize(
    ("question", "names", "wanted"),
    [
        ("What is the salary of Marta Oyelaran?", ("Marta Oyelaran",), ("salary",)),
        ("Who is the mayor of Metallica?", ("Metallica",), ("mayor",)),
        ("How many minutes does The Terminal last?", ("Terminal",), ("minutes",)),
        ("What is the default of POLL_SECONDS?", ("POLL_SECONDS",), ("default",)),
        ("Where was the premiere of Balipeetam held?", ("Balipeetam",), ("held", "premiere")),
    ],
)
def test_a_direct_question_wants_all_its_words_of_what_it_names(
    question: str, names: tuple[str, ...], wanted: tuple[str, ...]
) -> None:
    found = asked(question)
    assert (found.names, tuple(sorted(found.wanted)), found.direct) == (names, wanted, True)


@pytest.mark.parametrize(
    ("question", "through"),
    [
        ("Where was the director of Nosferatu born?", ("director",)),
        ("When did Lord George Scott's father die?", ("father",)),
        ("Who is the spouse of the director of Jump for Glory?", ("director",)),
    ],
)
def test_somebody_may_stand_in_between(question: str, through: tuple[str, ...]) -> None:
    found = asked(question)
    assert (found.through, found.direct) == (through, False)


@pytest.mark.parametrize("question", ["Which entries of the list are hidden?", "Who is on the playlist of Radio Ulm?"])
def test_a_list_is_nobody(question: str) -> None:
    assert asked(question).through == ()


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("How are Meg Ryan and Tom Hanks connected?", ()),
        ("What is the relationship between Tom Hanks and Meg Ryan?", ()),
        ("How are gzip and zlib related?", ("gzip",)),
        ("Who is connected to Tom Hanks?", ("connected",)),
    ],
)
def test_what_ties_two_things_need_not_say_that_they_are_tied(question: str, wanted: tuple[str, ...]) -> None:
    assert asked(question).wanted == wanted


def test_a_clause_is_not_direct() -> None:
    assert not asked("Who leads the team that maintains Brine?").direct
    assert not asked("Who wrote the film directed by Murnau?").direct


def test_who_may_be_the_subject() -> None:
    assert asked("Who manages Sparrow?").subject
    assert not asked("Who did Ada marry?").subject


def test_it_survives_the_way_through_another_process() -> None:
    found = asked("Where was the director of Nosferatu born?")
    assert ASKED_FOR.decoded([list(each) if isinstance(each, tuple) else each for each in found]) == found
    assert ASKED_FOR.united([(0, found)]) == found
