from __future__ import annotations

import pytest

from overstory.text.questions.form import form_of


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
