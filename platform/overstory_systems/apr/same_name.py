"""Which names of a codebook say the same, so that they may be one symbol.

Cosines cannot tell: "Sydney, Australia" and "Melbourne, Australia", "first single" and "second single", and any two
dates of a month are nearer than .93. So two names are only the same where their words are, but for what changes no
meaning: articles, a possessive 's, hyphens, the order of a date, "X of Y" for "Y X", British spelling, some
abbreviations, number words, and the plural of common nouns that stand for a kind. Every other difference keeps names
apart: a digit, a sign, an initial, a Roman numeral, "not", "north", "female", or any word more.
"""

from __future__ import annotations

import functools
import itertools
import re
import string
from collections.abc import Iterable
from typing import NamedTuple

from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.names.keys import unaccented

_ABBREVIATIONS = {
    "US": "united states", "USA": "united states of america", "UK": "united kingdom", "UN": "united nations",
    "EU": "european union", "USSR": "soviet union", "WWI": "world war i", "WWII": "world war ii",
    "TV": "television", "tv": "television", "vs": "versus",
}  # fmt: skip
_BEFORE_A_NAME = {"St": "saint", "Mt": "mount", "Ft": "fort"}
"""Where a capitalised word follows: "Main St" is a street."""
_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve"
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_TWENTIES = "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
_DIGITS = (
    {word: str(number) for number, word in enumerate(_NUMBERS.split())}
    | dict(zip(_ORDINALS.split(), ("1st", "2nd", "3rd", *(f"{n}th" for n in range(4, 13))), strict=True))
    | {word: f"{number}th" for number, word in enumerate(_TWENTIES.split(), start=13)}
)
_MONTHS = "january february march april may june july august september october november december"
_ARTICLES = frozenset(("the", "a", "an"))
_THIS = (
    "the this that these those both each every my our your his her its their same other previous next following last"
)
_PARTICULAR = frozenset(_THIS.split())
"""With one of these a plural is another thing than the singular: "his brother", "his brothers"."""
_MANY = (
    "arms customs forces glasses goods grounds headquarters letters lyrics means minutes news papers physics politics "
    "remains series species spirits works"
)
_OWN_PLURALS = frozenset(_MANY.split())
"""Plurals that are no more of their singular."""
_BRITISH = (
    (re.compile(r"(?<=[a-z]{2})(?<!d)(?<=[bdlmnopvu])our(?=$|s$|ed$|ing$|ite$|able$)"), "or"),
    (re.compile(r"^(cent|theat|met|lit|fib|kilomet|centimet|millimet)re(?=s?$)"), r"\1er"),
    (re.compile(r"^(defen|offen|licen)ce(?=s?$)"), r"\1se"),
    (re.compile(r"^programme(?=s?$)"), "program"),
    (re.compile(r"^grey$"), "gray"),
    (re.compile(r"isation(?=s?$)"), "ization"),
)

