"""What a pronoun of a question stands for: a name of the questions before, or of their answers."""

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
        type: the pipeline's label ("PERSON", "GPE", …), "" if it is not known.
        gender: "he" or "she" if that is known of a person.
    """

    name: str
    type: str = ""
    gender: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """A question that was asked, as it was completed, and its short answer.

    Attributes:
        named: the names in the question, in its order.
        answered_with: the names that are the answer, of the kind that was asked for.
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
"""Turns back in which a name is looked for that has the kind which the rest of the question tells."""

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
"""Types of things by the words that are said of them alone."""

_WORD = re.compile(r"[^\W\d_]+")
_ASKS_WHERE = re.compile(r"\W*(?:when|where|since when|how (?:long|old))\b|[^?]*\b(?:in|from|on|at)\W*$", re.IGNORECASE)


def resolve_pronoun(form: str, question: str, turns: Sequence[Turn]) -> tuple[str, list[str]]:
    """What a pronoun stands for, and what else it may be; "" if there is nothing.

    What an earlier question names or was answered with counts, the last turn first, before what is only mentioned in
    the sentences of an answer. Within a turn, people of whom it is known that they are "he" or "she" come first, then
    names that are surely of a fitting type.

    Args:
        form: the first form of the pronoun, "he" for "his"; "there" stands for a place, a noun for "the film".
        question: that has it.
        turns: oldest first.
    """
    for names in _by_likelihood(form, question, turns):
        found = distinct_names(names)
        if found:
            return found[0], found[1:]
    return "", []


def fits(form: str, named: Named) -> bool:
    """Whether a pronoun may stand for a name, by its type and gender."""
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
    """Names by their keys; a part of another name is that name."""
    found: dict[str, str] = {}
    for each in names:
        key = "" if each.type in _FIGURES else entity_key(each.name)
        if key and not any(f" {key} " in f" {other} " for other in found):
            found[key] = each.name
    return list(found.values())


def _by_likelihood(form: str, question: str, turns: Sequence[Turn]) -> Iterator[list[Named]]:
    """Names that a pronoun may stand for; those of one list are about as likely as each other."""
    fitting = [_fitting(form, turn) for turn in reversed(turns)]
    expected = _expected_types(question) if form in ("it", "they") else frozenset[str]()
    for names in fitting[:_MOST_TURNS_FOR_KIND]:
        yield [each for each in names if each.type in expected]
    if form == "they":
        for names in fitting:
            together = _together(names)
            yield [together] if together else [each for each in names if each.type != "PERSON"]
    yield from fitting
    last = turns[-1]  # types are guesses: a wrong one is better asked than nothing
    wrong = [each for each in last.named if not each.gender and each.type != "NORP"]
    if form == "it":
        yield [each for each in wrong if " " not in each.name]
    if form in CLASSES:  # "the company" may also be any
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
    """Names of a turn that a pronoun may stand for, the likeliest first.

    What asks when or where something is goes on about that; another question about its answer.
    """
    asks_where = form == "it" and _ASKS_WHERE.match(turn.question)
    names = (*turn.named, *turn.answered_with) if asks_where else (*turn.answered_with, *turn.named)
    return _sure([each for each in names if fits(form, each)], form)


def _sure(names: list[Named], form: str) -> list[Named]:
    return sorted([each for each in names if each.type] or names, key=lambda each: each.gender != form)


def _together(names: Sequence[Named]) -> Named | None:
    """Several people as one name: "they" are all of them."""
    people = distinct_names(names)
    if len(people) < 2 or any(each.type != "PERSON" for each in names):
        return None
    return Named(f"{', '.join(people[:-1])} and {people[-1]}", "PERSON")


def _expected_types(question: str) -> frozenset[str]:
    """The types of things that a question can be about, by what it says of them."""
    words = (word.lower() for word in _WORD.findall(question))
    return next((_KINDS[word] for word in words if word in _KINDS), frozenset())
