"""The names that a question mentions."""

from __future__ import annotations

from overstory.text.coreference.references import Reference
from overstory.text.questions.names import mentioned


def test_names_phrases_of_several_words_and_capitals_that_nothing_else_names() -> None:
    text = "Did Bo Wood see the famous opera Night Of Glass in a hall?"
    references = [
        Reference("Bo Wood", "name", "PERSON", 0, 4),
        Reference("famous opera", "phrase", "opera", 0, 20),
        Reference("hall", "phrase", "hall", 0, 53),
    ]
    assert mentioned(text, references) == ["Bo Wood", "famous opera", "Night Of Glass"]


def test_an_identifier_is_mentioned_whole() -> None:
    text = "How do fork(2) and setsid(2) differ in 5?"
    references = [
        Reference("2) and setsid(2", "name", "PRODUCT", 0, 12),
        Reference("2", "phrase", "2", 0, 12),
        Reference("5", "name", "CARDINAL", 0, 39),
    ]
    assert mentioned(text, references) == ["fork(2)", "setsid(2)"]
