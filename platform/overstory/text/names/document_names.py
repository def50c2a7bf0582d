"""Finds the names in a document that certainly mean the same entity, and the names that may mean several.

"Whelan" is Dora Whelan in a document whose only Whelan she is. In a document with Ann and Dora Whelan, "Whelan" is no
name of either. The result depends on the names in the document alone, so that other documents never change it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from overstory.text.function_words import word_set
from overstory.text.names.same_names import REASONS, Form, MergeReason, WrittenName, blocks_of, same_name

_CERTAIN: frozenset[Form] = frozenset({"joined", "umlaut", "initial", "left out", "acronym", "legal"})
"""Differences in spelling that mean the same entity if a document has both names. The others are only suggested."""
_IN_ORDER: frozenset[Form] = frozenset({"initial", "left out"})
"""Differences that count only if the document has the longer name first."""

_PERSON = "PERSON"
_PLACES = frozenset({"GPE", "LOC", "FAC", "NORP", "LANGUAGE"})
_MOST_NAMES_COMPARED = 40
"""Maximum number of names in a block. In a larger one, such as a list of people with one last name, none is certain."""
_FULL_NAME_WORDS = range(2, 5)
_LEAST_LONE_LETTERS = 3
_SUFFIXES = frozenset({"jr", "sr", "junior", "senior", "ii", "iii", "iv"})
_WITHIN_FULL_NAMES = word_set("von van der den de la le du di da dos bin ibn al")
_OF_PLACES = word_set("mount lake river cape fort port saint st san santa sankt")
"""First words of the names of places that parsers take for people."""


class DocumentName(NamedTuple):
    """A mention of a name in a document, as the parser found it.

    Attributes:
        place: number of the chunk in the document, and of the sentence in the chunk.
    """

    key: str
    surface: str
    type: str
    place: tuple[int, int]


def same_in_document(mentions: Iterable[DocumentName]) -> dict[str, str]:
    """Return the names of a document that stand for another of its names, as a map from key to key.

    A part of a name stands for the name only if an earlier sentence has the name. The value is "" for a first or
    last name that several people of the document bear. No value is itself a key.
    """
    names, places = _written(mentions)
    into = dict(_certain_pairs(names, places))
    resolved = {key: _end(into, key) for key in into}
    bearers: dict[str, set[str]] = {}
    for name in names.values():
        words = _words_of_a_person(name)
        if words and name.key not in resolved:
            for word in {words[0], words[-1]}:
                bearers.setdefault(word, set()).add(name.key)
    lone = {key for key, name in names.items() if key in bearers and _may_be_a_person(name)}
    for key in sorted(lone):
        first, *others = sorted(bearers[key])
        if others:
            resolved[key] = ""
        elif places[first] < places[key] and not any(bearers[word] == {first} for word in lone - {key}):
            resolved[key] = first  # both "Square" and "Enix" are other companies than "Square Enix"
    return resolved


def merge_reason(key: str, into: str) -> MergeReason | None:
    """Return why a document's name was merged into another, or None if it was merged by hand."""
    if len(key.split()) == 1 and key in (into.split()[0], into.split()[-1]):
        return "part"
    one, other = (WrittenName(each, each.upper(), type_, 1) for each, type_ in ((key, ""), (into, "")))
    for type_ in ("", _PERSON, "ORG"):
        found = same_name(one._replace(type=type_), other._replace(type=type_))
        if found is not None:
            return REASONS[found.form]
    return None


def _written(mentions: Iterable[DocumentName]) -> tuple[dict[str, WrittenName], dict[str, tuple[int, int]]]:
    """Return the names of a document with their most frequent type, and where each occurs first."""
    surfaces: dict[str, Counter[str]] = {}
    types: dict[str, Counter[str]] = {}
    places: dict[str, tuple[int, int]] = {}
    for mention in mentions:
        surfaces.setdefault(mention.key, Counter())[mention.surface] += 1
        types.setdefault(mention.key, Counter())[mention.type] += 1
        places[mention.key] = min(mention.place, places.get(mention.key, mention.place))
    names = {
        key: WrittenName(
            key,
            _most(surfaces[key]),
            _most(Counter({type_: n for type_, n in types[key].items() if type_})),
            surfaces[key].total(),
            tuple(sorted(surfaces[key])),
        )
        for key in sorted(surfaces)
    }
    return names, places


def _most(counted: Mapping[str, int]) -> str:
    return min(counted, key=lambda each: (-counted[each], each)) if counted else ""


def _certain_pairs(
    names: Mapping[str, WrittenName], places: Mapping[str, tuple[int, int]]
) -> Iterator[tuple[str, str]]:
    """Yield each name that stands for exactly one other name, in order of the keys."""
    blocks: dict[str, list[WrittenName]] = {}
    for name in names.values():
        for block in blocks_of(name):
            blocks.setdefault(block, []).append(name)
    others: dict[str, set[tuple[str, Form]]] = {}
    for some in blocks.values():
        for one, other in combinations(some if len(some) <= _MOST_NAMES_COMPARED else (), 2):
            found = same_name(one, other)
            if found is not None and found.form in _CERTAIN:
                short, long = _shorter_first(found.name, found.into)
                others.setdefault(short.key, set()).add((long.key, found.form))
    for key, candidates in sorted(others.items()):
        (into, form), *more = sorted(candidates)
        if not more and (form not in _IN_ORDER or places[into] <= places[key]):
            yield key, into


def _shorter_first(one: WrittenName, other: WrittenName) -> Sequence[WrittenName]:
    return sorted((one, other), key=lambda each: (len(each.key), each.key))


def _end(into: Mapping[str, str], key: str) -> str:
    while key in into:  # ends, because a name only stands for a longer one, or for a later one of the same length
        key = into[key]
    return key


def _words_of_a_person(name: WrittenName) -> list[str]:
    """Return the words of a full name without a suffix such as "Jr.", or [] if it is not certainly a person's."""
    words = name.key.split()
    while len(words) > 1 and words[-1] in _SUFFIXES:
        words.pop()
    if (
        name.type != _PERSON
        or len(words) not in _FULL_NAME_WORDS
        or words[0] in _OF_PLACES
        or not all(word.isalpha() for word in words)
        or len(words[-1]) < _LEAST_LONE_LETTERS
        or not all(word[0].isupper() or word in _WITHIN_FULL_NAMES for word in name.name.split())
    ):
        return []
    return words


def _may_be_a_person(name: WrittenName) -> bool:
    return name.type not in _PLACES and len(name.key) >= _LEAST_LONE_LETTERS and not name.name.isupper()
