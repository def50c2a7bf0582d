"""Language detection with py3langid's model. If the language is uncertain, the result is "".

The model knows 140 languages, and often mistakes a table of names for a language with few speakers. A detected language
therefore counts only if it is widely written and much more probable than the others. A text in Latin script must also
contain more than twice as many frequent words of that language as of English; code in documentation contains none.
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
"""Number of characters at the beginning of a text that are classified, which takes three milliseconds."""

_LEAST_DETECTED_LETTERS = 150
"""Minimum number of letters in a text whose language is detected. A Han, Kana or Hangul character counts as four."""

_LEAST_LANGUAGE_PROBABILITY = 0.9
"""Minimum probability of a language other than English. A few of 11,000 English passages reach it because they are full
of foreign names, but they do not contain enough frequent words of the other language."""

_LEAST_ENGLISH_PROBABILITY = 0.5
"""Minimum probability of English. It is low, because texts of unknown language are treated as English anyway."""

_MOST_CHARACTERS_AN_ENGLISH_WORD = 150
"""If a text has at most this many characters per frequent English word, it is English, and the model is not run.
English prose has about 50."""

_LEAST_FREQUENT_WORDS = 4
"""Minimum number of distinct frequent words in a foreign passage of an English document. "Lorem ipsum", which the model
takes for Catalan, contains two frequent words of Catalan."""

_LEAST_FREQUENT_WORDS_LEAD = 2
"""If a passage is too short for the model, it must contain at least this many more distinct frequent words of its
language than of any other language."""

_CODES = (
    "ar be bg bn ca cs da de el en es et fa fi fr he hi hr hu hy id is it ka lt lv mk ms nl no pl pt ro ru sk sl sq sr "
    "sv ta te th tr uk ur vi"
)
_KNOWN = _CODES.split()
"""Languages that can be detected. The model's other languages usually are misclassified code or names."""

_LEAST_KANA_SHARE = 0.05
"""Minimum fraction of Kana among the East Asian characters of a Japanese text. Chinese texts contain a few Kana."""

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
    """Return the ISO code of each passage's language.

    A passage is in the document's language unless another language is certain. In a document with several languages, a
    passage may be too short for detection. Its language is then the one with the most frequent words in the passage, or
    else the one on which the neighbouring passages agree. In an English document, the model is not run on passages with
    enough frequent English words.

    Args:
        texts: all passages of the document, in reading order.
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
    """Return the languages of passages as `passage_languages` does, but "" for English."""
    return ["" if found == ENGLISH else found for found in passage_languages(texts, language)]


def question_language(question: str, languages: Sequence[str]) -> str:
    """Return the most likely language of a question: English or one of `languages`.

    A question without letters counts as English.
    """
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
    """Return the document with its language code in the metadata, as stated by its format or else as detected.

    If the format states the language in another form, such as "fr-CA", that form is kept under `LANGUAGE_TAG_KEY`.
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
    """Return the language of a passage, or "" if it is uncertain. `own` is the document's language."""
    if own == ENGLISH and _reads_english(text):
        return ENGLISH
    found = detected_language(text)
    if {found, own} <= set(_WIDE_LANGUAGES):
        return own  # because a Japanese table written only in kanji looks like Chinese
    if found in ("", own, *_WIDE_LANGUAGES) or not is_latin(text):
        return found
    has_few = own == ENGLISH and len(stop_words(found) & set(key_words(text))) < _LEAST_FREQUENT_WORDS
    return found if has_words_of(text, found, own) and not has_few else ""


def _reads_english(text: str) -> bool:
    """Return True if the frequent words of a text show that it is English, so that the model need not be run."""
    if not text.isascii() and _WIDE.search(text):
        return False
    frequent = sum(word in _ENGLISH_WORDS for word in text.lower().split())
    return frequent * _MOST_CHARACTERS_AN_ENGLISH_WORD >= len(text)


def _likeliest(text: str, among: Set[str], own: str) -> str:
    """Return the language with the most frequent words in a passage, or "" if another one has almost as many."""
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
    return not is_latin(text) or has_words_of(text, language, ENGLISH)


@functools.cache
def _identifier() -> LanguageIdentifier:
    """Load the model, which takes half a second."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(_KNOWN)
    return identifier
