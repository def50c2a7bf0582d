"""Finds pairs of names that may refer to the same entity, judged only by their spelling.

Names are compared only within a block. The names in a block have the same consonants, the same letters, the same words
except for the inner letters of one word, or the same last word and first initial. Other blocks contain an acronym or a
last name together with its possible full names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from overstory.text.function_words import FUNCTION_WORDS, word_set
from overstory.text.names.keys import entity_key, one_edit_apart
from overstory.text.names.shapes import CODE, COMMAND, FILE, OPTION, PACKAGE
from overstory.text.names.stop_names import is_stop_name

MergeReason = Literal["spelling", "abbreviation", "initials", "part"]
"""Reason why two names may be merged:

- spelling: the names are spelt differently.
- abbreviation: one name is an acronym of the other.
- initials: first names are abbreviated or left out in one of the names.
- part: one name is a part of the other.
"""

Form = Literal[
    "joined", "umlaut", "plural", "swapped", "letter", "acronym", "initial", "left out", "last name", "legal"
]
"""The exact difference between two names."""

REASONS: dict[Form, MergeReason] = {
    "joined": "spelling",
    "umlaut": "spelling",
    "plural": "spelling",
    "swapped": "spelling",
    "letter": "spelling",
    "acronym": "abbreviation",
    "initial": "initials",
    "left out": "initials",
    "last name": "part",
    "legal": "part",
}

_LONGEST_MERGED_WORDS = 7
_LEAST_JOINED_LETTERS = 5
_LEAST_VARIED_LETTERS = 5
"""Minimum length of a misspelt word in a name of several words."""
_LEAST_LONE_LETTERS = 7
"""Minimum length of a misspelt name of one word."""
_LEAST_PLURAL_LETTERS = 4
_LEAST_LAST_NAME_LETTERS = 3
ACRONYM_LETTERS = range(2, 7)
_MOST_LAST_NAME_WORDS = 4
"""Maximum number of words in a full name that may be shortened to its last word."""
SHORT_FIRST_LETTERS = range(3, 6)
_LEAST_SHORTENED_LETTERS = 3
"""Minimum number of letters that a short first name omits. "Chris" omits six of "Christopher", but "Nigel" only two of
"Nigella", which is another name."""

_TECHNICAL = frozenset({CODE, OPTION, COMMAND, FILE, PACKAGE})
_CODE = frozenset({CODE, OPTION, FILE})
_PLACES = frozenset({"GPE", "LOC", "FAC", "NORP", "LANGUAGE"})
_PERSON, _PEOPLE, _ORGANISATION = "PERSON", "NORP", "ORG"
_MARKS = re.compile(r"[^\w\s+#]|_")
_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"[ivxlcdm]+")
_VOWELS = frozenset("aeiouy")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ø": "oe", "å": "aa"})
_LEGAL = word_set("inc incorporated corp corporation co company ltd limited plc llc gmbh ag kg sa spa nv bv")
_JUNIOR = frozenset({"jr", "sr", "junior", "senior"})


class WrittenName(NamedTuple):
    """A name in the corpus.

    Attributes:
        type: entity type, or "" if unknown.
        passages: number of passages that mention the name.
    """

    key: str
    name: str
    type: str
    passages: int
    aliases: tuple[str, ...] = ()


class SameName(NamedTuple):
    """Two names that may refer to the same entity. `name` could be merged into `into`."""

    name: WrittenName
    into: WrittenName
    form: Form


def blocks_of(name: WrittenName) -> Iterator[str]:
    """Yield the blocks to which a name belongs. Identifiers, options, versions and numbers belong to none."""
    words = name.key.split()
    if not 1 <= len(words) <= _LONGEST_MERGED_WORDS or _MARKS.search(name.key) or is_stop_name(name.name):
        return
    if not name.type and name.name == name.key:  # a generated short form that no text contains
        return
    joined = "".join(words)
    if len(joined) >= _LEAST_JOINED_LETTERS:
        yield f"c {_consonants(joined)}"
        if joined.isalpha():
            yield f"l {''.join(sorted(joined))}"
    if len(words) == 1:
        if _is_acronym(name):
            yield f"a {joined}"
        if len(joined) >= _LEAST_LAST_NAME_LETTERS and name.type not in _PLACES:
            yield f"n {joined}"
    else:
        yield from (f"a {letters}" for letters in _acronyms(words) if len(letters) in ACRONYM_LETTERS)
        yield from (
            f"w {' '.join([*words[:place], word[0] + '_' + word[-1], *words[place + 1 :]])}"
            for place, word in enumerate(words)
            if len(word) >= _LEAST_VARIED_LETTERS and word.isalpha()
        )
        yield f"i {words[0][0]} {words[-1]}"
        if name.type == _PERSON and len(words) <= _MOST_LAST_NAME_WORDS and len(words[-1]) >= _LEAST_LAST_NAME_LETTERS:
            yield f"n {words[-1]}"
    yield f"o {' '.join(_without_legal_form(words))}"


def same_name(one: WrittenName, other: WrittenName) -> SameName | None:
    """Return which of two names may be merged into the other and why, or None if their spelling differs too much."""
    if one.key == other.key:
        return None
    if (form := _spelling(one, other)) is not None:
        return _into_the_more_frequent(one, other, form)
    name, into = sorted((one, other), key=lambda each: (len(each.key.split()), len(each.key), each.key))
    longer = into.key.split()
    if _is_acronym(name) and name.key not in longer and name.key in _acronyms(longer):
        return SameName(name, into, "acronym")
    if _DIGITS.findall(one.key) != _DIGITS.findall(other.key):
        return None
    if _is_last_name(name, into):
        return SameName(name, into, "last name")
    if into.type == name.type == _ORGANISATION and name.key.split() == _without_legal_form(longer):
        return SameName(name, into, "legal")
    return _initials(one, other)


def _spelling(one: WrittenName, other: WrittenName) -> Form | None:
    a, b = one.key, other.key
    if _DIGITS.findall(a) != _DIGITS.findall(b):
        return None
    if a.replace(" ", "") == b.replace(" ", ""):
        return None if _CODE & {one.type, other.type} else "joined"
    if _TECHNICAL & {one.type, other.type}:
        return None
    if _umlauts_spelt_out(one, b) or _umlauts_spelt_out(other, a):
        return "umlaut"
    first, second = a.split(), b.split()
    if len(first) != len(second):
        return None
    differing = [(x, y) for x, y in zip(first, second, strict=True) if x != y]
    if len(differing) != 1:
        return None
    x, y = differing[0]
    if not (x.isalpha() and y.isalpha()) or (_ROMAN.fullmatch(x) and _ROMAN.fullmatch(y)):
        return None
    is_last = first[-1] != second[-1]
    may_be_plural = len(first) > 1 or one.type == other.type == _PEOPLE  # the plural of one word may be another thing
    if is_last and may_be_plural and _PERSON not in (one.type, other.type) and _is_plural(x, y):
        return "plural"
    least = _LEAST_VARIED_LETTERS if len(first) > 1 else _LEAST_LONE_LETTERS
    if min(len(x), len(y)) < least or x[0] != y[0] or x[-1] != y[-1]:
        return None  # names that differ in the first or last letter are different: Robert and Roberta, set and get
    if _is_swapped(x, y):
        return "swapped"
    person = len(first) > 1 and _PERSON in (one.type, other.type)
    if one_edit_apart(x, y) and (person or _consonants(x) == _consonants(y)):  # setuid and setgid differ in a consonant
        return "letter"
    return None


def _initials(one: WrittenName, other: WrittenName) -> SameName | None:
    """Return how two full names may be merged, or None if their last names differ or their first names do not match.

    First names may be abbreviated or missing in one of the names.
    """
    *firsts, last = one.key.split()
    *others, other_last = other.key.split()
    if last != other_last or not firsts or not others or len(last) < _LEAST_LAST_NAME_LETTERS or last in _JUNIOR:
        return None
    if _PERSON not in (one.type, other.type) or _PLACES & {one.type, other.type}:
        return None
    a, b = _apart(firsts, one), _apart(others, other)
    if not _fits(a[0], b[0]) or not (_in_order(a[1:], b[1:]) or _in_order(b[1:], a[1:])):
        return None
    if set(a) <= set(b) or set(b) <= set(a):
        return _into_the_more_frequent(one, other, "left out") if one.type == other.type else None
    return _into_the_more_frequent(one, other, "initial")


def _into_the_more_frequent(one: WrittenName, other: WrittenName, form: Form) -> SameName:
    name, into = sorted((one, other), key=lambda each: (each.passages, len(each.key), each.key))
    return SameName(name, into, form)


def _is_last_name(name: WrittenName, into: WrittenName) -> bool:
    *others, last = into.key.split()
    return (
        bool(others)
        and name.key == last
        and into.type == _PERSON
        and bool(name.type)
        and name.type not in _PLACES
        and FUNCTION_WORDS.isdisjoint(others)
        and len(others) < _MOST_LAST_NAME_WORDS
        and last not in _JUNIOR
        and len(last) >= _LEAST_LAST_NAME_LETTERS
    )


def _is_acronym(name: WrittenName) -> bool:
    if " " in name.key or not name.key.isalpha() or len(name.key) not in ACRONYM_LETTERS:
        return False
    return any(sum(map(str.isupper, each)) >= len(name.key) for each in (name.name, *name.aliases))


def _acronyms(words: Sequence[str]) -> set[str]:
    """Return the possible acronyms of a name: all initials, and the initials without words such as "of" and "the"."""
    if len(words) < 2 or not all(word[0].isalpha() for word in words):
        return set()
    weighty = [word for word in words if word not in FUNCTION_WORDS]
    return {"".join(word[0] for word in some) for some in (words, weighty) if len(some) >= 2}


def _without_legal_form(words: Sequence[str]) -> list[str]:
    kept = list(words)
    while len(kept) > 1 and kept[-1] in _LEGAL:
        kept.pop()
    if kept[-1] == "and" and len(words) - len(kept) > 0 and len(kept) > 1:
        kept.pop()
    return kept


def _consonants(word: str) -> str:
    """Return the first letter of a word and its other consonants and digits.

    Repeated consonants, "h" and a plural "s" are left out.
    """
    kept = [word[0]]
    for letter in word[1:].rstrip("s"):
        if letter not in _VOWELS and letter != "h" and letter != kept[-1]:
            kept.append(letter)
    return "".join(kept)


def _is_plural(x: str, y: str) -> bool:
    short, long = sorted((x, y), key=len)
    if len(short) < _LEAST_PLURAL_LETTERS or short.endswith("s"):
        return False
    return long in (short + "s", short + "es") or (short.endswith("y") and long == short[:-1] + "ies")


def _is_swapped(x: str, y: str) -> bool:
    if len(x) != len(y):
        return False
    places = [i for i, (a, b) in enumerate(zip(x, y, strict=True)) if a != b]
    if len(places) != 2 or places[1] != places[0] + 1:
        return False
    return x[places[0]] == y[places[1]] and x[places[1]] == y[places[0]]


def _umlauts_spelt_out(name: WrittenName, key: str) -> bool:
    return any(
        not each.isascii() and entity_key(each.translate(_UMLAUTS)) == key for each in (name.name, *name.aliases)
    )


def _apart(words: Sequence[str], name: WrittenName) -> list[str]:
    """Return a person's first names, after splitting initials that are joined in the key ("jk")."""
    surfaces = [each.replace(".", "").replace(" ", "") for each in (name.name, *name.aliases)]
    found: list[str] = []
    for word in words:
        joined = 2 <= len(word) <= 3 and any(word.upper() in each for each in surfaces)
        found += list(word) if joined else [word]
    return found


def _in_order(short: Sequence[str], full: Sequence[str]) -> bool:
    rest = iter(full)
    return all(any(_fits(word, each) for each in rest) for word in short)


def _fits(x: str, y: str) -> bool:
    """Return True if two first names are equal, or if one is the initial or a short form of the other."""
    short, full = sorted((x, y), key=len)
    if len(short) == 1:
        return short == full[0]
    is_shortened = len(short) in SHORT_FIRST_LETTERS and len(full) - len(short) >= _LEAST_SHORTENED_LETTERS
    return short == full or (is_shortened and full.startswith(short))