_EDGES = "\"'“”‘’„«»`.,;:!?…()[]{}"
_LETTERS = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*(?:['’]s?)?")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_SHORT_FORM = re.compile(r"\s\(([A-Z][A-Z&]+)\)")
_DAY = re.compile(r"(?:[12]?\d|3[01])(?:st|nd|rd|th)?")


class _Word(NamedTuple):
    """A word of a name.

    Attributes:
        form: as names are compared.
        full: before its plural's s went off.
        lower: whether it is in lower case, or the first word of a text that else is.
    """

    form: str
    full: str
    lower: bool


class _ComparedName(NamedTuple):
    words: tuple[_Word, ...]
    particular: bool
    """Whether it is about certain things, so that their number matters."""


def name_form(text: str) -> str:
    """What all names that are the same have in common; "" for a text without words."""
    return " ".join(word.form for word in _read(text).words)


def same_name(one: str, other: str) -> bool:
    """Whether two names say the same, whatever their vectors are."""
    a, b = _read(one), _read(other)
    if not a.words or [word.form for word in a.words] != [word.form for word in b.words]:
        return False
    plurals = [(x, y) for x, y in zip(a.words, b.words, strict=True) if x.full != y.full]
    return not plurals or (not (a.particular or b.particular) and all(x.lower and y.lower for x, y in plurals))


@functools.lru_cache(maxsize=65_536)
def _read(text: str) -> _ComparedName:
    tokens, owned = _tokens(_without_short_form(" ".join(unaccented(text).split())))
    if len(tokens) > 1 and tokens[0].istitle() and _are_common(tokens[1:]):
        tokens[0] = tokens[0].lower()  # as a sentence begins
    particular = owned or any(token in _PARTICULAR for token in tokens)
    kept = [token for token in tokens[:-1] if token not in _ARTICLES] + tokens[-1:]  # "Ivan the" is cut off
    spelt, turned = _heads_last(_written_out(kept))
    return _ComparedName(tuple(map(_word, _days_first(spelt))), particular or turned)


def _are_common(tokens: Iterable[str]) -> bool:
    return all(token.islower() for token in tokens if token.isalpha())


def _tokens(text: str) -> tuple[list[str], bool]:
    """The words in the case of the text, and whether one is a possessive. What is no plain word stays as it is."""
    tokens: list[str] = []
    owned = False
    for piece in text.split(" "):
        bare = piece.strip(_EDGES)
        if _LETTERS.fullmatch(bare):
            owned |= bare.endswith(("'s", "’s"))
            owned |= bare.endswith("s") and piece.rstrip(",;:.)").endswith(("s'", "s’"))
            plain = re.sub("['’]s?$", "", bare)
            tokens += [part.replace("'", "").replace("’", "") for part in plain.split("-")]
        elif _INITIALS.fullmatch(piece.strip(_EDGES.replace(".", ""))):
            tokens.append(bare.replace(".", ""))
        elif any(character.isdigit() for character in bare):
            tokens.append(_number(piece))
        elif piece == "&":
            tokens.append("and")
        elif any(map(str.isalnum, piece)):
            tokens.append(piece)
    return tokens, owned


def _number(piece: str) -> str:
    """What has a digit, with its sign or unit, and without the commas of thousands."""
    bare = piece.strip(_EDGES + "–—")
    return _THOUSANDS.sub("", bare).replace("−", "-").replace("–", "-")


def _without_short_form(text: str) -> str:
    """Without initials in brackets that repeat the words before them."""
    match = _SHORT_FORM.search(text)
    if not match:
        return text
    capitals = "".join(word[0] for word in text[: match.start()].split() if word[0].isupper())
    return text[: match.start()] + text[match.end() :] if capitals.endswith(match[1].replace("&", "")) else text


def _written_out(tokens: list[str]) -> list[str]:
    words: list[str] = []
    for token, after in zip(tokens, [*tokens[1:], ""], strict=False):
        if token in _ABBREVIATIONS:
            words += _ABBREVIATIONS[token].title().split() if token.isupper() else [_ABBREVIATIONS[token]]
        elif token in _BEFORE_A_NAME and after[:1].isupper():
            words.append(_BEFORE_A_NAME[token].title())
        else:
            words.append(token)
    return words


def _heads_last(tokens: list[str]) -> tuple[list[str], bool]:
    """ "parish of Warton" as "Warton parish", and whether that was done. Names of places and institutions keep their
    order: the University of Miami is not Miami University."""
    parts: list[list[str]] = [[]]
    for token in tokens:
        if token == "of":  # noqa: S105 # a word
            parts.append([])
        else:
            parts[-1].append(token)
    plain = all(part and all(token.islower() for token in part) for part in parts[:-1])
    if len(parts) == 1 or not (plain and parts[-1]):
        return tokens, False
    return [token for part in reversed(parts) for token in part], True


def _days_first(tokens: list[str]) -> list[str]:
    """ "July 18, 2012" as "18 July 2012"."""
    words = list(tokens)
    for place, (month, day) in enumerate(itertools.pairwise(tokens)):
        numbered = place > 0 and tokens[place - 1].isdigit()
        if month.lower() in _MONTHS.split() and _DAY.fullmatch(day) and not numbered:
            words[place : place + 2] = [day.rstrip(string.ascii_lowercase), month]
    return words


def _word(token: str) -> _Word:
    lower = token.islower()
    if not token.isalpha():
        return _Word(token, token, lower)  # case counts in "-v", "x86_64" and the like
    full = token.casefold()
    full = _DIGITS.get(full, full)
    if lower:
        for spelling, american in _BRITISH:
            full = spelling.sub(american, full)
    return _Word(_singular(full) if lower else full, full, lower)


def _singular(word: str) -> str:
    if len(word) < 4 or word in _OWN_PLURALS or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("sses", "shes", "ches", "xes", "zes")) else word[:-1]


_OTHER = (
    "acting and anti assistant associate big bottom central co counter current deputy double east eastern early elder "
    "ex fake female fictional final first foster front girls boys grand great half hyper inner junior large late left "
    "little lower major male men mid middle minor multi new non north northeast northern northwest old older out outer "
    "part post pre pro pseudo quarter quasi rear right second semi senior short single small south southeast southern "
    "southwest step sub super third top triple twin un upper vice virtual west western women younger youngest"
)
_CHANGING = FUNCTION_WORDS | frozenset(_OTHER.split())
"""Words that make another thing of what follows."""


def near_name(one: str, other: str) -> bool:
    """Whether one of two names says the other with one describing word more: "annual film festival", "film festival".

    It loses what the word says, and so serves only where a codebook is too large. The word stands before the last one,
    in lower case, has no digit, and is none that makes another thing ("former", "vice", "northern").
    """
    shorter, longer = sorted((one, other), key=lambda text: len(_read(text).words))
    short, long = _read(shorter), _read(longer)
    if len(long.words) != len(short.words) + 1 or len(short.words) < 2 or short.particular != long.particular:
        return False
    place = next((i for i, (x, y) in enumerate(zip(short.words, long.words, strict=False)) if x != y), -1)
    if place < 0 or (place == 0 and longer[:1].isupper()) or short.words[place:] != long.words[place + 1 :]:
        return False
    more = long.words[place]
    return more.lower and len(more.form) > 2 and more.form.isalpha() and more.form not in _CHANGING
