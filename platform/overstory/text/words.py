"""The words under which a text is indexed, and the words by which a question is looked up in the index.

Words are stemmed. A technical name, such as "os.path.join", `--max-depth`, "max_depth" or "ExitStack", is indexed as a
whole in addition to its parts.
"""

from __future__ import annotations

import functools
import re
import threading
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

import Stemmer

from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.language_detection import question_language
from overstory.text.languages import ENGLISH, UNSPACED, stop_words
from overstory.text.names.keys import fold
from overstory.text.names.shapes import Shape, shapes, shapes_of_question

# English words are stemmed by Porter's rules, words of some other languages by Snowball's. A stem need not be a real
# word, because questions are stemmed in the same way.

_POSSESSIVE = re.compile("['’＇]s$", re.IGNORECASE)
_LEAST_STEMMED_CHARACTERS = 3

_ELIDED = re.compile(r"^(?:l|d|qu|n|s|j|m|t|c|jusqu|lorsqu|puisqu|dell|nell|all|dall|sull|un|quell)['’](?=\w)")
"""Matches articles and pronouns that are shortened before a vowel: "l'image", "dell'utente"."""
_ELIDES = frozenset(("fr", "it", "ca"))

_SNOWBALL = {"de": "german", "fr": "french", "es": "spanish", "it": "italian", "nl": "dutch"}


class _Stemmers(threading.local):
    """Stemmers for each thread, because a stemmer keeps state while it works."""

    def __init__(self) -> None:
        self._made: dict[str, Stemmer.Stemmer] = {}

    def stem(self, rules: str, word: str) -> str:
        if rules not in self._made:
            self._made[rules] = Stemmer.Stemmer(rules, 0)  # 0 turns off the stemmer's cache
        found: str = self._made[rules].stemWord(word)
        return found


_STEMMERS = _Stemmers()


@functools.lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the English stem of a word, in lower case and without possessive 's.

    A foreign word may be shortened like an English one.
    """
    plain = _POSSESSIVE.sub("", word).lower()
    return _STEMMERS.stem("porter", plain) if len(plain) >= _LEAST_STEMMED_CHARACTERS else plain


@functools.lru_cache(maxsize=65_536)
def light_stem(word: str, language: str) -> str:
    """Return the stem of a word in a language other than English, in lower case and without accents.

    If the language has no stemming rules, the word is only lowercased.

    Args:
        language: ISO code of the word's language.
    """
    plain = word.lower()
    if language in _ELIDES:
        plain = _ELIDED.sub("", plain)
    if language == "pt":
        return _portuguese(fold(plain))
    name = _SNOWBALL.get(language)
    return fold(_STEMMERS.stem(name, plain) or plain) if name else plain


def _portuguese(word: str) -> str:
    """Remove the plural ending of a Portuguese word, because Snowball stems "opção" and "opções" differently."""
    if len(word) < 5:
        return word
    for plural, singular in (("oes", "ao"), ("aes", "ao"), ("ais", "al"), ("eis", "el"), ("ois", "ol"), ("ns", "m")):
        if word.endswith(plural):
            word = word.removesuffix(plural) + singular
            break
    else:
        word = word[:-2] if word.endswith(("res", "zes", "ses")) else word.removesuffix("s")
    return word[:-1] if word[-1] in "aoe" else word


LONGEST_WORD_CHARACTERS = 200
"""Maximum length of a word. Lucene would split longer words."""
MOST_QUERY_WORDS = 300
"""Maximum number of distinct words of a question that are looked up. Lucene rejects queries with more than 1,024
clauses, and a word takes three clauses: one for each field."""

_HAN = "\u3040-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Han and Hiragana characters. Each of them counts as a word, as in Lucene's analyzers."""

_SINGLE, _RUN = re.compile(f"[{_HAN}]"), re.compile(f"[{_HAN}]{{2,}}")

