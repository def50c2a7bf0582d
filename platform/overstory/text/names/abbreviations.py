"""Shortened names that stand for longer ones: "R. G. Springsteen" for "Robert G. Springsteen"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

LONGEST_ABBREVIATED_WORDS = 7
_PREFIX_LETTERS = 3
"""Letters of a first name that are enough to recognise it: "Wil" for "William", but not "Al"."""


class FullNames:
    """Names of 2–7 words, by their last one."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self._by_last: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
        for key in dict.fromkeys(keys):
            self.add(key)

    def add(self, key: str) -> None:
        """Looks for shorter forms of this name too; one must not be added twice."""
        words = tuple(key.split())
        if 2 <= len(words) <= LONGEST_ABBREVIATED_WORDS:
            self._by_last.setdefault(words[-1], []).append((key, words[:-1]))

    def of(self, key: str) -> Iterator[str]:
        """The names that a name of two words or more may be short for, itself left out."""
        *words, last = key.split()
        if words:
            for full, firsts in self._by_last.get(last, ()):
                if full != key and compatible(words, firsts):
                    yield full


def compatible(short: Iterable[str], full: Iterable[str]) -> bool:
    """Whether the words of a name before its last stand for some of a full name's, in order.

    They do if they are equal, if either is the other's initial, or if the short one begins the full one with three
    letters at least. Joined initials, as keys have them ("jrr"), are taken one by one where the full name has words.
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
