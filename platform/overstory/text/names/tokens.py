"""The words of a text in the form that names are compared by, each with its place in the text."""

from __future__ import annotations

import functools
import math
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from overstory.text.names.keys import ALONE, KATAKANA, key_words
from overstory.text.names.shapes import Shape, shapes

_IDF_DIGITS = 12
"""Python and Neo4j differ in the last digit of some logarithms; both round to this many."""


def idf_weight(chunks: int, df: int) -> float:
    """The normalised IDF weight of a name: ln(1 + N/(1+df)) / ln(1 + N).

    It is 1 for a name that no chunk mentions and falls with `df`; 0 in a corpus without chunks.

    Args:
        chunks: N, in the corpus.
        df: chunks that mention the name.
    """
    if not chunks:
        return 0.0
    return round(math.log(1.0 + chunks / (1 + df)) / math.log(1.0 + chunks), _IDF_DIGITS)


_APOSTROPHES = "'’‘ʼʻʹ`´＇"
_BETWEEN_INITIALS = re.compile(r"[. \-]{0,3}")
_ARTICLE_OR_PRONOUN = frozenset({"a", "i"})


@dataclass(frozen=True, slots=True)
class Tokens:
    """The words of a text, in order; parallel lists.

    The forms of neighbouring words, joined by spaces, are the `entity_key` of what stands there: initials are one word
    ("J. R. R." is "jrr"), "O'Brien" is "obrien", "&" is "and".

    Attributes:
        forms: as keys have them.
        starts, ends: characters in the text.
        capital: whether a word began with a capital, a digit, or a letter of a script without case.
        bare: for words that may be possessives, by position: the form without 's, and where it ends in the text.
        shapes: names by their shape; they begin and end with words, whose marks they keep.
    """

    forms: list[str]
    starts: list[int]
    ends: list[int]
    capital: list[bool]
    bare: dict[int, tuple[str, int]]
    shapes: list[Shape] = field(default_factory=list[Shape])

    def key(self, start: int, stop: int) -> str:
        """The key of the words from `start` up to, not including, `stop`; a possessive 's of the last one stays."""
        return " ".join(self.forms[start:stop])


def tokenise(text: str, find_shapes: Callable[[str], list[Shape]] = shapes) -> Tokens:
    """The words of a text: runs of letters and digits with their marks, apostrophes inside, "+" and "#" after them."""
    tokens = Tokens([], [], [], [], {}, find_shapes(text))
    forms, starts, ends, capital = tokens.forms, tokens.starts, tokens.ends, tokens.capital
    joins = -1
    """The last word, if it is an initial or several."""
    for match in _words(text):
        word = match.group()
        start, end = match.span()
        if len(word) > 1 and word.isascii() and word.isalnum():  # most words: no initial, no possessive
            forms.append(word.lower())
            starts.append(start)
            ends.append(end)
            capital.append(not word[0].islower())
            continue
        form = _form(word)
        if not form:
            continue
        bare = _bare(word) if len(word) > 2 else ""
        if _is_initial(bare or form, text, start, end):
            if joins == len(forms) - 1 >= 0 and _BETWEEN_INITIALS.fullmatch(text, ends[joins], start):
                forms[joins], before, ends[joins] = forms[joins] + form, forms[joins], end
                if bare:
                    tokens.bare[joins] = (before + bare, start + 1)
                    joins = -1
                continue
            joins = -1 if bare else len(forms)
        if bare:
            tokens.bare[len(forms)] = (bare, end - 2 if word[-1] in "sS" else end)
        forms.append(form)
        starts.append(start)
        ends.append(end)
        capital.append(not word[0].islower())
    return tokens


def _words(text: str) -> Iterator[re.Match[str]]:
    return (_ascii_word() if text.isascii() else _any_word()).finditer(text)


@functools.cache
def _ascii_word() -> re.Pattern[str]:
    return _pattern("[A-Za-z0-9]+", "'`")


@functools.cache
def _any_word() -> re.Pattern[str]:
    # `re` has no class for marks, without which words of Indic scripts fall apart; compiled when first needed. It looks
    # up characters of a class, unless one is beyond U+FFFF: then it compares them with one after the other.
    marks = [chr(c) for c in range(0x300, 0x20000) if unicodedata.category(chr(c))[0] == "M"]
    first, beyond = ("".join(c for c in marks if (c > "\uffff") == is_beyond) for is_beyond in (False, True))
    spaced = rf"(?:[^\W_{ALONE}{KATAKANA}]++|[{first}]++|(?=[^\0-\uffff])[{beyond}]++)++"
    return _pattern(spaced, _APOSTROPHES, f"[{ALONE}][{first}]*+|[{KATAKANA}]++")


def _pattern(letters: str, apostrophes: str, unspaced: str = "") -> re.Pattern[str]:
    word = rf"{letters}(?:[+#]+(?:{letters})?)*"
    return re.compile(rf"{word}(?:[{apostrophes}]{word})*|&{'|' if unspaced else ''}{unspaced}")


def _form(word: str) -> str:
    if word.isascii() and word.isalnum():
        return word.lower()
    return _rare_form(word)


@functools.lru_cache(maxsize=65_536)
def _rare_form(word: str) -> str:
    return " ".join(key_words(word))


def _bare(word: str) -> str:
    """The form of a possessive without its 's; "" for other words."""
    return _form(word[:-2]) if word[-1] in "sS" and word[-2] in _APOSTROPHES else ""


def _is_initial(form: str, text: str, start: int, end: int) -> bool:
    """Whether a word is a capital letter alone, but neither "A" nor "I" before a word in lower case."""
    if len(form) != 1 or not "A" <= text[start] <= "Z":
        return False
    return form not in _ARTICLE_OR_PRONOUN or not (text[end : end + 1] == " " and text[end + 1 : end + 2].islower())
