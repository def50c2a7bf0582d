"""Languages of texts: their codes, their stop words, and which of a few a short text is in."""

from __future__ import annotations

import functools
import importlib.util
import re
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from overstory.text.names.keys import fold, key_words

ENGLISH = "en"

LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt", "sv", "da", "nb", "pl", "fi")
"""Those that stop words tell apart, by their ISO codes; English first, which a tie or a text of names is taken for."""

UNSPACED = frozenset(("zh", "ja"))
"""Languages that put no spaces between words."""

LANGUAGE_KEY = "language"
"""The metadata that a document has its language in, as the code of what its format says or of what was recognised."""

LANGUAGE_TAG_KEY = "language_tag"
"""The metadata with what its format says, where that is more than the code, as "fr-CA", or none, as "German"."""

_LEAST_FREQUENT_WORDS_RATIO = 2
"""How many different frequent words of its own a text must have for each English one: titles of nobility in an English
text repeat "de" and "la", but have no others."""

_TAG = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]+)*(?:[.@].*)?", re.IGNORECASE)
_WRITTEN_AS = {
    "no": "nb",
    "nn": "nb",
    "nob": "nb",
    "nno": "nb",
    "nor": "nb",
    "zho": "zh",
    "chi": "zh",
    "cmn": "zh",
    "yue": "zh",
    "wuu": "zh",
    "eng": "en",
    "deu": "de",
    "ger": "de",
    "fra": "fr",
    "fre": "fr",
    "spa": "es",
    "ita": "it",
    "nld": "nl",
    "dut": "nl",
    "por": "pt",
    "swe": "sv",
    "dan": "da",
    "pol": "pl",
    "fin": "fi",
    "jpn": "ja",
    "kor": "ko",
}
"""Codes of languages that have another here: of three letters (ISO 639-2 and 639-3), written Norwegian, and Chinese in
characters."""

_LETTER = re.compile(r"[^\W\d_]")
_LATIN_LETTER = re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")


def language_of_tag(tag: object) -> str:
    """The code of a language tag or locale in lower case, without region, script and encoding ("de" of "de-AT" and of
    "de_AT.UTF-8"); "" for what is none."""
    found = _TAG.fullmatch(tag.strip()) if isinstance(tag, str) else None
    code = found.group(1).lower() if found else ""
    return _WRITTEN_AS.get(code, code)


def foreign_language(metadata: Mapping[str, object]) -> str:
    """The language in a document's metadata where it is not English; "" for English, and where none is known.

    Texts are read as English unless this names another language.
    """
    code = language_of_tag(metadata.get(LANGUAGE_KEY))
    return "" if code == ENGLISH else code


@functools.cache
def stop_words(language: str) -> frozenset[str]:
    """The words of a language that carry a sentence and name nothing, from spaCy's lists, as it writes them and without
    accents; none where it has no list."""
    path = _list_of(language)
    if path is None:
        return frozenset()
    spec = importlib.util.spec_from_file_location(f"_overstory_stop_words_{language}", path)
    if spec is None or spec.loader is None:
        return frozenset()
    module = importlib.util.module_from_spec(spec)  # without its package, which takes a second to import
    spec.loader.exec_module(module)
    words = cast("set[str]", module.STOP_WORDS)
    return frozenset({*words, *map(fold, words)})


def is_latin(text: str) -> bool:
    """Whether at least half of the letters of a text are Latin ones."""
    return 2 * len(_LATIN_LETTER.findall(text)) >= len(_LETTER.findall(text))


def language_of(text: str) -> str:
    """The language of `LANGUAGES` whose most frequent words a text has most of; "" for one in another script."""
    if not is_latin(text):
        return ""
    words = set(key_words(text))
    return max(LANGUAGES, key=lambda language: (len(words & stop_words(language)), language == ENGLISH))


def has_words_of(text: str, language: str, other: str) -> bool:
    """Whether a text has twice as many different frequent words of a language as of another; those of both count for
    neither."""
    own, others = stop_words(language), stop_words(other)
    words = set(key_words(text))
    return len(words & (own - others)) > _LEAST_FREQUENT_WORDS_RATIO * len(words & (others - own))


def _list_of(language: str) -> Path | None:
    """The file with spaCy's stop words of a language. A code that is no module's name has none."""
    spacy = importlib.util.find_spec("spacy") if language.isalpha() and language.isascii() else None
    if spacy is None or spacy.origin is None:
        return None
    path = Path(spacy.origin).parent / "lang" / language / "stop_words.py"
    return path if path.is_file() else None
