from __future__ import annotations

import pytest

from overstory.text.questions.sets import excluded_in, negates, number_of, set_question


@pytest.mark.parametrize(
    ("question", "excluded"),
    [
        ("Who works in Ulm but not in Valves?", "Valves"),
        ("Which rooms have no projector and are on floor 2?", "projector"),
        ("Who has no phone in Kiel?", "phone"),
        ("Except Ada Huber, who works in Ulm?", "Ada Huber"),
        ("What is not allowed in the library?", "allowed in the library"),
        ("Who doesn't work in Ulm, Kiel or Bonn?", "work in Ulm , Kiel or Bonn"),
        ("Wer arbeitet nicht in Ulm, sondern in Kiel?", "Ulm"),
        ("Welche Räume haben keinen Beamer?", "Beamer"),
        ("Qui ne travaille pas à Ulm ?", "Ulm"),
        ("¿Quién no trabaja en Ulm?", "trabaja en Ulm"),
        ("Which film was released first, No Path Through Fire or Bright Leaf?", ""),
        ("Why does the pump not start?", ""),
        ("What should I do if the pump does not start?", ""),
        ("Which option lists the files without extracting them?", ""),
        ("I cannot embed it in my program; what is wrong?", ""),
        ("How many people have at least three keys?", ""),
        ("Which pumps cost no more than 100 euros?", ""),
    ],
)
def test_the_words_that_a_question_excludes_are_found(question: str, excluded: str) -> None:
    assert excluded_in(question) == excluded


@pytest.mark.parametrize(
    "question",
    ["Why does it not start?", "What is a pump?", "Is Ada in Ulm?", "Where does Ada work?", "list of pumps which", ""],
)
def test_other_questions_are_about_no_set(question: str) -> None:
    found = set_question(question)
    assert found is None or not found.operates


def test_numbers_are_read_in_the_forms_of_spreadsheets() -> None:
    texts = ("52,000", "1,200.50 €", "1.200,50", "89.50", "89,5", "EUR 7", "12 kg", "C-07 and 3", "none", "")
    assert [number_of(text) for text in texts] == [52000, 1200.5, 1200.5, 89.5, 89.5, 7, 12, None, None, None]


def test_negations_are_words_of_their_own() -> None:
    assert all(map(negates, ["Food is not allowed.", "It doesn't run.", "Alle außer Ada.", "Sans lui.", "Es nunca."]))
    assert not any(map(negates, ["Notes on Norway.", "Ada works in Ulm.", "Un nouveau pas"[:10]]))
