"""The words of texts as the index of sections has them, and those by which a question is looked up there.

Words are stems, in any script; names that have the shape of one in technical text are there whole, too: "os.path.join",
`--max-depth`, "max_depth" and "ExitStack", each beside the words that it consists of.
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

# Words without their endings: by Porter's rules in English, by Snowball's in some other languages.
#
# What is left need be no word; the same is taken off the words of a question.

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


LONGEST_WORD_CHARACTERS = 200
"""Lucene cuts longer ones into several."""
MOST_QUERY_WORDS = 300
"""Different words of a question that are looked up; Lucene refuses more than 1,024 clauses, and each word is one in
each of three fields."""

_HAN = "\u3040-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Characters that are a word each, in Lucene's analyzers, too: Han and Hiragana."""

_SINGLE, _RUN = re.compile(f"[{_HAN}]"), re.compile(f"[{_HAN}]{{2,}}")

_ASCII = re.compile(r"[a-zA-Z0-9_]+(?:'[a-zA-Z0-9_]+)*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_JOINED = re.compile(r"[^\W_]_+[^\W_]|[a-z0-9][A-Z]|[A-Z]{2}[a-z]{3}")
"""Every word that consists of several has one of these: "max_depth", "getElement", "XMLParser"; not "IDs"."""

_MARKED = re.compile(r"(?=.*[^\w\s])\S+")


def word_matches(text: str) -> Iterator[re.Match[str]]:
    """The words of a text, in its order."""
    return (_ASCII if text.isascii() else _any_word()).finditer(text)


def indexed_words(text: str, language: str = "") -> list[str]:
    """The words of a text as the index has them: stems in the order of the text, those of joined words after these, and
    the keys of names at the end; before these, pairs of characters of a language without spaces.

    Args:
        language: the ISO code of its language; "" for English.
    """
    found = [_stem(each, language) for match in word_matches(text) for each in _with_parts(match.group())]
    pairs = _pairs(text) if language in UNSPACED else []
    return [*found, *pairs, *_keys(text, shapes)]


def asked_words(question: str, languages: Sequence[str] = ()) -> list[str]:
    """The words by which a question is looked up, each once: `telling_words` as the index has them, and names.

    Args:
        languages: those besides English that the texts may be in: a word is looked up as each of them has it.
    """
    telling = telling_words(question, languages)
    if UNSPACED.intersection(languages) and (pairs := _pairs(question)):
        telling = [word for word in telling if not _SINGLE.fullmatch(word)]  # which their pairs tell better
    else:
        pairs = []
    stems = [_stem(word, language) for word in telling for language in ("", *languages)]
    return list(dict.fromkeys([*stems, *pairs, *_keys(question, shapes_of_question)]))


def phrase_words(phrase: str, language: str = "") -> list[str]:
    """The words of a phrase as they stand next to each other in the index."""
    return [_stem(match.group(), language) for match in word_matches(phrase)]


def telling_words(question: str, languages: Sequence[str] = ()) -> list[str]:
    """The words of a question without those that questions consist of ("how", "do", "I"), as it writes them; all, if it
    has no others.

    Args:
        languages: those besides English that it may be in.
    """
    shouted = question.isupper()
    common = _common_words(question, languages)
    words = [each for match in word_matches(question) for each in _with_parts(match.group())]
    telling = [word for word in words if word.lower() not in common or (_is_shouted(word) and not shouted)]
    return telling or words


def _common_words(question: str, languages: Sequence[str]) -> frozenset[str]:
    language = question_language(question, languages) if languages else ENGLISH
    return FUNCTION_WORDS if language == ENGLISH else stop_words(language)


def _stem(word: str, language: str = "") -> str:
    return (light_stem(word, language) if language else stem(word))[:LONGEST_WORD_CHARACTERS]


def _pairs(text: str) -> list[str]:
    """The pairs of neighbouring characters of Han and Hiragana, in the order of the text."""
    return [run[at : at + 2] for run in _RUN.findall(text) for at in range(len(run) - 1)]


def _is_shouted(word: str) -> bool:
    """ "IT" and "US" are no function words."""
    return len(word) > 1 and word.isupper()


def _with_parts(word: str) -> list[str]:
    """A word, and those that it consists of: "max_depth", "max", "depth"."""
    if not _JOINED.search(word):
        return [word]
    return [word, *_PART.findall(word)]


def _keys(text: str, found_in: Callable[[str], list[Shape]]) -> list[str]:
    """The keys of names with marks in them; those without are words anyway."""
    return [shape.key for shape in found_in(text) if _MARKED.fullmatch(shape.key)]


@functools.cache
def _any_word() -> re.Pattern[str]:
    """Runs of the commonest letters come first, and marks are ranges: three times as fast as character by character."""
    letters = rf"(?:[a-zA-Z0-9_]+|[^\W{_HAN}]+|[{_marks()}]+)+"
    return re.compile(rf"{letters}(?:['’＇]{letters})*|[{_HAN}]")


def _marks() -> str:
    """Combining marks that are no words themselves, as ranges of a class of characters."""
    alone = re.compile(f"[{_HAN}]")
    marks = [
        code
        for code in range(0x300, 0x20000)
        if unicodedata.category(chr(code))[0] == "M" and not alone.match(chr(code))
    ]
    runs = (list(run) for _, run in groupby(enumerate(marks), key=lambda each: each[1] - each[0]))
    return "".join(f"{chr(run[0][1])}-{chr(run[-1][1])}" for run in runs)
