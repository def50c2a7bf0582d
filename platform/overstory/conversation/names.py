"""Finds the names in questions and answers, with their types, to resolve pronouns in follow-up questions."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from overstory.answer import without_citations
from overstory.answer.answer_type import types_asked_for
from overstory.display import shortened
from overstory.errors import ModelError
from overstory.model import ChunkText, Hit, Mention
from overstory.protocols import Extractor
from overstory.text.coreference.chains import CLASSES
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.names.keys import entity_key, without_parentheses
from overstory.text.questions.antecedents import Named, Turn

_LONGEST_TURN_CHARACTERS = 500
"""Maximum number of characters stored of a question, and of an answer."""
_LONGEST_TEXT_READ_CHARACTERS = 1_000
"""Number of characters at the beginning of a text that are searched for names."""
_MOST_NAMES_OF_AN_ANSWER = 3
"""Maximum number of names in an answer that a later pronoun can refer to."""

NAMES_OF_NLP = "ner"
_YEAR_DIGITS = 4
_WHO_IS = re.compile(r"\W*(?:who|what)\s+(?:is|was|are|were)\s+(?P<name>\w[^?]*)\?*\s*", re.IGNORECASE)
_WHAT_OF = re.compile(r"\W*what\s+(?:is|was|are|were)\s+the\s+(?:\w+\s){1,3}of\b", re.IGNORECASE)
_IS_DEFINED = re.compile(r"\s(?:is|was|are|were)\s(?:an?|the|one of the)\s(?P<what>(?:[\w'’/-]+\s?){1,8})")
_NO_HEAD = re.compile(r"\w+(?:ed|ly)|written|made|set|known|shot|sung|led")
_ITS = re.compile(r"\b(?:it|its)\b", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:(?P<he>he|his|him)|(?P<she>she|her|hers))\b", re.IGNORECASE)
_RUN = re.compile(r"(?<!\w)(?:\d+|(?=[^\W\d_])[^\W\d_a-z]\w*+(?:(?:\.? |-)(?=[^\W\d_])[^\W\d_a-z]\w*+)*+)(?!\w)")
_LAST_WORD = re.compile(r"(?<!\w)(?P<noun>\w++)\s[\"“‘'*]*+\Z")
_IS_A = re.compile(
    r"[\"”’'*_]*\s(?:\([^()]{0,200}\)\s)?(?:is|was|are|were)\s(?:an?|the|one of the)\s(?P<what>(?:[\w'’/-]+\s?){1,8})"
)
_IN_PARENTHESES = re.compile(r"\((?P<inside>[^()]{1,60})\)")
_LONGEST_BEGINNING_CHARACTERS = 400
"""Number of characters at the beginning of a passage that are searched for a definition of its title, such as "Dracula
is a novel"."""
_LONGEST_NOUN_CHARACTERS = 30
"""Number of characters before a name that are searched for a noun, such as "novel" in "the novel Dracula"."""
_LEAST_PRONOUNS = 1
_CLEAR_GENDER_FACTOR = 3
"""A gender is certain if its pronouns are at least this many times as frequent as those of the other gender."""


def names_in(text: str, extractor: Extractor | None) -> tuple[Named, ...]:
    """Return the names in a text, in order of position.

    They are the names that the extractor finds, with their types, and other capitalised words and numbers.
    """
    text = text[:_LONGEST_TEXT_READ_CHARACTERS]
    found = {entity_key(each.surface): each for each in _mentions(text, extractor)}
    placed = [(each.start, Named(each.surface, each.type)) for key, each in found.items() if key]
    placed += [
        (start, Named(surface, _type_of_figure(surface)))
        for start, surface in _capitalised(text)
        if not any(entity_key(surface) in key or key in entity_key(surface) for key in found)
    ]
    return tuple(named for _, named in sorted(placed, key=lambda each: each[0]))


def missing_names(question: str, hits: Iterable[Hit]) -> tuple[str, ...]:
    """Return each capitalised name in a question that contains a word which no retrieved passage contains."""
    found_words = {word for hit in hits for word in entity_key(f"{hit.title} {hit.content}").split()}
    names = dict.fromkeys(surface for _, surface in _capitalised(question[:_LONGEST_TEXT_READ_CHARACTERS]))
    words = {name: entity_key(name).split() for name in names}
    return tuple(name for name in names if any(word.isalpha() and word not in found_words for word in words[name]))


def names_of_question(text: str, extractor: Extractor | None, hits: Iterable[Hit] = ()) -> tuple[Named, ...]:
    """Return the names in a question, in order of position.

    Titles of the passages found count as names, too, such as "The Wasp Factory".
    """
    found = names_in(text, extractor)
    types = {entity_key(each.name): each.type for each in found}
    places: list[tuple[int, int, Named]] = []
    for title in sorted({_title(hit) for hit in hits} - {""}, key=lambda each: (-len(each), each)):
        start, end = _place_of(title, text)
        if end and not _overlaps(start, end, places):
            name = text[start:end]
            places.append((start, end, Named(name, types.get(entity_key(name), ""))))
    for each in found:
        start = text.find(each.name)
        if not _overlaps(start, start + len(each.name), places):
            places.append((start, start + len(each.name), each))
    return tuple(named for _, _, named in sorted(places, key=lambda place: place[:2]))


