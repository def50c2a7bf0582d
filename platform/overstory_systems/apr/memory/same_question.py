"""Whether a question asks what a remembered one asked. Pure.

A follow-up is as near to the question before it as a paraphrase is: "Who was saved from the ship that ran onto the Crow
Rocks?" has a cosine of .88 to "Which ship ran onto the Crow Rocks?". So vectors do not decide. A difference in what is
asked for (who, whom, when), in names and numbers, or in a word such as "before" makes it another question, and so does
a word more; other words in the place of some leave it open, and the facts decide (`prompt.serves`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from overstory.answer.answer_type import types_asked_for
from overstory.answer.relation_words import same_relation
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.stems import stem
from overstory.text.words import word_matches

Sameness = Literal["same", "open", "other"]

_ASKING = {"who": "who", "whom": "who", "whose": "who", "why": "why", "how": "how", "where": "where", "when": "when"}
_PEOPLE = re.compile(r"\bwhich (?:\w+ )?(?:people|persons?)\b", re.IGNORECASE)
_OBJECT = re.compile(r"\b(?:who|whom|which|what)\b.*?\b(?:do|does|did)\b", re.IGNORECASE | re.DOTALL)
"""Asks to whom something was done: "Who did Ada manage?" is not "Who managed Ada?"."""
_ACTING = frozenset({"PERSON", "ORG"})
_WHAT = frozenset({"what", "which"})
_TURNING = frozenset(
    {"another", "before", "earlier", "else", "first", "last", "later", "never", "no", "not", "older", "other", "until"}
    | {"without", "younger"}
)
"""Words that turn a question into another one about the same."""
_CLASSES = frozenset({"kind", "name", "sort", "thing", "type", "year", "day", "date", "person", "place", "city"})
"""What is asked for, in words that may be left out: "in which year" is "when"."""


def sameness(asked: str, remembered: str) -> Sameness:
    """Whether two questions ask the same: "same", or "open" where only words differ that are no names."""
    kinds = asked_for(asked) & asked_for(remembered)
    if not kinds or _turned(asked) != _turned(remembered):
        return "other"
    if not kinds.isdisjoint(_ACTING) and bool(_OBJECT.search(asked)) != bool(_OBJECT.search(remembered)):
        return "other"
    here, there = _words(asked), _words(remembered)
    more, less = _missing(here, there), _missing(there, here)
    if any(more) or any(less) or bool(more) != bool(less):  # "the coworker of Jonas Berg" is not Jonas Berg
        return "other"
    return "open" if more else "same"


def asked_for(question: str) -> frozenset[str]:
    """The types of names that answer a question, or its question word."""
    if types := types_asked_for(_PEOPLE.sub("who", question)):
        return frozenset(types)
    words = (match.group().lower() for match in word_matches(question))
    return frozenset({next((_ASKING.get(word, "what") for word in words if word in _ASKING or word in _WHAT), "")})


def _words(question: str) -> dict[str, bool]:
    """The stems of words with a meaning, and whether each is of a name or a number, by a capital or a digit."""
    found: dict[str, bool] = {}
    for place, match in enumerate(word_matches(question)):
        word = match.group()
        if word.lower() not in FUNCTION_WORDS | _CLASSES:
            named = (place > 0 and word[0].isupper()) or any(map(str.isdigit, word))
            found[stem(word)] = named or found.get(stem(word), False)
    return found


def _missing(words: Mapping[str, bool], others: Mapping[str, bool]) -> list[bool]:
    """Of the words that others do not have, whether they are names."""
    return [
        named
        for word, named in words.items()
        if word not in others and (named or not any(same_relation(word, other) for other in others))
    ]


def _turned(question: str) -> set[str]:
    return {match.group().lower() for match in word_matches(question)} & _TURNING
