"""Names that differ in a letter: "Bahram Bayzai" is whom a text about "Bahram Beyzai" is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

LONGEST_MISSPELT_WORDS = 6
LEAST_MISSPELT_LETTERS = 5
"""Letters of the words that differ; in shorter ones a letter more makes another name: "Ann Lee", "Anna Lee"."""


class Spellings:
    """Names of 2–6 words, by all their words but one."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self._but_one: dict[tuple[str, ...], list[tuple[str, str]]] = {}
        for key in dict.fromkeys(keys):
            self.add(key)

    def add(self, key: str) -> None:
        """Looks for other spellings of this name too; one must not be added twice."""
        for word, others in but_one(key):
            self._but_one.setdefault(others, []).append((word, key))

    def of(self, key: str) -> Iterator[str]:
        """The names in which one word is written with one letter more, less or other than in this one."""
        for word, others in but_one(key):
            for similar, name in self._but_one.get(others, ()):
                if name != key and one_edit_apart(word, similar):
                    yield name


def one_edit_apart(a: str, b: str) -> bool:
    """Whether a letter inserted, left out or replaced makes one word the other; False for equal ones."""
    if len(a) > len(b):
        a, b = b, a
    if len(b) - len(a) > 1 or a == b:
        return False
    same = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    return a[same:] == b[same + 1 :] or a[same + 1 :] == b[same + 1 :]


def but_one(key: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every word of a name that may be written otherwise, with the name without it, its place marked."""
    words = tuple(key.split())
    if 2 <= len(words) <= LONGEST_MISSPELT_WORDS:
        for place, word in enumerate(words):
            if len(word) >= LEAST_MISSPELT_LETTERS and word.isalpha():
                yield word, (*words[:place], "", *words[place + 1 :])
