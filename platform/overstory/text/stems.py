"""Words without their endings: by Porter's rules in English, by Snowball's in some other languages.

What is left need be no word; the same is taken off the words of a question.
"""

from __future__ import annotations

import functools
import re
import threading

import Stemmer

from overstory.text.names.keys import fold

_POSSESSIVE = re.compile("['’＇]s$", re.IGNORECASE)
_LEAST_STEMMED_CHARACTERS = 3

_ELIDED = re.compile(r"^(?:l|d|qu|n|s|j|m|t|c|jusqu|lorsqu|puisqu|dell|nell|all|dall|sull|un|quell)['’](?=\w)")
"""Articles and pronouns before a vowel, which are written in one with the word: "l'image", "dell'utente"."""
_ELIDES = frozenset(("fr", "it", "ca"))

_SNOWBALL = {
    "de": "german",
    "fr": "french",
    "es": "spanish",
    "it": "italian",
    "nl": "dutch",
}


class _Stemmers(threading.local):
    """Stemmers by the name of their rules, made for each thread: they hold the word that they work on."""

    def __init__(self) -> None:
        self._made: dict[str, Stemmer.Stemmer] = {}

    def stem(self, rules: str, word: str) -> str:
        if rules not in self._made:
            self._made[rules] = Stemmer.Stemmer(rules, 0)  # without a cache of its own
        found: str = self._made[rules].stemWord(word)
        return found


_STEMMERS = _Stemmers()


@functools.lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """A word in lower case without its possessive 's and its endings; what is no English word may be cut, too."""
    plain = _POSSESSIVE.sub("", word).lower()
    return _STEMMERS.stem("porter", plain) if len(plain) >= _LEAST_STEMMED_CHARACTERS else plain


@functools.lru_cache(maxsize=65_536)
def light_stem(word: str, language: str) -> str:
    """A word in lower case without accents and endings; of a language without rules, only in lower case.

    Args:
        language: its ISO code.
    """
    plain = word.lower()
    if language in _ELIDES:
        plain = _ELIDED.sub("", plain)
    if language == "pt":
        return _portuguese(fold(plain))
    name = _SNOWBALL.get(language)
    return fold(_STEMMERS.stem(name, plain) or plain) if name else plain


def _portuguese(word: str) -> str:
    """Takes off plurals: Snowball's rules give "opção" and "opções" two stems."""
    if len(word) < 5:
        return word
    for plural, singular in (("oes", "ao"), ("aes", "ao"), ("ais", "al"), ("eis", "el"), ("ois", "ol"), ("ns", "m")):
        if word.endswith(plural):
            word = word.removesuffix(plural) + singular
            break
    else:
        word = word[:-2] if word.endswith(("res", "zes", "ses")) else word.removesuffix("s")
    return word[:-1] if word[-1] in "aoe" else word
