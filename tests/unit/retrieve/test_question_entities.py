from __future__ import annotations

from overstory.retrieve.question_entities import _MOST_WORDS_SEARCHED_FOR_NAMES, possible_names
from overstory.text.names.tokens import tokenise


def test_every_phrase_with_a_capital_may_be_a_name() -> None:
    assert set(possible_names(tokenise("who made Ulm's bells"))) == {
        "who made ulms",
        "who made ulm",
        "who made ulms bells",
        "made ulms",
        "made ulm",
        "made ulms bells",
        "ulms",
        "ulm",
        "ulms bells",
    }


def test_of_a_long_question_the_beginning_is_looked_at() -> None:
    tokens = tokenise("Ulm " * 5_000)
    assert sum(1 for _ in possible_names(tokens)) <= _MOST_WORDS_SEARCHED_FOR_NAMES * 16