def _place_of(title: str, text: str) -> tuple[int, int]:
    """Return the start and end of a title in a question, or (0, 0) if the question does not contain it.

    A title of one word must have the same case and must not be the first word of the question.
    """
    is_word = " " not in title
    found = re.search(rf"(?<!\w){re.escape(title)}(?!\w)", text, 0 if is_word else re.IGNORECASE)
    return (0, 0) if found is None or (is_word and found.start() == 0) else found.span()


def _overlaps(start: int, end: int, places: Iterable[tuple[int, int, Named]]) -> bool:
    return any(start < until and since < end for since, until, _ in places)


def names_of_answer(
    question: str, short: str, text: str, *, guess: str, extractor: Extractor | None, hits: Sequence[Hit] = ()
) -> tuple[tuple[Named, ...], tuple[Named, ...]]:
    """Return two groups of names: the names that answer the question, and the other names in the text of the answer.

    The first of these rules that applies determines the names that answer the question:

    1. The guess, if there is one.
    2. The short answer, if it is a name.
    3. The names that have a type for which the question asks, passage titles first.

    The other names do not occur in the question. They are empty under the first two rules.
    """
    asked = f" {entity_key(question)} "
    types = types_asked_for(question)
    if guess:
        wanted = entity_key(guess)
        found = _mentions(text.partition("\n")[0], extractor)
        known = [each.type for each in found if entity_key(each.surface) == wanted]
        return (Named(guess, _type_given([*known, ""][0], types)),), ()
    names: dict[str, Named] = {}
    for each in [*names_in(short, extractor), *names_in(without_citations(text), extractor)]:
        if f" {entity_key(each.name)} " not in asked:
            names.setdefault(entity_key(each.name), each)
    if short and entity_key(short) in names:
        only = names[entity_key(short)]
        return (replace(only, type=_type_given(only.type, types)),), ()
    titles = {entity_key(_title(hit)): _title(hit) for hit in hits}
    given = [] if _asks_who_is(question) else [each for each in names.values() if _is_asked_for(each, types)]
    begins = [each for each in names.values() if short.startswith(each.name)] if _WHAT_OF.match(question) else []
    given = sorted([*given, *(begins if not types else ())], key=lambda each: entity_key(each.name) not in titles)
    others = [each for each in names.values() if each not in given]
    whole = [_in_full(each, titles) for each in given[:_MOST_NAMES_OF_AN_ANSWER]]
    return tuple(whole), tuple(others[:_MOST_NAMES_OF_AN_ANSWER])


def _type_given(known: str, types: Sequence[str]) -> str:
    """Return the type of a name that answers a question.

    The known type is kept if the question asks for it, or if the question asks "who", which may be a company.

    Args:
        known: type of the name; "" if unknown.
    """
    return known if not types or known in types or (known and "PERSON" in types) else types[0]


def _is_asked_for(named: Named, types: Sequence[str]) -> bool:
    return named.type in types or (bool(types) and not named.type)


def _asks_who_is(question: str) -> bool:
    """Return True for a question such as "Who is Amy Johnson?", but not for "Who is the mayor of Ulm?"."""
    found = _WHO_IS.fullmatch(question)
    return found is not None and all(word[0].isupper() for word in found["name"].split())


def _in_full(named: Named, titles: Mapping[str, str]) -> Named:
    """Expand a family name to the full name if exactly one title ends with it: "Banks" becomes "Iain Banks".

    Args:
        titles: map from the key of each passage title to the title.
    """
    if named.type != "PERSON" or " " in named.name:
        return named
    fuller = [title for key, title in titles.items() if key.endswith(f" {entity_key(named.name)}")]
    return replace(named, name=fuller[0]) if len(fuller) == 1 else named


def _title(hit: Hit) -> str:
    return without_parentheses(hit.title).strip()


def described(names: Iterable[Named], hits: Iterable[Hit]) -> tuple[Named, ...]:
    """Return the names with the types and genders that the passages indicate.

    Nouns indicate types ("the novel Dracula", "Nosferatu is a silent film") and override the types that the extractor
    found. Pronouns indicate genders.
    """
    hits = list(hits)
    texts = [hit.content[:_LONGEST_TEXT_READ_CHARACTERS] for hit in hits]
    return tuple(_described(each, hits, texts) for each in names)


def _described(named: Named, hits: Sequence[Hit], texts: Sequence[str]) -> Named:
    nouns = [*_nouns_from_titles(named.name, hits), *(noun for text in texts for noun in _nouns_near(named.name, text))]
    kinds = CLASSES[nouns[0]] if nouns else frozenset({named.type})
    kind = named.type if named.type in kinds else max(kinds)
    kind = "" if kind == "PERSON" and not nouns and _is_it(named.name, hits) else kind
    return Named(named.name, kind, _gender(named.name, hits) if kind in ("PERSON", "") else "")


