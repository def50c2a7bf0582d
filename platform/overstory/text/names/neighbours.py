"""Finds the names whose aliases may change when a name is added or removed.

If `names_of_leads` is given only these names, it returns the same result for them as for all names of the corpus. They
are found by their beginning or end. A short form begins with the same word as the full name. An abbreviation ends with
the same word. Two names that differ in one letter have an equal first or second half.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from overstory.text.names import abbreviations, keys
from overstory.text.names.abbreviations import FullNames
from overstory.text.names.keys import Spellings
from overstory.text.names.subject_names import short_forms

ARTICLES = ("", "the ", "a ", "an ")
"""Articles with which the key of a full name may begin. `short_forms` removes such an article."""

_LONGEST_NEIGHBOUR_CHARACTERS = 10_000


class Seek(NamedTuple):
    """A search for names with a given beginning or end.

    Attributes:
        start: beginning of the names, or their end with its characters reversed.
        within: text that the names must also contain. A space in it also matches at the beginning of a name.
        least, most: minimum and maximum length of the names.
    """

    start: str
    within: str = ""
    least: int = 0
    most: int = _LONGEST_NEIGHBOUR_CHARACTERS


class Seeks(NamedTuple):
    """Searches for names by their beginning, and searches by their end."""

    beginning: set[Seek]
    ending: set[Seek]


def seek_others(leads: Iterable[str]) -> Seeks:
    """Return searches for abbreviations and misspellings of full names.

    Short forms need no search, because `short_forms` returns them.
    """
    seeks = Seeks(set(), set())
    for lead in leads:
        *firsts, last = lead.split()
        if 1 <= len(firsts) < abbreviations.LONGEST_ABBREVIATED_WORDS:
            seeks.ending.update(Seek(f" {last}"[::-1], f" {letter}") for letter in {word[0] for word in firsts})
        _seek_spellings(seeks, lead)
    return seeks


def seek_leads(keys: Iterable[str]) -> Seeks:
    """Return searches for the full names that these keys may shorten, abbreviate or misspell."""
    seeks = Seeks(set(), set())
    for key in keys:
        first, *others = key.split()
        if not others:
            continue
        seeks.beginning.update(Seek(f"{article}{first} ", f" {others[0]}", len(key) + 2) for article in ARTICLES)
        seeks.ending.add(Seek(f" {others[-1]}"[::-1], f" {first[0]}"))
        _seek_spellings(seeks, key)
    return seeks


def other_names_among(leads: Collection[str], keys: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield candidate (full name, key) pairs that may refer to the same entity.

    They include every pair that `names_of_leads` returns.
    """
    for lead in leads:
        for short in short_forms(lead):
            if short in keys:
                yield lead, short
    full_names, similar = FullNames(leads), Spellings(leads)
    for key in keys:
        for lead in full_names.of(key):
            yield lead, key
        for lead in similar.of(key):
            yield lead, key


def _seek_spellings(seeks: Seeks, key: str) -> None:
    """Add searches for names that differ from a key in one letter, and therefore have an equal first or second half."""
    words = key.split()
    if 2 <= len(words) <= keys.LONGEST_MISSPELT_WORDS and any(
        len(word) >= keys.LEAST_MISSPELT_LETTERS for word in words
    ):
        half = len(key) // 2
        seeks.beginning.add(Seek(key[:half], "", len(key) - 1, len(key) + 1))
        seeks.ending.add(Seek(key[half:][::-1], "", len(key) - 1, len(key) + 1))
