"""The language of a short text, by its most frequent words."""

from __future__ import annotations

import functools
import importlib

from overstory.text.names.keys import key_words

LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt", "sv", "da", "nb", "pl", "fi")
"""Those that are told apart, by their ISO codes; English first, which a tie or a text of names is taken for."""


@functools.lru_cache(maxsize=len(LANGUAGES))
def stop_words(language: str) -> frozenset[str]:
    """The words of a language that carry a sentence and name nothing, from spaCy's lists."""
    return frozenset(importlib.import_module(f"spacy.lang.{language}.stop_words").STOP_WORDS)


def language_of(text: str) -> str:
    """The language whose most frequent words a text has most of."""
    words = set(key_words(text))
    return max(LANGUAGES, key=lambda language: (len(words & stop_words(language)), -LANGUAGES.index(language)))
