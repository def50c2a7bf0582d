"""Index lookups for names that may be affected when a name is added or removed.

`names_of_leads` gives the same result for these names as for all names of the corpus. Each is found by its beginning or
end: a short form starts with the same word as the full name, an abbreviation ends with the same word, and two names
that differ in one letter have an equal first or second half.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from overstory.text.names import abbreviations, keys
from overstory.text.names.abbreviations import FullNames
from overstory.text.names.keys import Spellings
from overstory.text.names.subject_names import short_forms

ARTICLES = ("", "the ", "a ", "an ")
"""Articles that `short_forms` may have removed from the beginning of a key."""

_LONGEST_NEIGHBOUR_CHARACTERS = 10_000
"""Upper bound on the length of names."""


class Seek(NamedTuple):
    """A search for names with a common beginning or end.

    `within` must also occur in the name, whose beginning counts as preceded by a space. `least` and `most` bound the
    length of the name.
    """

    start: str
    within: str = ""
    least: int = 0
    most: int = _LONGEST_NEIGHBOUR_CHARACTERS


class Seeks(NamedTuple):
    """Searches by the beginning of names, and by their end with the characters reversed."""

    beginning: set[Seek]
    ending: set[Seek]


def seek_others(leads: Iterable[str]) -> Seeks:
    """Return searches for abbreviations and misspellings of full names. `short_forms` gives the short forms."""
    seeks = Seeks(set(), set())
    for lead in leads:
        *firsts, last = lead.split()
        if 1 <= len(firsts) < abbreviations.LONGEST_ABBREVIATED_WORDS:
            seeks.ending.update(Seek(f" {last}"[::-1], f" {letter}") for letter in {word[0] for word in firsts})
        _seek_spellings(seeks, lead)
    return seeks


def seek_leads(keys: Iterable[str]) -> Seeks:
    """Return searches for full names. The keys may be short forms, abbreviations or misspellings of these names."""
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
    """Yield (full name, key) pairs that may name the same entity: a superset of the pairs of `names_of_leads`."""
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
    """Add searches for names that differ in one letter: the letter is in one half, so the other half is equal."""
    words = key.split()
    if 2 <= len(words) <= keys.LONGEST_MISSPELT_WORDS and any(
        len(word) >= keys.LEAST_MISSPELT_LETTERS for word in words
    ):
        half = len(key) // 2
        seeks.beginning.add(Seek(key[:half], "", len(key) - 1, len(key) + 1))
        seeks.ending.add(Seek(key[half:][::-1], "", len(key) - 1, len(key) + 1))
