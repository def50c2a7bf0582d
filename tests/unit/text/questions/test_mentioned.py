"""What a question mentions."""

from __future__ import annotations

from overstory.text.coreference.references import Reference
from overstory.text.questions.mentioned import mentioned


def test_names_phrases_of_several_words_and_capitals_that_nothing_else_names() -> None:
    text = "Did Bo Wood see the famous opera Night Of Glass in a hall?"
    references = [
        Reference("Bo Wood", "name", "PERSON", 0, 4),
        Reference("famous opera", "phrase", "opera", 0, 20),
        Reference("hall", "phrase", "hall", 0, 53),
    ]
    assert mentioned(text, references) == ["Bo Wood", "famous opera", "Night Of Glass"]
