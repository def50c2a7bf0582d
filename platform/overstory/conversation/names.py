"""The names in questions and answers, with their types, and who "he" and "she" may be."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from overstory.answer import Answer, without_citations
from overstory.answer.answer_type import types_asked_for
from overstory.errors import ModelError
from overstory.model import ChunkText, Hit, Mention
from overstory.protocols import Extractor
from overstory.text.coreference.chains import CLASSES
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.names.keys import entity_key
from overstory.text.questions.follow_up import Named

LONGEST_TEXT_READ_CHARACTERS = 1_000
"""Characters of a text that names are looked for in."""
MOST_NAMES_OF_AN_ANSWER = 3
"""Names of an answer that a pronoun may stand for."""

NAMES_OF_NLP = "ner"
_YEAR_DIGITS = 4
_PRONOUN = re.compile(r"\b(?:(?P<he>he|his|him)|(?P<she>she|her|hers))\b", re.IGNORECASE)
_RUN = re.compile(r"(?<!\w)(?:\d+|(?=[^\W\d_])[^\W\d_a-z]\w*+(?:(?:\.? |-)(?=[^\W\d_])[^\W\d_a-z]\w*+)*+)(?!\w)")
_LAST_WORD = re.compile(r"(?<!\w)(?P<noun>\w++)\s[\"“‘'*]*+\Z")
_IS_A = re.compile(r"[\"”’'*_]*\s(?:is|was|are|were)\s(?:an?|the|one of the)\s(?P<what>(?:[\w-]+\s?){1,5})")
LONGEST_NOUN_CHARACTERS = 30
"""Characters before a name that may be a noun and a quotation mark."""
_LEAST_PRONOUNS = 1
_CLEAR_GENDER_FACTOR = 3
"""Times as many of one gender as of the other."""


def names_in(text: str, extractor: Extractor | None) -> tuple[Named, ...]:
    """The names of a question, in its order: those that the pipeline finds, with their types, and other words with
    capitals; without a pipeline no types."""
    text = text[:LONGEST_TEXT_READ_CHARACTERS]
    found = {entity_key(each.surface): each for each in _mentions(text, extractor)}
    placed = [(each.start, Named(each.surface, each.type)) for key, each in found.items() if key]
    placed += [
        (start, Named(surface, _type_of_figure(surface)))
        for start, surface in _capitalised(text)
        if not any(entity_key(surface) in key or key in entity_key(surface) for key in found)
    ]
    return tuple(named for _, named in sorted(placed, key=lambda each: each[0]))


def names_of_answer(answer: Answer, extractor: Extractor | None) -> tuple[Named, ...]:
    """The names that an answer gives: its guess, or those of its short form and its text that the question has not;
    those of the type that the question asks for first."""
    asked = f" {entity_key(answer.question)} "
    types = types_asked_for(answer.question)
    if answer.guess:
        wanted = entity_key(answer.guess)
        found = _mentions(answer.text.partition("\n")[0], extractor)
        known = [each.type for each in found if entity_key(each.surface) == wanted]
        return (Named(answer.guess, [*types, *known, ""][0]),)
    read = [*names_in(answer.short, extractor), *names_in(without_citations(answer.text), extractor)]
    names: dict[str, Named] = {}
    for each in read:
        if f" {entity_key(each.name)} " not in asked:
            names.setdefault(entity_key(each.name), each)
    return tuple(sorted(names.values(), key=lambda each: each.type not in types)[:MOST_NAMES_OF_AN_ANSWER])


def described(names: Iterable[Named], hits: Iterable[Hit]) -> tuple[Named, ...]:
    """Names as passages speak of them: what they say that each is ("the novel Dracula", "Nosferatu is a silent film"),
    which a pipeline may take for a person, and of people whether they are "he" or "she"."""
    hits = list(hits)
    texts = [hit.content[:LONGEST_TEXT_READ_CHARACTERS] for hit in hits]
    return tuple(_described(each, hits, texts) for each in names)


def _described(named: Named, hits: Sequence[Hit], texts: Sequence[str]) -> Named:
    nouns = [noun for text in texts for noun in _said_of(named.name, text)]
    kinds = CLASSES[nouns[0]] if nouns else frozenset({named.type})
    kind = named.type if named.type in kinds else max(kinds)
    return Named(named.name, kind, _gender(named.name, hits) if kind in ("PERSON", "") else "")


def _said_of(name: str, text: str) -> Iterator[str]:
    """Nouns that a text says of a name, before it or after "is a"."""
    at = text.find(name)
    while at >= 0:
        before = _LAST_WORD.search(text, max(0, at - LONGEST_NOUN_CHARACTERS), at)
        after = _IS_A.match(text, at + len(name))
        for noun in (before and before["noun"], *(after["what"].split() if after else ())):
            if noun and noun.lower() in CLASSES:
                yield noun.lower()
        at = text.find(name, at + len(name))


def _gender(name: str, hits: Iterable[Hit]) -> str:
    key = entity_key(name)
    counts = Counter[str]()
    for hit in hits:
        about = entity_key(hit.title or hit.content[: len(name)])
        if key and f" {key} " in f" {about} ":
            found = _PRONOUN.finditer(hit.content[:LONGEST_TEXT_READ_CHARACTERS])
            counts.update(match.lastgroup or "" for match in found)
    for gender, other in (("he", "she"), ("she", "he")):
        if counts[gender] >= max(_LEAST_PRONOUNS, _CLEAR_GENDER_FACTOR * counts[other]):
            return gender
    return ""


def _capitalised(text: str) -> Iterator[tuple[int, str]]:
    """Runs of words with capitals, and numbers; not the one word that begins the text."""
    for match in _RUN.finditer(text):
        words = match.group().split()
        start = match.start()
        while words and words[0].lower() in FUNCTION_WORDS:
            start += len(words.pop(0)) + 1
        surface = text[start : match.end()]
        if words and not any(word[0].islower() for word in words) and (start > 0 or len(words) > 1):
            yield start, surface


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
    return "DATE" if surface.isdigit() and len(surface) == _YEAR_DIGITS else "CARDINAL"
