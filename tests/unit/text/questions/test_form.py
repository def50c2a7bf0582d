from __future__ import annotations

import pytest

from overstory.text.questions.kinds import form_of


@pytest.mark.parametrize(
    "text",
    [
        "Where was the director of Ostwind born?",
        "who wrote dracula",
        "In which year did it end",
        "Is Ulm on the Danube",
        "The film has a director from where",
        'He asked: "Ulm?"',
        "ドラキュラの作者は誰？",
        "What is the capital of the country where the inventor of the telephone was born?",
    ],
)
def test_questions(text: str) -> None:
    assert form_of(text) == "question"


@pytest.mark.parametrize(
    "text", ["What is an abstract base class?", "what's a generator", "What does EAFP mean?", "What are f-strings?"]
)
def test_definitions(text: str) -> None:
    assert form_of(text) == "definition"


@pytest.mark.parametrize(
    "text",
    ["", "create a message catalog", "Kingston 1952", "The EVP_PKEY RSA signature implementation", "Isis", "whoami"],
)
def test_phrases(text: str) -> None:
    assert form_of(text) == "phrase"


@pytest.mark.parametrize(
    "text",
    [
        "How do I open a file?",
        "how do i open a file",
        "Why does my program print nothing?",
        "Can I sort a dict by its values?",
        "Two files differ. Do I need both?",
        "I have two lists. How are they merged?",
        "I\u2019m looking for a way to merge two lists",
        "Which of our servers is down?",
        "What should we read first?",
        "What happens when I delete a key?",
    ],
)
def test_advice(text: str) -> None:
    assert form_of(text) == "advice"


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Who was the father of Henry I?", "question"),
        ("Who starred in My Fair Lady?", "question"),
        ("Who directed If I Stay?", "question"),
        ("Who created How I Met Your Mother?", "question"),
        ("When did World War I end?", "question"),
        ("My Own Private Idaho director", "phrase"),
        ("What is my locale?", "definition"),
        ("What's an I/O multiplexer?", "definition"),
    ],
)
def test_a_numeral_or_a_title_speaks_of_nobody(text: str, form: str) -> None:
    assert form_of(text) == form
