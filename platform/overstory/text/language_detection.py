"""Which language a document is in, by py3langid's model; "" rather than a wrong one.

The model knows 140 languages, and takes tables of names for languages of few speakers. So a language counts only where
it is one that much is written in, is much more likely than all others, and, in Latin letters, has twice as many of its
own frequent words in the text as English has. Code in a page of documentation has no frequent words at all. Chinese,
Japanese and Korean are recognised by their characters: the model takes pages with as much code as Chinese for neither.
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
"""Characters at the beginning of a text by which its language is recognised, in three milliseconds."""

_LEAST_DETECTED_LETTERS = 150
"""Letters without which a text is too short to tell its language; one of Han, Kana or Hangul counts as four."""

_LEAST_LANGUAGE_PROBABILITY = 0.9
"""What the model must give to another language than English. It gives that to a few of 11,000 English passages, which
are full of foreign names: their frequent words are English."""

_LEAST_ENGLISH_PROBABILITY = 0.5
"""What it must give to English, for which texts of unknown language are taken anyway."""

_MOST_CHARACTERS_AN_ENGLISH_WORD = 150
"""Characters of a text for each word that English alone is full of, at most, for it to count as English without the
model; English prose has one for some 50."""

_LEAST_FREQUENT_WORDS = 4
"""Different frequent words of another language that a passage of an English document must have; the "Lorem ipsum" of
English pages, which the model takes for Catalan, has two."""

_LEAST_FREQUENT_WORDS_LEAD = 2
"""By how many different frequent words one language must lead for a passage that is too short for the model."""

_CODES = (
    "ar be bg bn ca cs da de el en es et fa fi fr he hi hr hu hy id is it ka lt lv mk ms nl no pl pt ro ru sk sl sq sr "
    "sv ta te th tr uk ur vi"
)
_KNOWN = _CODES.split()
"""Languages that documents are written in; the others of the model are what it takes names and code for."""

_LEAST_KANA_SHARE = 0.05
"""Part of a Japanese text's characters that are Kana, at least; Chinese has some in names."""

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
    """The ISO code of the language that a text is in; "" where it is too short, or may be in several."""
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
    """The ISO codes of the languages that the passages of a document are read in: that of the document, or another that
    one is surely in, where a document has several.

    There a passage too short to tell has the language of which it has most frequent words, or else that of its
    neighbours, if they have the same. The model is asked of no passage of an English document
    that has enough words of English.

    Args:
        texts: the passages in reading order.
        language: of the document; "" if unknown, which is read as English.
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
    """As `passage_languages`, "" for English."""
    return ["" if found == ENGLISH else found for found in passage_languages(texts, language)]


def question_language(question: str, languages: Sequence[str]) -> str:
    """The likeliest language of a question, of English and these; English if it has no letters."""
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
    """The language that a passage is surely in, given that of its document; "" if it may be in several."""
    if own == ENGLISH and _reads_english(text):
        return ENGLISH
    found = detected_language(text)
    if {found, own} <= set(_WIDE_LANGUAGES):
        return own  # a table in Chinese characters may well be Japanese
    if found in ("", own, *_WIDE_LANGUAGES) or not is_latin(text):
        return found
    has_few = own == ENGLISH and len(stop_words(found) & set(key_words(text))) < _LEAST_FREQUENT_WORDS
    return found if has_words_of(text, found, own) and not has_few else ""


def _reads_english(text: str) -> bool:
    """Whether a text has so many words that English alone is full of that no model need be asked, in 10 µs."""
    if not text.isascii() and _WIDE.search(text):
        return False
    frequent = sum(word in _ENGLISH_WORDS for word in text.lower().split())
    return frequent * _MOST_CHARACTERS_AN_ENGLISH_WORD >= len(text)


def _likeliest(text: str, among: Set[str], own: str) -> str:
    """Which of these languages and English a passage has most frequent words of; "" if hardly more than of a second."""
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
    """Whether a text has enough frequent words of a language, compared with English ones. Those in both count for
    neither; scripts other than Latin need no words."""
    return not is_latin(text) or has_words_of(text, language, ENGLISH)


@functools.cache
def _identifier() -> LanguageIdentifier:
    """Takes half a second to read."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(_KNOWN)
    return identifier
