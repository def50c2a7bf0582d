"""Antecedents of pronouns in a follow-up question: names in earlier questions and their answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from overstory.text.coreference.chains import CLASSES
from overstory.text.names.keys import entity_key


@dataclass(frozen=True, slots=True)
class Named:
    """A name in a question or an answer.

    Attributes:
        type: entity type of the pipeline ("PERSON", "GPE", …), or "" if unknown.
        gender: pronoun of a person, "he" or "she", if known.
    """

    name: str
    type: str = ""
    gender: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """A completed question of the conversation, and its short answer.

    Attributes:
        named: names in the question, in order.
        answered_with: names that are the answer.
        chunks: ids of the passages that the answer cites.
        mentioned: other names in the sentences of the answer.
    """

    question: str
    answer: str = ""
    named: tuple[Named, ...] = ()
    answered_with: tuple[Named, ...] = ()
    chunks: tuple[str, ...] = ()
    mentioned: tuple[Named, ...] = ()


_MOST_TURNS_FOR_KIND = 3
"""Number of last turns that are searched for a name of the type that the question's words imply."""

_PERSONS = frozenset({"he", "she"})
_GROUPS = frozenset({"ORG", "NORP", "GPE", "PERSON"})
_PLACES = frozenset({"GPE", "LOC", "FAC"})
_FIGURES = frozenset({"DATE", "TIME", "CARDINAL", "QUANTITY", "MONEY", "PERCENT", "ORDINAL"})
_NO_THINGS = _FIGURES | {"PERSON", "NORP"}

_WORDS_OF_TYPES = """
WORK_OF_ART PRODUCT: published publisher directed director starred starring stars cast plot filmed sequel illustrated
WORK_OF_ART PRODUCT: narrated soundtrack released
ORG: formed headquartered founders founder members chairman ceo employees lineup disbanded
GPE LOC: population inhabitants mayor
"""
_KINDS = {
    word: frozenset(types.split())
    for types, _, words in (line.partition(":") for line in _WORDS_OF_TYPES.strip().splitlines())
    for word in words.split()
}
"""Entity types implied by a word: "published" -> WORK_OF_ART, PRODUCT."""

_WORD = re.compile(r"[^\W\d_]+")
_ASKS_WHERE = re.compile(r"\W*(?:when|where|since when|how (?:long|old))\b|[^?]*\b(?:in|from|on|at)\W*$", re.IGNORECASE)


def resolve_pronoun(form: str, question: str, turns: Sequence[Turn]) -> tuple[str, list[str]]:
    """Return the most likely antecedent of a pronoun ("" if there is none) and the other candidates.

    Names in questions and answers come before names that the answer's sentences only mention, and the last turn comes
    first. Within a turn, people with a known matching gender come first, then names of a matching type.

    Args:
        form: nominative of the pronoun ("he" for "his"), "there" for a place, or the noun of "the film".
        question: the question with the pronoun.
        turns: earlier turns, oldest first.
    """
    for names in _by_likelihood(form, question, turns):
        found = distinct_names(names)
        if found:
            return found[0], found[1:]
    return "", []


def fits(form: str, named: Named) -> bool:
    """Return True if a pronoun may refer to a name, judged by type and gender."""
    kind = named.type
    if form in _PERSONS:
        return kind in ("PERSON", "") and named.gender in ("", form)
    if form == "it":
        return kind not in _NO_THINGS
    if form == "they":
        return (kind in _GROUPS and (kind != "NORP" or named.name.endswith("s"))) or not kind
    if form == "there":
        return kind in _PLACES
    return kind in CLASSES.get(form, frozenset()) or form in named.name.lower().split()


def distinct_names(names: Iterable[Named]) -> list[str]:
    """Return the names without duplicates. A part of an earlier name is a duplicate; figures are left out."""
    found: dict[str, str] = {}
    for each in names:
        key = "" if each.type in _FIGURES else entity_key(each.name)
        if key and not any(f" {key} " in f" {other} " for other in found):
            found[key] = each.name
    return list(found.values())


def _by_likelihood(form: str, question: str, turns: Sequence[Turn]) -> Iterator[list[Named]]:
    """Yield lists of possible antecedents, the most likely list first."""
    fitting = [_fitting(form, turn) for turn in reversed(turns)]
    expected = _expected_types(question) if form in ("it", "they") else frozenset[str]()
    for names in fitting[:_MOST_TURNS_FOR_KIND]:
        yield [each for each in names if each.type in expected]
    if form == "they":
        for names in fitting:
            together = _together(names)
            yield [together] if together else [each for each in names if each.type != "PERSON"]
    yield from fitting
    last = turns[-1]  # types are guesses, so names of a wrong type are candidates, too
    wrong = [each for each in last.named if not each.gender and each.type != "NORP"]
    if form == "it":
        yield [each for each in wrong if " " not in each.name]
    if form in CLASSES:  # "the company" may be a name of unknown type
        yield [each for each in last.named if not each.type]
        return
    for turn in reversed(turns):
        yield [each for each in turn.mentioned if each.type and fits(form, each)]
    if form == "there":
        return
    if form != "it":
        wrong = [*(each for each in last.answered_with if not each.gender), *wrong]
    yield wrong


def _fitting(form: str, turn: Turn) -> list[Named]:
    """Return the names in a turn that a pronoun may refer to, the most likely first.

    After "when" or "where" questions, "it" usually is the name in the question; after others, the answer.
    """
    asks_where = form == "it" and _ASKS_WHERE.match(turn.question)
    names = (*turn.named, *turn.answered_with) if asks_where else (*turn.answered_with, *turn.named)
    return _sure([each for each in names if fits(form, each)], form)


def _sure(names: list[Named], form: str) -> list[Named]:
    return sorted([each for each in names if each.type] or names, key=lambda each: each.gender != form)


def _together(names: Sequence[Named]) -> Named | None:
    """Return several people as one name for "they": "A, B and C"."""
    people = distinct_names(names)
    if len(people) < 2 or any(each.type != "PERSON" for each in names):
        return None
    return Named(f"{', '.join(people[:-1])} and {people[-1]}", "PERSON")


def _expected_types(question: str) -> frozenset[str]:
    """Return the entity types that the words of a question imply for its pronoun."""
    words = (word.lower() for word in _WORD.findall(question))
    return next((_KINDS[word] for word in words if word in _KINDS), frozenset())