_ASCII = re.compile(r"[a-zA-Z0-9_]+(?:'[a-zA-Z0-9_]+)*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_JOINED = re.compile(r"[^\W_]_+[^\W_]|[a-z0-9][A-Z]|[A-Z]{2}[a-z]{3}")
"""Matches in compound identifiers such as "max_depth", "getElement" and "XMLParser", but not in "IDs"."""

_MARKED = re.compile(r"(?=.*[^\w\s])\S+")


def word_matches(text: str) -> Iterator[re.Match[str]]:
    """Yield a match for each word of a text, in order."""
    return (_ASCII if text.isascii() else _any_word()).finditer(text)


def indexed_words(text: str, language: str = "") -> list[str]:
    """Return the words under which a text is indexed.

    The stems come first, in the order of the text; a compound word is followed by its parts. For languages without
    spaces, pairs of adjacent characters follow. The keys of technical names come last.

    Args:
        language: ISO code of the text's language; "" for English.
    """
    found = [_stem(each, language) for match in word_matches(text) for each in _with_parts(match.group())]
    pairs = _pairs(text) if language in UNSPACED else []
    return [*found, *pairs, *_keys(text, shapes)]


def asked_words(question: str, languages: Sequence[str] = ()) -> list[str]:
    """Return the distinct words by which a question is looked up.

    These are the stems of its content words, pairs of characters for languages without spaces, and the keys of its
    technical names.

    Args:
        languages: languages of the indexed texts in addition to English. Each word is stemmed by the rules of each
            language.
    """
    content = query_terms(question, languages)
    if UNSPACED.intersection(languages) and (pairs := _pairs(question)):
        content = [word for word in content if not _SINGLE.fullmatch(word)]  # pairs of characters are more specific
    else:
        pairs = []
    stems = [_stem(word, language) for word in content for language in ("", *languages)]
    return list(dict.fromkeys([*stems, *pairs, *_keys(question, shapes_of_question)]))


def phrase_words(phrase: str, language: str = "") -> list[str]:
    """Return the stems of the words in a phrase, in the order in which they are indexed."""
    return [_stem(match.group(), language) for match in word_matches(phrase)]


def query_terms(question: str, languages: Sequence[str] = ()) -> list[str]:
    """Return the content words of a question as written, or all words if there are only function words.

    Args:
        languages: languages that the question may be in, in addition to English.
    """
    shouted = question.isupper()
    common = _common_words(question, languages)
    words = [each for match in word_matches(question) for each in _with_parts(match.group())]
    content = [word for word in words if word.lower() not in common or (_is_shouted(word) and not shouted)]
    return content or words


def _common_words(question: str, languages: Sequence[str]) -> frozenset[str]:
    language = question_language(question, languages) if languages else ENGLISH
    return FUNCTION_WORDS if language == ENGLISH else stop_words(language)


def _stem(word: str, language: str = "") -> str:
    return (light_stem(word, language) if language else stem(word))[:LONGEST_WORD_CHARACTERS]


def _pairs(text: str) -> list[str]:
    """Return the pairs of adjacent Han and Hiragana characters, in order."""
    return [run[at : at + 2] for run in _RUN.findall(text) for at in range(len(run) - 1)]


def _is_shouted(word: str) -> bool:
    """Return True for a word in capitals such as "IT" or "US", which is not a function word."""
    return len(word) > 1 and word.isupper()


def _with_parts(word: str) -> list[str]:
    """Return a word, followed by its parts if it is a compound: "max_depth", "max", "depth"."""
    if not _JOINED.search(word):
        return [word]
    return [word, *_PART.findall(word)]


def _keys(text: str, found_in: Callable[[str], list[Shape]]) -> list[str]:
    """Return the keys of technical names that contain punctuation; other names are indexed as words anyway."""
    return [shape.key for shape in found_in(text) if _MARKED.fullmatch(shape.key)]


@functools.cache
def _any_word() -> re.Pattern[str]:
    """Compile the pattern that matches a word in any script.

    The pattern is three times as fast because it tries common letters first and contains combining marks as ranges.
    """
    letters = rf"(?:[a-zA-Z0-9_]+|[^\W{_HAN}]+|[{_marks()}]+)+"
    return re.compile(rf"{letters}(?:['’＇]{letters})*|[{_HAN}]")


def _marks() -> str:
    """Return the combining marks outside `_HAN`, as ranges for a character class of a regular expression."""
    alone = re.compile(f"[{_HAN}]")
    marks = [
        code
        for code in range(0x300, 0x20000)
        if unicodedata.category(chr(code))[0] == "M" and not alone.match(chr(code))
    ]
    runs = (list(run) for _, run in groupby(enumerate(marks), key=lambda each: each[1] - each[0]))
    return "".join(f"{chr(run[0][1])}-{chr(run[-1][1])}" for run in runs)
