"""The names in questions and answers, with their types, and who "he" and "she" may be."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from overstory.answer import Answer
from overstory.answer.answer_type import types_asked_for
from overstory.errors import ModelError
from overstory.model import ChunkText, Hit, Mention
from overstory.protocols import Extractor
from overstory.text.names.keys import entity_key
from overstory.text.names.tokens import tokenise
from overstory.text.questions.follow_up import Named
from overstory.text.questions.names import longest_unknown

LONGEST_READ = 1_000
"""Characters of a text that names are looked for in."""
MOST_OF_ANSWER = 3
"""Names of an answer that a pronoun may stand for."""

NAMES_OF_NLP = "ner"
_YEAR = 4
_PRONOUN = re.compile(r"\b(?:(?P<he>he|his|him)|(?P<she>she|her|hers))\b", re.IGNORECASE)
_LEAST_PRONOUNS = 1
_CLEARLY = 3
"""Times as many of one gender as of the other."""


def names_in(text: str, extractor: Extractor | None) -> tuple[Named, ...]:
    """The names of a question, in its order: those that the pipeline finds, with their types, and other words with
    capitals; without a pipeline no types."""
    text = text[:LONGEST_READ]
    found = {entity_key(each.surface): each for each in _mentions(text, extractor)}
    placed = [(each.start, Named(each.surface, each.type)) for key, each in found.items() if key]
    placed += [
        (text.find(surface), Named(surface, _type_of_figure(surface)))
        for surface in longest_unknown(text, tokenise(text), found)
        if not any(entity_key(surface) in key or key in entity_key(surface) for key in found)
    ]
    return tuple(named for _, named in sorted(placed, key=lambda each: each[0]))


def names_of_answer(answer: Answer, extractor: Extractor | None) -> tuple[Named, ...]:
    """The names that an answer gives: its guess, or those of its short form that the question has not."""
    asked = entity_key(answer.question)
    if answer.guess:
        line = answer.text.partition("\n")[0]
        wanted = entity_key(answer.guess)
        types = [each.type for each in _mentions(line, extractor) if entity_key(each.surface) == wanted]
        types += types_asked_for(answer.question)
        return (Named(answer.guess, types[0] if types else ""),)
    others = [each for each in names_in(answer.short, extractor) if f" {entity_key(each.name)} " not in f" {asked} "]
    return tuple(others[:MOST_OF_ANSWER])


def with_genders(names: Iterable[Named], hits: Iterable[Hit]) -> tuple[Named, ...]:
    """The people among names with the gender that passages on them use clearly more often."""
    hits = list(hits)
    return tuple(
        Named(each.name, each.type, _gender(each.name, hits)) if each.type in ("PERSON", "") else each for each in names
    )


def _gender(name: str, hits: Iterable[Hit]) -> str:
    key = entity_key(name)
    counts = Counter[str]()
    for hit in hits:
        about = entity_key(hit.title or hit.content[: len(name)])
        if key and f" {key} " in f" {about} ":
            found = _PRONOUN.finditer(hit.content[:LONGEST_READ])
            counts.update(match.lastgroup or "" for match in found)
    for gender, other in (("he", "she"), ("she", "he")):
        if counts[gender] >= max(_LEAST_PRONOUNS, _CLEARLY * counts[other]):
            return gender
    return ""


def _mentions(text: str, extractor: Extractor | None) -> list[Mention]:
    """The names that a pipeline finds; another extractor may ask a language model, and is not asked."""
    if extractor is None or extractor.by != NAMES_OF_NLP or not text.strip():
        return []
    try:
        return [each for found in extractor.extract([ChunkText("", "", "", text)]) for each in found.mentions]
    except ModelError:  # names are found without types
        return []


def _type_of_figure(surface: str) -> str:
    if any(char.isalpha() for char in surface):
        return ""
    return "DATE" if surface.isdigit() and len(surface) == _YEAR else "CARDINAL"
