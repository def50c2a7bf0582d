"""Keys of entity names: a normalised form. Spellings with the same key are names of the same entity."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator

from overstory.text.names.shapes import shape_key

_PARENTHESIS = re.compile(r"(?<!\s)\s*+\([^)]*+(?P<end>\))?")
"""Matches a parenthesis and the space before it. An unclosed parenthesis matches to the end of the text; otherwise many
unclosed parentheses would take quadratic time."""


def without_parentheses(title: str) -> str:
    """Return a title without parentheses and the white space before them. Unclosed parentheses are kept."""
    return _PARENTHESIS.sub(lambda found: "" if found["end"] else found.group(), title)


LONGEST_MISSPELT_WORDS = 6
LEAST_MISSPELT_LETTERS = 5
"""Minimum length of a word that may be misspelt. Short names that differ in one letter may be different people: Ann Lee
and Anna Lee."""


class Spellings:
    """An index of names, which finds names that differ in one letter.

    Names are indexed by all their words except one. Only names with two to six words are added.
    """

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self._but_one: dict[tuple[str, ...], list[tuple[str, str]]] = {}
        for key in dict.fromkeys(keys):
            self.add(key)

    def add(self, key: str) -> None:
        """Add a name. A name must not be added twice."""
        for word, others in but_one(key):
            self._but_one.setdefault(others, []).append((word, key))

    def of(self, key: str) -> Iterator[str]:
        """Yield the indexed names that differ from a name in one letter of one word."""
        for word, others in but_one(key):
            for similar, name in self._but_one.get(others, ()):
                if name != key and one_edit_apart(word, similar):
                    yield name


def one_edit_apart(a: str, b: str) -> bool:
    """Return True if inserting, deleting or replacing exactly one letter turns one word into the other."""
    if len(a) > len(b):
        a, b = b, a
    if len(b) - len(a) > 1 or a == b:
        return False
    same = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    return a[same:] == b[same + 1 :] or a[same + 1 :] == b[same + 1 :]


def but_one(key: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each word of a name that may be misspelt, and the name's words with this word replaced by ""."""
    words = tuple(key.split())
    if 2 <= len(words) <= LONGEST_MISSPELT_WORDS:
        for place, word in enumerate(words):
            if len(word) >= LEAST_MISSPELT_LETTERS and word.isalpha():
                yield word, (*words[:place], "", *words[place + 1 :])


_LETTERS = str.maketrans(
    {
        "Ø": "O", "ø": "o", "Ł": "L", "ł": "l", "Đ": "D", "đ": "d", "ß": "ss", "ẞ": "SS", "Æ": "AE", "æ": "ae",
        "Œ": "OE", "œ": "oe", "ı": "i", "Ð": "D", "ð": "d", "Þ": "Th", "þ": "th", "Ħ": "H", "ħ": "h",
        "Ŀ": "L", "ŀ": "l",
        "‘": "'", "’": "'", "ʼ": "'", "ʻ": "'", "ʹ": "'", "`": "'", "´": "'", "＇": "'",
    }
)  # fmt: skip
_MARKS = re.compile(
    "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"  # accents of Latin, Greek and Cyrillic
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"  # Hebrew points
    "\u0640\u064b-\u065f\u0670]"  # Arabic vowel signs, and the stroke that lengthens a word
)
_SPACE = re.compile(r"\s+")
ALONE = "\u3005-\u3007\u3040-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Han and Hiragana as ranges for a regular expression. Each of these characters counts as a word."""
KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff"
"""Katakana as ranges for a regular expression. A sequence of these characters is a word, whatever is next to it."""
_UNSPACED = re.compile(f"[{ALONE}]|[{KATAKANA}]+")
_ARTICLE = re.compile(r"^(?:the|an?)(?:\s+|$)")
_POSSESSIVE = re.compile(r"(?<!\s)\s*+'s?$")


def unaccented(text: str) -> str:
    """Return a text without accents. Case is preserved, and letters such as ø and þ are spelt out.

    The text is NFKD-normalised, and combining marks are removed, except where they distinguish letters: in Devanagari,
    Thai and Japanese (が is not か).
    """
    if text.isascii():
        return text.replace("`", "'")
    # `_LETTERS` are replaced first, because NFKD would split ´ into a space and a mark.
    return unicodedata.normalize("NFKC", _MARKS.sub("", unicodedata.normalize("NFKD", text.translate(_LETTERS))))


def fold(text: str) -> str:
    """Return a text in lower case, without accents and with single spaces: "cafe x" for "  Café  X"."""
    return _SPACE.sub(" ", unaccented(text).casefold()).strip()


@functools.lru_cache(maxsize=65_536)
def entity_key(surface: str) -> str:
    """Return the key of an entity name, or "" if nothing is left of the name. Names with equal keys are merged.

    Case, accents, punctuation, a leading article and a possessive 's are removed: "the U.S." becomes "us". Initials are
    joined: "J. R. R. Tolkien" becomes "jrr tolkien". "O'Brien" becomes "obrien", and "&" becomes "and". "C++" and "C#"
    keep their signs. Technical names keep their punctuation (see `shapes`): "os.path.join()" becomes "os.path.join",
    and "--max-depth" is unchanged.
    """
    shape = shape_key(surface.strip())
    if shape:
        return shape
    name = _edges_off(fold(surface))
    name = _POSSESSIVE.sub("", name)
    name = _ARTICLE.sub("", name)
    words = _words(name)
    return " ".join(_initials_joined(words))


def key_words(text: str) -> list[str]:
    """Return the words of a text, normalised as in keys but with articles, possessives and initials unchanged."""
    return _words(fold(text))


def is_unspaced(form: str) -> bool:
    """Return True if a word begins with a character of a script that is written without spaces."""
    return _UNSPACED.match(form) is not None


def _edges_off(name: str) -> str:
    """Strip quotation marks, brackets and the like, but not a final apostrophe, which may be a possessive."""
    start, end = 0, len(name)
    while start < end and not _in_word(name[start]):
        start += 1
    while end > start and not (_in_word(name[end - 1]) or name[end - 1] in "'+#"):
        end -= 1
    return name[start:end]


def _words(name: str) -> list[str]:
    spelt = name.replace("&", " and ").replace("'", "")
    if not spelt.isascii():
        spelt = _UNSPACED.sub(r" \g<0> ", spelt)
    return "".join(c if _in_word(c) or (c in "+#" and i and not spelt[i - 1].isspace()) else _gap(c)
                   for i, c in enumerate(spelt)).split()  # fmt: skip


def _in_word(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character)[0] == "M"


def _gap(character: str) -> str:
    """Return "" for an invisible character (joiner, soft hyphen, direction mark), and a space for any other."""
    return "" if unicodedata.category(character) == "Cf" else " "


def _initials_joined(words: list[str]) -> list[str]:
    joined: list[str] = []
    run = False
    for word in words:
        single = len(word) == 1 and word.isalpha() and word.isascii()
        if single and run:
            joined[-1] += word
        else:
            joined.append(word)
        run = single
    return joined
