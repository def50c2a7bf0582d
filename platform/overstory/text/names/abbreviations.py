"""Finds the full names that a name may abbreviate, as "R. G. Springsteen" does "Robert G. Springsteen"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

LONGEST_ABBREVIATED_WORDS = 7
_PREFIX_LETTERS = 3
"""Minimum length of a shortened first name. "Wil" may stand for "William", but "Al" may not stand for "Albert"."""


class FullNames:
    """An index of full names by their last word. Only names with two to seven words are added."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self._by_last: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
        for key in dict.fromkeys(keys):
            self.add(key)

    def add(self, key: str) -> None:
        """Add a full name. A name must not be added twice."""
        words = tuple(key.split())
        if 2 <= len(words) <= LONGEST_ABBREVIATED_WORDS:
            self._by_last.setdefault(words[-1], []).append((key, words[:-1]))

    def of(self, key: str) -> Iterator[str]:
        """Yield the full names that a name of at least two words may abbreviate, except the name itself."""
        *words, last = key.split()
        if words:
            for full, firsts in self._by_last.get(last, ()):
                if full != key and compatible(words, firsts):
                    yield full


def compatible(short: Iterable[str], full: Iterable[str]) -> bool:
    """Return True if the first names in a short name match those in a full name, in order.

    Two first names match if they are equal, if one is the other's initial, or if the short one is a prefix of at least
    three letters. Joined initials ("jrr") are also compared letter by letter.
    """
    names = list(full)
    return any(_in_order(variant, names) for variant in _spelt_out(list(short), names))


def _spelt_out(short: list[str], full: list[str]) -> Iterator[list[str]]:
    yield short
    apart = [part for word in short for part in (word if 2 <= len(word) <= 3 and word not in full else [word])]
    if apart != short:
        yield apart


def _in_order(short: list[str], full: list[str]) -> bool:
    position = 0
    for word in short:
        while position < len(full) and not _stands_for(word, full[position]):
            position += 1
        if position == len(full):
            return False
        position += 1
    return True


def _stands_for(short: str, full: str) -> bool:
    if len(short) == 1 or len(full) == 1:
        return short[0] == full[0]
    return full == short or (len(short) >= _PREFIX_LETTERS and full.startswith(short))
