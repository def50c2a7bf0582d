"""Language codes, stop words, and a quick test of a short text's language."""

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
"""ISO codes of the languages that can be distinguished by stop words. If English and another
language are equally likely, as in a text that consists of names, English is chosen."""

UNSPACED = frozenset(("zh", "ja"))
"""Languages that are written without spaces between words."""

LANGUAGE_KEY = "language"
"""Metadata key for the language code of a document, as stated by its format or else as detected."""

LANGUAGE_TAG_KEY = "language_tag"
"""Metadata key for the language as the document's format states it, if that is not just the code: "fr-CA"."""

_LEAST_FREQUENT_WORDS_RATIO = 2
"""Minimum ratio of the distinct frequent words of a text's language to those of another language. An English text with
many titles of nobility repeats "de" and "la", but contains no other foreign words."""

_TAG = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]+)*(?:[.@].*)?", re.IGNORECASE)
_ALTERNATIVE_CODES = (
    "nb: no nn nob nno nor; zh: zho chi cmn yue wuu; en: eng; de: deu ger; fr: fra fre; es: spa; it: ita; nl: nld dut; "
    "pt: por; sv: swe; da: dan; pl: pol; fi: fin; ja: jpn; ko: kor"
)
_WRITTEN_AS = {
    other: code
    for code, others in (line.split(": ") for line in _ALTERNATIVE_CODES.split("; "))
    for other in others.split()
}
"""Map to two-letter codes from three-letter codes (ISO 639-2 and 639-3) and variants of Norwegian and Chinese."""

_LETTER = re.compile(r"[^\W\d_]")
_LATIN_LETTER = re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")


def language_of_tag(tag: object) -> str:
    """Return the language code in a tag or locale: "de" for "de-AT" and "de_AT.UTF-8", and "" for other values."""
    found = _TAG.fullmatch(tag.strip()) if isinstance(tag, str) else None
    code = found.group(1).lower() if found else ""
    return _WRITTEN_AS.get(code, code)


def foreign_language(metadata: Mapping[str, object]) -> str:
    """Return the language code in a document's metadata; "" if the language is English or unknown."""
    code = language_of_tag(metadata.get(LANGUAGE_KEY))
    return "" if code == ENGLISH else code


@functools.cache
def stop_words(language: str) -> frozenset[str]:
    """Return spaCy's stop words for a language, with and without accents; empty if spaCy has no list for it."""
    path = _list_of(language)
    if path is None:
        return frozenset()
    spec = importlib.util.spec_from_file_location(f"_overstory_stop_words_{language}", path)
    if spec is None or spec.loader is None:
        return frozenset()
    module = importlib.util.module_from_spec(spec)  # loads only this file, because importing spaCy takes a second
    spec.loader.exec_module(module)
    words = cast("set[str]", module.STOP_WORDS)
    return frozenset({*words, *map(fold, words)})


def is_latin(text: str) -> bool:
    """Return True if at least half of a text's letters are Latin."""
    return 2 * len(_LATIN_LETTER.findall(text)) >= len(_LETTER.findall(text))


def language_of(text: str) -> str:
    """Return the language in `LANGUAGES` with the most stop words in a text; "" for a text not in Latin script."""
    if not is_latin(text):
        return ""
    words = set(key_words(text))
    return max(LANGUAGES, key=lambda language: (len(words & stop_words(language)), language == ENGLISH))


def has_words_of(text: str, language: str, other: str) -> bool:
    """Return True if a text contains more than twice as many distinct stop words of `language` as of `other`.

    Words that are stop words in both languages are ignored.
    """
    own, others = stop_words(language), stop_words(other)
    words = set(key_words(text))
    return len(words & (own - others)) > _LEAST_FREQUENT_WORDS_RATIO * len(words & (others - own))


def _list_of(language: str) -> Path | None:
    spacy = importlib.util.find_spec("spacy") if language.isalpha() and language.isascii() else None
    if spacy is None or spacy.origin is None:
        return None
    path = Path(spacy.origin).parent / "lang" / language / "stop_words.py"
    return path if path.is_file() else None
