"""Which names to look at where a name comes or goes: those that may be other names of it, and those it may be one of.

`names_of_leads` says of a name the same with these alone as with all names of a corpus. Each is found by its beginning
or its end: a short form begins with the same word as the full name, an abbreviation ends with the same word, and of two
names that differ in a letter either the first halves are equal or the second ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from overstory.text.names import abbreviations, keys
from overstory.text.names.abbreviations import FullNames
from overstory.text.names.keys import Spellings
from overstory.text.names.subject_names import short_forms

ARTICLES = ("", "the ", "a ", "an ")
"""What a key may begin with that `short_forms` leaves out of it, once more."""

_LONGEST_NEIGHBOUR_CHARACTERS = 10_000
"""Characters; no name is longer."""


class Seek(NamedTuple):
    """Names with a beginning or an end in common.

    `within` is in the name as well, where its beginning counts as preceded by a space.
    """

    start: str
    within: str = ""
    least: int = 0
    most: int = _LONGEST_NEIGHBOUR_CHARACTERS


class Seeks(NamedTuple):
    """What names begin with, and what they end with, last character first."""

    beginning: set[Seek]
    ending: set[Seek]


def seek_others(leads: Iterable[str]) -> Seeks:
    """Finds what may abbreviate full names, or spell them otherwise; `short_forms` has the rest."""
    seeks = Seeks(set(), set())
    for lead in leads:
        *firsts, last = lead.split()
        if 1 <= len(firsts) < abbreviations.LONGEST_ABBREVIATED_WORDS:
            seeks.ending.update(Seek(f" {last}"[::-1], f" {letter}") for letter in {word[0] for word in firsts})
        _seek_spellings(seeks, lead)
    return seeks


def seek_leads(keys: Iterable[str]) -> Seeks:
    """Finds the full names of which names may be short forms, abbreviations or other spellings."""
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
    """Pairs of a full name and a key that may be another name of it: all that `names_of_leads` may join, and more."""
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
    """Whatever letter is another, more or less, stands in one half: the other half is the same."""
    words = key.split()
    if 2 <= len(words) <= keys.LONGEST_MISSPELT_WORDS and any(
        len(word) >= keys.LEAST_MISSPELT_LETTERS for word in words
    ):
        half = len(key) // 2
        seeks.beginning.add(Seek(key[:half], "", len(key) - 1, len(key) + 1))
        seeks.ending.add(Seek(key[half:][::-1], "", len(key) - 1, len(key) + 1))
