"""Finds the antecedent of a pronoun in a follow-up question, which is a name in an earlier question or answer."""

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
        type: entity type ("PERSON", "GPE", …), or "" if unknown.
        gender: the pronoun of a person, "he" or "she", or "" if unknown.
    """

    name: str
    type: str = ""
    gender: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """A completed question in the conversation, and its answer.

    Attributes:
        answer: the short answer.
        named: names in the question, in order.
        answered_with: names that are the short answer.
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
"""Number of most recent turns that are searched for a name of the entity type that the question implies."""

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
"""Entity types that a word implies: "published" implies WORK_OF_ART or PRODUCT."""

_WORD = re.compile(r"[^\W\d_]+")
_ASKS_WHERE = re.compile(r"\W*(?:when|where|since when|how (?:long|old))\b|[^?]*\b(?:in|from|on|at)\W*$", re.IGNORECASE)


def resolve_pronoun(form: str, question: str, turns: Sequence[Turn]) -> tuple[str, list[str]]:
    """Return the most likely antecedent of a pronoun ("" if there is none) and the other candidates.

    Names in questions and short answers are more likely than names that the sentences of an answer only mention. The
    last turn is more likely than earlier ones. Within a turn, people of the matching gender are most likely, followed
    by other names of a matching type.

    Args:
        form: nominative of the pronoun ("he" for "his"), "there" for a place, or the noun in a phrase ("film" for "the
            film").
        turns: the turns before the question, oldest first.
    """
    for names in _by_likelihood(form, question, turns):
        found = distinct_names(names)
        if found:
            return found[0], found[1:]
    return "", []


def fits(form: str, named: Named) -> bool:
    """Return True if a pronoun may refer to a name, judged by the name's type and gender."""
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
    """Return the names without duplicates, and without numbers and dates.

    A name that is part of an earlier name also counts as a duplicate.
    """
    found: dict[str, str] = {}
    for each in names:
        key = "" if each.type in _FIGURES else entity_key(each.name)
        if key and not any(f" {key} " in f" {other} " for other in found):
            found[key] = each.name
    return list(found.values())


def _by_likelihood(form: str, question: str, turns: Sequence[Turn]) -> Iterator[list[Named]]:
    fitting = [_fitting(form, turn) for turn in reversed(turns)]
    expected = _expected_types(question) if form in ("it", "they") else frozenset[str]()
    for names in fitting[:_MOST_TURNS_FOR_KIND]:
        yield [each for each in names if each.type in expected]
    if form == "they":
        for names in fitting:
            together = _together(names)
            yield [together] if together else [each for each in names if each.type != "PERSON"]
    yield from fitting
    last = turns[-1]  # its names of other types are also candidates, because types may be wrong
    wrong = [each for each in last.named if not each.gender and each.type != "NORP"]
    if form == "it":
        yield [each for each in wrong if " " not in each.name]
    if form in CLASSES:  # "the company" may refer to a name of unknown type
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
    """Return the names in a turn to which a pronoun may refer, most likely first.

    After a question with "when" or "where", "it" usually refers to a name in the question. After any other question, it
    usually refers to the answer.
    """
    asks_where = form == "it" and _ASKS_WHERE.match(turn.question)
    names = (*turn.named, *turn.answered_with) if asks_where else (*turn.answered_with, *turn.named)
    return _sure([each for each in names if fits(form, each)], form)


def _sure(names: list[Named], form: str) -> list[Named]:
    return sorted([each for each in names if each.type] or names, key=lambda each: each.gender != form)


def _together(names: Sequence[Named]) -> Named | None:
    """Return several people as one name ("A, B and C") to which "they" can refer, or None if not all are people."""
    people = distinct_names(names)
    if len(people) < 2 or any(each.type != "PERSON" for each in names):
        return None
    return Named(f"{', '.join(people[:-1])} and {people[-1]}", "PERSON")


def _expected_types(question: str) -> frozenset[str]:
    words = (word.lower() for word in _WORD.findall(question))
    return next((_KINDS[word] for word in words if word in _KINDS), frozenset())
