"""Language detection with py3langid's model. The result is "" rather than a wrong language.

The model knows 140 languages and often takes tables of names for a language with few speakers. A detected language
therefore counts only if it is widely written and much more probable than the others. In Latin script, the text must
also have twice as many of its frequent words as English ones; code in documentation has no frequent words at all.
Chinese, Japanese and Korean are recognised by their characters, because code on such pages confuses the model.
"""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Sequence, Set
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING

from overstory.model import Document
from overstory.text.languages import (
    ENGLISH,
    LANGUAGE_KEY,
    LANGUAGE_TAG_KEY,
    has_words_of,
    is_latin,
    language_of_tag,
    stop_words,
)
from overstory.text.names.keys import key_words

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_DETECTED_CHARACTERS = 4_000
"""Characters at the beginning of a text that are classified; this takes three milliseconds."""

_LEAST_DETECTED_LETTERS = 150
"""Minimum letters of a text for detection. A Han, Kana or Hangul character counts as four letters."""

_LEAST_LANGUAGE_PROBABILITY = 0.9
"""Minimum probability of a language other than English. A few of 11,000 English passages reach it because they are full
of foreign names; the check of frequent words catches them."""

_LEAST_ENGLISH_PROBABILITY = 0.5
"""Minimum probability of English, which is also assumed for texts of unknown language."""

_MOST_CHARACTERS_AN_ENGLISH_WORD = 150
"""Maximum characters per frequent English word in a text that counts as English without running the model. English
prose has about 50."""

_LEAST_FREQUENT_WORDS = 4
"""Minimum number of distinct frequent words in a foreign passage of an English document. "Lorem ipsum",
which the model takes for Catalan, has two."""

_LEAST_FREQUENT_WORDS_LEAD = 2
"""Minimum lead of a language in distinct frequent words, if a passage is too short for the model."""

_CODES = (
    "ar be bg bn ca cs da de el en es et fa fi fr he hi hr hu hy id is it ka lt lv mk ms nl no pl pt ro ru sk sl sq sr "
    "sv ta te th tr uk ur vi"
)
_KNOWN = _CODES.split()
"""Languages of documents. The model's other languages are usually misclassified names and code."""

_LEAST_KANA_SHARE = 0.05
"""Minimum share of Kana in a Japanese text. Chinese texts have a few in names."""

_WIDE_LANGUAGES = ("zh", "ja", "ko")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_KANA = re.compile("[\u3040-\u30ff]")
_HANGUL = re.compile("[\uac00-\ud7af]")
_LATIN_WORD = re.compile("[A-Za-z]+")
_LETTER = re.compile(r"[^\W\d_]")

_ENGLISH = "and from had have his that the their they this were which with you your"
_ENGLISH_WORDS = frozenset(_ENGLISH.split())

_TURN = threading.Lock()


def detected_language(text: str) -> str:
    """Return the ISO code of a text's language, or "" if the text is too short or the language is uncertain."""
    beginning = text[:_DETECTED_CHARACTERS]
    wide = len(_WIDE.findall(beginning))
    if len(_LETTER.findall(beginning)) + 3 * wide < _LEAST_DETECTED_LETTERS:
        return ""
    if wide > len(_LATIN_WORD.findall(beginning)):
        return _by_characters(beginning, wide)
    with _TURN:
        found, probability = _identifier().classify(beginning)
    language = language_of_tag(found)
    if language == ENGLISH:
        return ENGLISH if probability >= _LEAST_ENGLISH_PROBABILITY else ""
    is_sure = probability >= _LEAST_LANGUAGE_PROBABILITY and _is_borne_out(beginning, language)
    return language if is_sure else ""


def passage_languages(texts: Sequence[str], language: str) -> list[str]:
    """Return the ISO code of the language of each passage of a document.

    A passage has the document's language unless another language is certain. In a document with several languages, a
    passage that is too short for detection has the language with most of its frequent words, or else the language that
    both of its neighbours share. The model is not run on passages with enough frequent English words if the document
    is in English.

    Args:
        texts: the passages in reading order.
        language: the document's language; "" if unknown, which means English.
    """
    own = language or ENGLISH
    sure = [_sure_language(text, own) for text in texts]
    among = {own, *sure} - {""}
    if len(among) == 1:
        return [own] * len(texts)
    found_languages = [found or _likeliest(text, among, own) for text, found in zip(texts, sure, strict=True)]
    before = list(accumulate(found_languages, _last_known))
    after = list(accumulate(reversed(found_languages), _last_known))[::-1]
    languages: list[str] = []
    for found, *neighbours in zip(found_languages, before, after, strict=True):
        around = {each for each in neighbours if each}
        languages.append(found or (around.pop() if len(around) == 1 else own))
    return languages


