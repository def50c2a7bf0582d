"""Finds the names that a text mentions: the longest matches of a dictionary."""

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
"""Words of a name that is looked for; what a parser takes for a longer one is a list, or half a sentence."""

NOT_LOOKED_FOR = NOT_NAMES | {"LANGUAGE"}
"""A language is a name, an entity of the graph; but half of a corpus mentions "English", so it leads nowhere."""


FROM_COMMAND_LINES = {COMMAND, PACKAGE}
"""Types of names that only their place tells: "apt install remove" does not make every "Remove" a name."""


class Match(NamedTuple):
    """A name as it stands in a text: its key, its words (`first` up to, not including, `stop`), its characters."""

    key: str
    first: int
    stop: int
    start: int
    end: int


def is_looked_for(key: str, type_: str) -> bool:
    """Whether to search other texts for a name that a parser found."""
    types = types_left_out(key)
    return types is not None and type_ not in types


def types_left_out(key: str) -> Set[str] | None:
    """The types as which a name is not looked for in other texts; None where it is not, whatever it was taken for."""
    words = key.count(" ") + 1
    if not key or words > LONGEST_NAME_WORDS or key in LABELS or key in LITERALS:
        return None
    if words == 1 and (key in FUNCTION_WORDS or key.isdigit() or len(key) == 1):
        return None
    return NOT_LOOKED_FOR | FROM_COMMAND_LINES if key.isalpha() else NOT_LOOKED_FOR


class PossibleNames(NamedTuple):
    """The keys that a dictionary may find in a text: all of `LONGEST_NAME_WORDS` words or fewer, and how longer ones
    begin, with a space at the end."""

    keys: set[str]
    beginnings: set[str]


def possible_names(tokens: Tokens) -> PossibleNames:
    """What a dictionary of all names there could be would find in a text."""
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
    """A set of keys in which the longest one that begins at a word is found fast. O(its words) a word of text."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self._keys: set[str] = set()
        self._longest: dict[str, int] = {}
        """Words of the longest key that begins with a word."""
        for key in keys:
            self.add(key)

    def add(self, key: str) -> None:
        """Looks for this name too."""
        words = key.split()
        if words:
            self._keys.add(key)
            self._longest[words[0]] = max(len(words), self._longest.get(words[0], 0))

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __len__(self) -> int:
        return len(self._keys)

    def at(self, tokens: Tokens, first: int) -> Iterator[Match]:
        """The names that begin at a word, the longest first."""
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
        """From left to right the longest name that begins at a capitalised word, none within another."""
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
        """The names that are recognised by their shape, in lower case too, whatever stands around them."""
        for shape in tokens.shapes:
            if shape.key in self._keys:
                first, stop = bisect_right(tokens.ends, shape.start), bisect_left(tokens.starts, shape.end)
                yield Match(shape.key, first, stop, shape.start, shape.end)

    def anywhere(self, tokens: Tokens) -> set[str]:
        """Every name that begins at a capitalised word or has a shape, also those within others.

        A text's matches do not change when a name comes or goes that is not among these: a scanned text must be scanned
        again only if a dictionary of the changed names finds one in it.
        """
        capitalised = (first for first, capital in enumerate(tokens.capital) if capital)
        found = {match.key for first in capitalised for match in self.at(tokens, first)}
        return found.union(match.key for match in self.shaped(tokens))


def mentioned_names(tokens: Tokens, names: NameDictionary, about: NameDictionary) -> list[Match]:
    """Mentions of a text, in text order: found with all names, or only with those that a text is about; and by shape.

    Without the second scan "Francis Ford Coppola Presents" hides the man that the next passage is about.
    """
    found = {*names.scan(tokens), *about.scan(tokens), *names.shaped(tokens)}
    return sorted(found, key=lambda match: (match.first, -match.stop, match.key))
