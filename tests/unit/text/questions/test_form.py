from __future__ import annotations

import pytest

from overstory.text.questions.form import is_question


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
    ],
)
def test_questions(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize(
    "text",
    ["", "create a message catalog", "Kingston 1952", "The EVP_PKEY RSA signature implementation", "Isis", "whoami"],
)
def test_phrases(text: str) -> None:
    assert not is_question(text)