def _last_known(last: str, found: str) -> str:
    return found or last


def foreign_passage_languages(texts: Sequence[str], language: str) -> list[str]:
    """Return the result of `passage_languages`, with "" for English."""
    return ["" if found == ENGLISH else found for found in passage_languages(texts, language)]


def question_language(question: str, languages: Sequence[str]) -> str:
    """Return the most likely language of a question among English and `languages`; English if it has no letters."""
    wide = len(_WIDE.findall(question))
    written_so = [each for each in languages if each in _WIDE_LANGUAGES]
    if written_so and wide > len(_LATIN_WORD.findall(question)):
        found = _by_characters(question, wide)
        return found if found in written_so else written_so[0]
    if not _LETTER.search(question):
        return ENGLISH
    with _TURN:
        ranked = _identifier().rank(question)
    among = (ENGLISH, *languages)
    return next((code for tag, _ in ranked if (code := language_of_tag(tag)) in among), ENGLISH)


def with_language(document: Document) -> Document:
    """Return the document with its language code in the metadata: from its format, or else detected from its text.

    If the format states the language in another form ("fr-CA"), that form is kept under `LANGUAGE_TAG_KEY`.
    """
    stated = document.all_metadata.get(LANGUAGE_KEY)
    language = language_of_tag(stated) or detected_language(document.text)
    if not language or language == stated:
        return document
    tag = {} if stated is None else {LANGUAGE_TAG_KEY: stated}
    return replace(document, metadata={**document.metadata, LANGUAGE_KEY: language, **tag})


def _by_characters(text: str, wide: int) -> str:
    if 2 * len(_HANGUL.findall(text)) > wide:
        return "ko"
    return "ja" if len(_KANA.findall(text)) >= _LEAST_KANA_SHARE * wide else "zh"


def _sure_language(text: str, own: str) -> str:
    """Return the certain language of a passage, given the document's language; "" if there are several candidates."""
    if own == ENGLISH and _reads_english(text):
        return ENGLISH
    found = detected_language(text)
    if {found, own} <= set(_WIDE_LANGUAGES):
        return own  # a table in Chinese characters may be Japanese
    if found in ("", own, *_WIDE_LANGUAGES) or not is_latin(text):
        return found
    has_few = own == ENGLISH and len(stop_words(found) & set(key_words(text))) < _LEAST_FREQUENT_WORDS
    return found if has_words_of(text, found, own) and not has_few else ""


def _reads_english(text: str) -> bool:
    """Return True if frequent English words alone show that a text is English; takes 10 µs instead of a model call."""
    if not text.isascii() and _WIDE.search(text):
        return False
    frequent = sum(word in _ENGLISH_WORDS for word in text.lower().split())
    return frequent * _MOST_CHARACTERS_AN_ENGLISH_WORD >= len(text)


def _likeliest(text: str, among: Set[str], own: str) -> str:
    """Return the language with most frequent words in a passage; "" if its lead over the second is too small."""
    wide = len(_WIDE.findall(text))
    if wide > len(_LATIN_WORD.findall(text)):
        found = own if own in _WIDE_LANGUAGES else _by_characters(text, wide)
        return found if found in among else ""
    words = set(key_words(text))
    spaced = sorted({ENGLISH, *among} - set(_WIDE_LANGUAGES))
    counted = sorted(((len(words & stop_words(code)), code) for code in spaced), reverse=True)
    most, likeliest = counted[0]
    second = counted[1][0] if len(counted) > 1 else 0
    return likeliest if most - second >= _LEAST_FREQUENT_WORDS_LEAD else ""


def _is_borne_out(text: str, language: str) -> bool:
    """Return True if the text's frequent words confirm a language against English, or its script is not Latin."""
    return not is_latin(text) or has_words_of(text, language, ENGLISH)


@functools.cache
def _identifier() -> LanguageIdentifier:
    """Load the model, which takes half a second."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(_KNOWN)
    return identifier
