"""Which language a document is in, by py3langid's model; "" rather than a wrong one.

The model knows 140 languages, and takes tables of names for languages of few speakers. So a language counts only where
it is one that much is written in, is much more likely than all others, and, in Latin letters, has twice as many of its
own frequent words in the text as English has. Code in a page of documentation has no frequent words at all. Chinese,
Japanese and Korean are told by their characters: the model takes pages with as much code as Chinese for neither.
"""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from overstory.model import Document
from overstory.text.languages import ENGLISH, LANGUAGE_KEY, LANGUAGE_TAG_KEY, is_latin, language_of_tag, stop_words
from overstory.text.names.keys import key_words

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

DETECTED_CHARACTERS = 4_000
"""Characters at the beginning of a text by which its language is recognised, in three milliseconds."""

LEAST_DETECTED_LETTERS = 150
"""Letters without which a text is too short to tell its language; one of Han, Kana or Hangul counts as four."""

LEAST_LANGUAGE_PROBABILITY = 0.9
"""What the model must give to another language than English. It gives that to a few of 11,000 English passages, which
are full of foreign names: their frequent words are English."""

LEAST_ENGLISH_PROBABILITY = 0.5
"""What it must give to English, for which texts of unknown language are taken anyway."""

LEAST_FREQUENT_WORDS_RATIO = 2
"""How many different frequent words of its own a text must have for each English one: titles of nobility in an English
text repeat "de" and "la", but have no others."""

_CODES = (
    "ar be bg bn ca cs da de el en es et fa fi fr he hi hr hu hy id is it ka lt lv mk ms nl no pl pt ro ru sk sl sq sr "
    "sv ta te th tr uk ur vi"
)
_KNOWN = _CODES.split()
"""Languages that documents are written in; the others of the model are what it takes names and code for."""

LEAST_KANA_SHARE = 0.05
"""Part of a Japanese text's characters that are Kana, at least; Chinese has some in names."""

_WIDE_LANGUAGES = ("zh", "ja", "ko")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_KANA = re.compile("[\u3040-\u30ff]")
_HANGUL = re.compile("[\uac00-\ud7af]")
_LATIN_WORD = re.compile("[A-Za-z]+")
_LETTER = re.compile(r"[^\W\d_]")

_TURN = threading.Lock()


def detected_language(text: str) -> str:
    """The ISO code of the language that a text is in; "" where it is too short, or may be in several."""
    beginning = text[:DETECTED_CHARACTERS]
    wide = len(_WIDE.findall(beginning))
    if len(_LETTER.findall(beginning)) + 3 * wide < LEAST_DETECTED_LETTERS:
        return ""
    if wide > len(_LATIN_WORD.findall(beginning)):
        return _by_characters(beginning, wide)
    with _TURN:
        found, probability = _identifier().classify(beginning)
    language = language_of_tag(found)
    if language == ENGLISH:
        return ENGLISH if probability >= LEAST_ENGLISH_PROBABILITY else ""
    is_sure = probability >= LEAST_LANGUAGE_PROBABILITY and _is_borne_out(beginning, language)
    return language if is_sure else ""


def passage_language(text: str, language: str) -> str:
    """The ISO code of the language that a passage is in: that of its document, or another that it is surely in, where a
    document has several."""
    found = detected_language(text)
    if not found or found == language or {found, language} <= set(_WIDE_LANGUAGES):
        return language  # a table in Chinese characters may well be Japanese
    return found if found in _WIDE_LANGUAGES or _has_words_of(text, found, language) else language


def foreign_language_of(passage: str, language: str) -> str:
    """The language of a passage of a document in a language, "" for English: passages of English documents are read as
    English."""
    found = passage_language(passage, language) if language else ENGLISH
    return "" if found == ENGLISH else found


def asked_language(question: str, languages: Sequence[str]) -> str:
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
    """A document with the code of its language among its metadata, where its format says one or one can be told; what
    the format says is kept in `LANGUAGE_TAG_KEY` where that is not the code."""
    said = document.all_metadata.get(LANGUAGE_KEY)
    language = language_of_tag(said) or detected_language(document.text)
    if not language or language == said:
        return document
    tag = {} if said is None else {LANGUAGE_TAG_KEY: said}
    return replace(document, metadata={**document.metadata, LANGUAGE_KEY: language, **tag})


def _by_characters(text: str, wide: int) -> str:
    if 2 * len(_HANGUL.findall(text)) > wide:
        return "ko"
    return "ja" if len(_KANA.findall(text)) >= LEAST_KANA_SHARE * wide else "zh"


def _is_borne_out(text: str, language: str) -> bool:
    """Whether a text has enough frequent words of a language, compared with English ones. Those in both count for
    neither; scripts other than Latin need no words."""
    return not is_latin(text) or _has_words_of(text, language, ENGLISH)


def _has_words_of(text: str, language: str, other: str) -> bool:
    own, others = stop_words(language), stop_words(other)
    words = set(key_words(text))
    return len(words & (own - others)) > LEAST_FREQUENT_WORDS_RATIO * len(words & (others - own))


@functools.cache
def _identifier() -> LanguageIdentifier:
    """Takes half a second to read."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(_KNOWN)
    return identifier