def _nouns_from_titles(name: str, hits: Sequence[Hit]) -> Iterator[str]:
    """Yield nouns that describe a name, from passages with the name as title.

    Both "Alphaville (band)" as title and "Alphaville is a German band" as text yield "band".
    """
    for hit in _titled(name, hits):
        qualifier = _IN_PARENTHESES.search(hit.title)
        words = qualifier["inside"].lower().split() if qualifier else ()
        yield from (word for word in words if word in CLASSES)
        begins = _IS_DEFINED.search(hit.content[:_LONGEST_BEGINNING_CHARACTERS])
        noun = _noun_of(begins["what"]) if begins else ""
        yield from [noun] if noun else []


def _is_it(name: str, hits: Sequence[Hit]) -> bool:
    """Return True if the passages with this name as title contain "it" but neither "he" nor "she"."""
    texts = [hit.content[:_LONGEST_TEXT_READ_CHARACTERS] for hit in _titled(name, hits)]
    return any(map(_ITS.search, texts)) and not any(map(_PRONOUN.search, texts))


def _titled(name: str, hits: Iterable[Hit]) -> list[Hit]:
    key = entity_key(name)
    return [hit for hit in hits if entity_key(_title(hit)) == key]


def _nouns_near(name: str, text: str) -> Iterator[str]:
    at = text.find(name)
    while at >= 0:
        before = _LAST_WORD.search(text, max(0, at - _LONGEST_NOUN_CHARACTERS), at)
        after = _IS_A.match(text, at + len(name))
        nouns = [before["noun"].lower() if before else "", _noun_of(after["what"]) if after else ""]
        yield from (noun for noun in nouns if noun in CLASSES)
        at = text.find(name, at + len(name))


def _noun_of(phrase: str) -> str:
    """Return the head noun of a phrase, such as "band" for "heavy metal band formed".

    The result is "" if the noun is not in `CLASSES`.
    """
    words = list(itertools.takewhile(lambda word: word not in FUNCTION_WORDS, phrase.lower().split()))
    while words and words[-1] not in CLASSES and _NO_HEAD.fullmatch(words[-1]):
        words.pop()
    return words[-1] if words and words[-1] in CLASSES else ""


def _gender(name: str, hits: Iterable[Hit]) -> str:
    key = entity_key(name)
    counts = Counter[str]()
    for hit in hits:
        about = entity_key(hit.title or hit.content[: len(name)])
        if key and f" {key} " in f" {about} ":
            found = _PRONOUN.finditer(hit.content[:_LONGEST_TEXT_READ_CHARACTERS])
            counts.update(match.lastgroup or "" for match in found)
    for gender, other in (("he", "she"), ("she", "he")):
        if counts[gender] >= max(_LEAST_PRONOUNS, _CLEAR_GENDER_FACTOR * counts[other]):
            return gender
    return ""


def _capitalised(text: str) -> Iterator[tuple[int, str]]:
    """Yield each sequence of capitalised words and each number, with its offset.

    A single word at the beginning of the text is skipped.
    """
    for match in _RUN.finditer(text):
        words = match.group().split()
        start = match.start()
        while words and words[0].lower() in FUNCTION_WORDS:
            start += len(words.pop(0)) + 1
        surface = text[start : match.end()]
        if words and not any(word[0].islower() for word in words) and (start > 0 or len(words) > 1):
            yield start, surface


def _mentions(text: str, extractor: Extractor | None) -> list[Mention]:
    # Only the `ner` extractor is used here: others may call a language model, which would be too expensive.
    if extractor is None or extractor.by != NAMES_OF_NLP or not text.strip():
        return []
    try:
        return [each for found in extractor.extract([ChunkText("", "", "", text)]) for each in found.mentions]
    except ModelError:  # the extractor's model is not installed, so names have no types
        return []


def _type_of_figure(surface: str) -> str:
    if any(char.isalpha() for char in surface):
        return ""
    return "DATE" if surface.isdigit() and len(surface) == _YEAR_DIGITS else "CARDINAL"


def turn_of(
    question: str,
    short: str,
    text: str,
    extractor: Extractor | None,
    *,
    guess: str = "",
    hits: Sequence[Hit] = (),
    chunks: tuple[str, ...] = (),
) -> Turn:
    """Create a turn from a question and its answer, with the names in both.

    Args:
        text: the full answer; "" if the question was not answered.
        guess: see `Answer.guess`.
        hits: the passages found, which indicate the types and genders of the names.
        chunks: ids of the cited passages.
    """
    named = names_of_question(question, extractor, hits)
    given, others = names_of_answer(question, short, text, guess=guess, extractor=extractor, hits=hits)
    return Turn(
        question=shortened(question, _LONGEST_TURN_CHARACTERS),
        answer=shortened(short, _LONGEST_TURN_CHARACTERS),
        named=described(named, hits),
        answered_with=described(given, hits),
        chunks=chunks,
        mentioned=described(others, hits),
    )
