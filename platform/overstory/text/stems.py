"""The words of English texts as the full-text index compares them: without possessives and endings.

This is what Lucene's `english` analyzer does: "handbook's" and "handbooks" are "handbook", and
"writing" and "writes" are "write".

Source: Porter 1980, "An algorithm for suffix stripping", with its author's two later changes (-bli, -logi).
"""

from __future__ import annotations

import functools
import re

_CONSONANTS = "[^aeiou][^aeiouy]*"
_VOWELS = "[aeiouy][aeiou]*"
_SOME = re.compile(f"(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}")
"""At the beginning of a word: its measure is above 0."""
_ONE = re.compile(f"(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}(?:{_VOWELS})?")
"""The whole word: its measure is 1."""
_MORE = re.compile(f"(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}{_VOWELS}{_CONSONANTS}")
"""At the beginning of a word: its measure is above 1."""
_VOWEL = re.compile(f"(?:{_CONSONANTS})?[aeiouy]")
_SHORT = re.compile(f"{_CONSONANTS}[aeiouy][^aeiouwxy]")
"""The whole word: consonants, a vowel, a consonant."""
_DOUBLE = re.compile(r"([^aeiouylsz])\1$")

_LONG_ENDINGS = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble",
    "logi": "log",
}  # fmt: skip
_SECOND_ENDINGS = {
    "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": "",
}  # fmt: skip
_ENDINGS = "al ance ence er ic able ible ant ement ment ent ou ism ate iti ous ive ize"
_LAST_ENDINGS: dict[str, str] = dict.fromkeys(_ENDINGS.split(), "")

_POSSESSIVE = re.compile("['’＇]s$", re.IGNORECASE)


@functools.lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """A word in lower case without its possessive 's and its endings; what is no English word may be cut, too."""
    plain = _POSSESSIVE.sub("", word).lower()
    if len(plain) < 3:
        return plain
    if plain[0] == "y":
        return _stemmed("Y" + plain[1:]).lower()  # a consonant there
    return _stemmed(plain)


def _stemmed(word: str) -> str:
    word = _without_past(_without_plural(word))
    if word[-1] == "y" and _VOWEL.match(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, _LONG_ENDINGS, _SOME)
    word = _replaced(word, _SECOND_ENDINGS, _SOME)
    return _without_e(_without_last(word))


def _without_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word[-1] == "s" and word[-2] != "s" else word


def _without_past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _SOME.match(word[:-3]) else word
    ending = 2 if word.endswith("ed") else 3 if word.endswith("ing") else 0
    if not ending or not _VOWEL.match(word[:-ending]):
        return word
    word = word[:-ending]
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if _DOUBLE.search(word):
        return word[:-1]
    return word + "e" if _SHORT.fullmatch(word) else word


def _replaced(word: str, endings: dict[str, str], measure: re.Pattern[str]) -> str:
    """With the longest of its endings replaced, if what is before that has this measure."""
    ending = _longest(word, endings)
    before = word[: len(word) - len(ending)]
    return before + endings[ending] if ending and measure.match(before) else word


def _without_last(word: str) -> str:
    if word.endswith(("sion", "tion")) and not _longest(word, _LAST_ENDINGS):
        return word[:-3] if _MORE.match(word[:-3]) else word
    return _replaced(word, _LAST_ENDINGS, _MORE)


def _without_e(word: str) -> str:
    if word[-1] == "e":
        before = word[:-1]
        if _MORE.match(before) or (_ONE.fullmatch(before) and not _SHORT.fullmatch(before)):
            word = before
    return word[:-1] if word.endswith("ll") and _MORE.match(word) else word


def _longest(word: str, endings: dict[str, str]) -> str:
    for length in range(min(7, len(word)), 1, -1):
        if word[-length:] in endings:
            return word[-length:]
    return ""
