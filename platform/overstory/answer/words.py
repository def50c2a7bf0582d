"""The words of questions and passages that carry a meaning, and those of names."""

from __future__ import annotations

import re
from collections.abc import Iterable

from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.names.keys import entity_key, key_words

_POSSESSIVE = re.compile(r"['’]s\b")
_STEM_LETTERS = 5  # what two forms of a word have in common
_ENDINGS = ("ing", "ed", "es", "s", "er", "ion", "ly")
_LEAST_STEM_LETTERS = 4  # left of a word without its ending
_TOKEN = re.compile(r"\w+(?:['’_./-]\w+)*")
_INSIDE = re.compile(r"[\d_]|(?<=\w)[A-Z]")
"""What makes a token a name also at the beginning of a question."""
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Letters of scripts without spaces between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""


def content_words(text: str) -> frozenset[str]:
    """The words that carry meaning, without their endings; of scripts without spaces, all pairs of letters."""
    words = (word for word in key_words(text) if word not in FUNCTION_WORDS)
    return frozenset(part for word in words for part in _parts(word))


def _parts(word: str) -> Iterable[str]:
    if _UNSPACED.search(word):
        return (word[at : at + 2] for at in range(max(1, len(word) - 1)))
    return (_stem(word),)


def _stem(word: str) -> str:
    """Cheap, and the same for "report" and "reporting": only equality matters."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM_LETTERS:
            return word[: -len(ending)][:_STEM_LETTERS]
    return word[:_STEM_LETTERS]


def name_words(question: str) -> frozenset[str]:
    """Content words of what the question writes like a name, a number or an identifier."""
    tokens = _TOKEN.findall(question)
    names = [token for at, token in enumerate(tokens) if _INSIDE.search(token) or (at and token[0].isupper())]
    return frozenset(word for name in names for word in content_words(name))


def padded(text: str) -> str:
    """Its words between spaces, so that whole words are found in it, also where they are possessives, or parts of an
    identifier."""
    return f" {entity_key(_POSSESSIVE.sub('', text)).replace('_', ' ')} "
