"""Words without their endings in languages other than English: light stemmers, which take off what inflection adds.

What they leave need be no word; the same is taken off the words of a question. They cut less than Porter's does in
English: endings that make another word of one ("-ung", "-ment") stay.

Source: Savoy 2006, "Light stemming approaches for the French, Portuguese, German and Hungarian languages", with its
author's rules for Spanish and Italian, as Lucene has them, and one for German words in -nis; those for Dutch and
Portuguese take off plurals alone."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

from overstory.text.names.keys import fold

_ELIDED = re.compile(r"^(?:l|d|qu|n|s|j|m|t|c|jusqu|lorsqu|puisqu|dell|nell|all|dall|sull|un|quell)['’](?=\w)")
"""Articles and pronouns before a vowel, which are written in one with the word: "l'image", "dell'utente"."""

_ELIDES = frozenset(("fr", "it", "ca"))

_GERMAN_S = frozenset("bdfghklmnt")
"""Letters after which a German s may be an ending."""

_DOUBLED = re.compile(r"([^aeiou])\1$")


@functools.lru_cache(maxsize=65_536)
def light_stem(word: str, language: str) -> str:
    """A word in lower case without accents and endings; of a language without rules, only in lower case.

    Args:
        language: its ISO code.
    """
    plain = word.lower()
    if language in _ELIDES:
        plain = _ELIDED.sub("", plain)
    rule = _RULES.get(language)
    return rule(plain) if rule else plain


def _german(word: str) -> str:
    word = fold(word)
    if len(word) > 5 and word.endswith("ern"):
        word = word[:-3]
    elif len(word) > 4 and word.endswith(("em", "en", "er", "es")):
        word = word[:-2]
    elif len(word) > 3 and (word.endswith("e") or (word.endswith("s") and word[-2] in _GERMAN_S)):
        word = word[:-1]
    if word.endswith("niss"):
        return word[:-1]
    if len(word) > 5 and word.endswith("est"):
        return word[:-3]
    if len(word) > 4 and (word.endswith(("er", "en")) or (word.endswith("st") and word[-3] in _GERMAN_S)):
        return word[:-2]
    return word


def _french(word: str) -> str:
    if len(word) < 6:
        return fold(word)
    if word.endswith("x"):
        return fold(f"{word[:-2]}l" if word.endswith("aux") else word[:-1])
    for ending in ("s", "r", "e", "é"):
        word = word.removesuffix(ending)
    return fold(word[:-1] if word[-1] == word[-2] and word[-1].isalpha() else word)


def _spanish(word: str) -> str:
    word = fold(word)
    if len(word) < 5:
        return word
    if word[-1] in "oae":
        return word[:-1]
    if word.endswith("eses"):
        return word[:-2]
    if word.endswith("ces"):
        return f"{word[:-3]}z"
    return word[:-2] if word.endswith(("os", "as", "es")) else word


def _italian(word: str) -> str:
    word = fold(word)
    if len(word) < 6 or word[-1] not in "aeio":
        return word
    before = {"e": "ih", "i": "hi", "a": "i", "o": "i"}[word[-1]]
    return word[:-2] if word[-2] in before else word[:-1]


def _portuguese(word: str) -> str:
    word = fold(word)
    if len(word) < 5:
        return word
    for plural, singular in (("oes", "ao"), ("aes", "ao"), ("ais", "al"), ("eis", "el"), ("ois", "ol"), ("ns", "m")):
        if word.endswith(plural):
            word = word.removesuffix(plural) + singular
            break
    else:
        word = word[:-2] if word.endswith(("res", "zes", "ses")) else word.removesuffix("s")
    return word[:-1] if word[-1] in "aoe" else word


def _dutch(word: str) -> str:
    word = fold(word)
    if len(word) > 5 and word.endswith("en"):
        word = word[:-2]
    elif len(word) > 4 and word[-1] in "es":
        word = word[:-1]
    return word[:-1] if _DOUBLED.search(word) else word


_RULES: dict[str, Callable[[str], str]] = {
    "de": _german,
    "fr": _french,
    "es": _spanish,
    "it": _italian,
    "pt": _portuguese,
    "nl": _dutch,
}
