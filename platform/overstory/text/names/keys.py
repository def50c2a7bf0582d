"""One form for the many ways a name is written. Surfaces with one key are aliases of one entity."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator

from overstory.text.names.shapes import shape_key

_PARENTHESIS = re.compile(r"(?<!\s)\s*+\([^)]*+(?P<end>\))?")
"""One that does not end goes to the end of the text, so that a run of openings is read once."""


def without_parentheses(title: str) -> str:
    """The title without its parentheses and the white space before them; one that is not closed stays."""
    return _PARENTHESIS.sub(lambda found: "" if found["end"] else found.group(), title)


LONGEST_MISSPELT_WORDS = 6
LEAST_MISSPELT_LETTERS = 5
"""Letters of the words that differ; in shorter ones a letter more makes another name: "Ann Lee", "Anna Lee"."""


class Spellings:
    """Names of 2–6 words, by all their words but one."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self._but_one: dict[tuple[str, ...], list[tuple[str, str]]] = {}
        for key in dict.fromkeys(keys):
            self.add(key)

    def add(self, key: str) -> None:
        """Looks for other spellings of this name too; one must not be added twice."""
        for word, others in but_one(key):
            self._but_one.setdefault(others, []).append((word, key))

    def of(self, key: str) -> Iterator[str]:
        """The names in which one word is written with one letter more, less or other than in this one."""
        for word, others in but_one(key):
            for similar, name in self._but_one.get(others, ()):
                if name != key and one_edit_apart(word, similar):
                    yield name


def one_edit_apart(a: str, b: str) -> bool:
    """Whether a letter inserted, left out or replaced makes one word the other; False for equal ones."""
    if len(a) > len(b):
        a, b = b, a
    if len(b) - len(a) > 1 or a == b:
        return False
    same = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    return a[same:] == b[same + 1 :] or a[same + 1 :] == b[same + 1 :]


def but_one(key: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every word of a name that may be written otherwise, with the name without it, its place marked."""
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
    "\u0640\u064b-\u065f\u0670]"  # Arabic vowel signs, and the stroke that widens a word
)
_SPACE = re.compile(r"\s+")
ALONE = "\u3005-\u3007\u3040-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Characters that are a word each, for a regular expression's class: Han and Hiragana, which no spaces part."""
KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff"
"""Characters of which a run is a word, whatever stands beside it."""
_UNSPACED = re.compile(f"[{ALONE}]|[{KATAKANA}]+")
_ARTICLE = re.compile(r"^(?:the|an?)(?:\s+|$)")
_POSSESSIVE = re.compile(r"(?<!\s)\s*+'s?$")


def unaccented(text: str) -> str:
    """The text in plain letters, its case kept: NFKD, accents off, letters such as ø and þ spelt out.

    Marks that make another letter stay: those of Devanagari or Thai, and が is not か.
    """
    if text.isascii():
        return text.replace("`", "'")
    # The letters go first, because NFKD takes ´ apart.
    return unicodedata.normalize("NFKC", _MARKS.sub("", unicodedata.normalize("NFKD", text.translate(_LETTERS))))


def fold(text: str) -> str:
    """The form in which texts are compared: `unaccented`, without case, white space squeezed."""
    return _SPACE.sub(" ", unaccented(text).casefold()).strip()


@functools.lru_cache(maxsize=65_536)
def entity_key(surface: str) -> str:
    """The key by which entities are merged; "" when nothing is left, which names nothing.

    Off go case, accents, punctuation, a leading article and a possessive 's; initials are joined ("J. R. R. Tolkien"
    and "J.R.R. Tolkien" are one), and so are the halves of "O'Brien". "&" is "and"; "C++" and "C#" are not "C". An
    identifier, an option, a manual page or a file keeps its marks (`shapes`): "os.path.join()" is "os.path.join", and
    "--max-depth" itself.
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
    """The words of a text as keys have them; articles, possessives and initials are left as they are."""
    return _words(fold(text))


def is_unspaced(form: str) -> bool:
    """Whether a word is one of a script that puts no spaces between words."""
    return _UNSPACED.match(form) is not None


def _edges_off(name: str) -> str:
    """Without quotes, brackets and the like around it; an apostrophe at the end may be a possessive's."""
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
    """Nothing for characters that are not seen (joiners, soft hyphens, direction marks), a space for the others."""
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
