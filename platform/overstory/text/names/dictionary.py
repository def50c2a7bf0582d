"""Finds the names from a dictionary in texts."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Set
from typing import NamedTuple

from overstory.text.extraction.mentions import NOT_NAMES
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.names.shapes import COMMAND, PACKAGE
from overstory.text.names.stop_names import LABELS, LITERALS
from overstory.text.names.tokens import Tokens

LONGEST_NAME_WORDS = 8
"""Maximum number of words in a name. A longer "name" that a parser finds is a list or half a sentence."""

NOT_LOOKED_FOR = NOT_NAMES | {"LANGUAGE"}
"""Types of names that are not searched for in other texts. A language such as "English" may be in half of all texts."""


FROM_COMMAND_LINES = {COMMAND, PACKAGE}
"""Types of names that count only in command lines: "apt install remove" does not make every "Remove" a name."""


class Match(NamedTuple):
    """A name that was found in a text.

    Attributes:
        first: index of the name's first token.
        stop: index after the name's last token.
        start, end: character offsets of the name.
    """

    key: str
    first: int
    stop: int
    start: int
    end: int


def is_looked_for(key: str, type_: str) -> bool:
    """Return True if other texts should be searched for a name that a parser found in one text."""
    types = types_left_out(key)
    return types is not None and type_ not in types


def types_left_out(key: str) -> Set[str] | None:
    """Return the types with which a name is not searched for in other texts, or None if it is never searched for."""
    words = key.count(" ") + 1
    if not key or words > LONGEST_NAME_WORDS or key in LABELS or key in LITERALS:
        return None
    if words == 1 and (key in FUNCTION_WORDS or key.isdigit() or len(key) == 1):
        return None
    return NOT_LOOKED_FOR | FROM_COMMAND_LINES if key.isalpha() else NOT_LOOKED_FOR


class PossibleNames(NamedTuple):
    """The keys of all names that a text may contain.

    Attributes:
        keys: keys with up to `LONGEST_NAME_WORDS` words.
        beginnings: the first `LONGEST_NAME_WORDS` words of longer keys, followed by a space.
    """

    keys: set[str]
    beginnings: set[str]


def possible_names(tokens: Tokens) -> PossibleNames:
    """Return the keys that would be found in a text if they were in the dictionary."""
    forms, bare = tokens.forms, tokens.bare
    keys = {shape.key for shape in tokens.shapes}
    beginnings: set[str] = set()
    for first, capital in enumerate(tokens.capital):
        if not capital:
            continue
        for stop in range(first + 1, min(first + LONGEST_NAME_WORDS, len(forms)) + 1):
            keys.add(" ".join(forms[first:stop]))
            if stop - 1 in bare:
                keys.add(" ".join([*forms[first : stop - 1], bare[stop - 1][0]]))
        if first + LONGEST_NAME_WORDS < len(forms):
            beginnings.add(" ".join(forms[first : first + LONGEST_NAME_WORDS]) + " ")
    return PossibleNames(keys, beginnings)


class NameDictionary:
    """A dictionary of names, which finds the names that begin at a word of a text.

    A lookup takes time proportional to the number of words in the longest key with the same first word.
    """

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self._keys: set[str] = set()
        self._longest: dict[str, int] = {}
        """Map from a word to the number of words in the longest key that begins with it."""
        for key in keys:
            self.add(key)

    def add(self, key: str) -> None:
        words = key.split()
        if words:
            self._keys.add(key)
            self._longest[words[0]] = max(len(words), self._longest.get(words[0], 0))

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __len__(self) -> int:
        return len(self._keys)

    def at(self, tokens: Tokens, first: int) -> Iterator[Match]:
        """Yield the names that begin at the token with index `first`, longest first."""
        forms, bare = tokens.forms, tokens.bare
        longest = self._longest.get(forms[first], 0)
        if first in bare:
            longest = max(longest, 1)
        for stop in range(min(first + longest, len(forms)), first, -1):
            key = " ".join(forms[first:stop])
            if key in self._keys:
                yield Match(key, first, stop, tokens.starts[first], tokens.ends[stop - 1])
            elif stop - 1 in bare:
                form, end = bare[stop - 1]
                key = " ".join([*forms[first : stop - 1], form])
                if key in self._keys:
                    yield Match(key, first, stop, tokens.starts[first], end)

    def scan(self, tokens: Tokens) -> list[Match]:
        """Return the longest names that begin with a capitalised word, from left to right and without overlaps."""
        found: list[Match] = []
        after = 0
        for first, (form, capital) in enumerate(zip(tokens.forms, tokens.capital, strict=True)):
            if capital and first >= after and (form in self._longest or first in tokens.bare):
                match = next(self.at(tokens, first), None)
                if match is not None:
                    found.append(match)
                    after = match.stop
        return found

    def shaped(self, tokens: Tokens) -> Iterator[Match]:
        """Yield the technical names, which need no capitals because they are recognised by their form."""
        for shape in tokens.shapes:
            if shape.key in self._keys:
                first, stop = bisect_right(tokens.ends, shape.start), bisect_left(tokens.starts, shape.end)
                yield Match(shape.key, first, stop, shape.start, shape.end)

    def anywhere(self, tokens: Tokens) -> set[str]:
        """Return all keys that occur in a text, including keys inside longer names.

        A key occurs at a capitalised word or as a technical name, whatever other keys the dictionary contains. After a
        change to a dictionary, a text therefore needs to be scanned again only if it contains one of the changed keys.
        """
        capitalised = (first for first, capital in enumerate(tokens.capital) if capital)
        found = {match.key for first in capitalised for match in self.at(tokens, first)}
        return found.union(match.key for match in self.shaped(tokens))


def mentioned_names(tokens: Tokens, names: NameDictionary, about: NameDictionary) -> list[Match]:
    """Return the mentions of names in a text, in order.

    The text is searched for all names, and again only for the subjects of passages (`about`). Otherwise the longer name
    "Francis Ford Coppola Presents" would hide "Francis Ford Coppola".
    """
    found = {*names.scan(tokens), *about.scan(tokens), *names.shaped(tokens)}
    return sorted(found, key=lambda match: (match.first, -match.stop, match.key))
