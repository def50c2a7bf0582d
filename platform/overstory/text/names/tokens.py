"""Splits texts into tokens, which are normalised like the keys of entities."""

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
"""Number of decimal places in a weight. Python and Neo4j differ in the last digit of some logarithms."""


def idf_weight(chunks: int, df: int) -> float:
    """Return the weight of a name, its normalised inverse document frequency: ln(1 + N/(1 + df)) / ln(1 + N).

    The weight is 1 for a name that no chunk mentions, and decreases with `df`. It is 0 in a corpus without chunks.

    Args:
        chunks: N, the number of chunks in the corpus.
        df: number of chunks that mention the name.
    """
    if not chunks:
        return 0.0
    return round(math.log(1.0 + chunks / (1 + df)) / math.log(1.0 + chunks), _IDF_DIGITS)


_APOSTROPHES = "'’‘ʼʻʹ`´＇"
_BETWEEN_INITIALS = re.compile(r"[. \-]{0,3}")
_ARTICLE_OR_PRONOUN = frozenset({"a", "i"})


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a text, as lists with one item per token.

    The forms of adjacent tokens, joined by spaces, are the `entity_key` of their text. Adjacent initials form a single
    token: "J. R. R." becomes "jrr". "O'Brien" becomes "obrien", and "&" becomes "and".

    Attributes:
        forms: normalised words.
        starts, ends: character offsets in the text.
        capital: True for a word that begins with a capital, a digit or a letter of a script without case.
        bare: form without 's and its end offset, for each token that may be a possessive, by the index of the token.
        shapes: technical names, which keep their punctuation. Each begins and ends with a token.
    """

    forms: list[str]
    starts: list[int]
    ends: list[int]
    capital: list[bool]
    bare: dict[int, tuple[str, int]]
    shapes: list[Shape] = field(default_factory=list[Shape])

    def key(self, start: int, stop: int) -> str:
        """Return the key of the tokens with indices from `start` to `stop` − 1. A final possessive 's is kept."""
        return " ".join(self.forms[start:stop])


def tokenise(text: str, find_shapes: Callable[[str], list[Shape]] = shapes) -> Tokens:
    """Split a text into tokens: sequences of letters and digits, with inner apostrophes and final "+" and "#"."""
    tokens = Tokens([], [], [], [], {}, find_shapes(text))
    forms, starts, ends, capital = tokens.forms, tokens.starts, tokens.ends, tokens.capital
    joins = -1  # index of the last token if it consists of initials
    for match in _words(text):
        word = match.group()
        start, end = match.span()
        if len(word) > 1 and word.isascii() and word.isalnum():  # the fast path for most words
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
    # Words of Indic scripts contain combining marks, for which `re` has no character class. Marks beyond U+FFFF are in
    # a separate class, because they would make a common class slow.
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
    """Return the form of a possessive without 's, or "" for any other word."""
    return _form(word[:-2]) if word[-1] in "sS" and word[-2] in _APOSTROPHES else ""


def _is_initial(form: str, text: str, start: int, end: int) -> bool:
    """Return True for a single capital letter, except "A" and "I" before a lowercase word."""
    if len(form) != 1 or not "A" <= text[start] <= "Z":
        return False
    return form not in _ARTICLE_OR_PRONOUN or not (text[end : end + 1] == " " and text[end + 1 : end + 2].islower())
