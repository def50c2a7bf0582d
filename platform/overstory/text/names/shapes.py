"""Technical names, which are recognised by their form: identifiers, options, manual pages and files.

"os.path.join", "--max-depth", "find(1)" and "/etc/fstab" are names wherever they occur, even in lower case. Their keys
keep punctuation, so that `-name` is not "name" and `max_depth` is not "max depth".
"""

from __future__ import annotations

import re
from typing import NamedTuple

from overstory.text.function_words import FUNCTION_WORDS

CODE, OPTION, COMMAND, FILE, PACKAGE, TERM = "CODE", "OPTION", "COMMAND", "FILE", "PACKAGE", "TERM"
"""Types of names in addition to the entity types of the extractor's pipeline:

- CODE: an identifier.
- OPTION: an option of a command.
- COMMAND: a command or manual page.
- FILE: a file or folder.
- PACKAGE: an installed package.
- TERM: a term that a text defines.
"""

_LONGEST_SHAPE_CHARACTERS = 80
"""Maximum length of a technical name. Longer strings are data."""

_DEEPEST_INDENT_COLUMNS = 40
"""Maximum indentation of an option that begins a line."""


class Shape(NamedTuple):
    """A technical name with its key, type and character offsets."""

    key: str
    type: str
    start: int
    end: int


_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_SHAPES = re.compile(
    rf"""
    (?P<address>(?<![\w.+-])(?:(?:[a-z][a-z+.-]{{0,20}}://|www\.)\S+ | [\w.+-]+@[\w-]+(?:\.[\w-]+)+))
  | (?P<path>(?<![\w/.:)}}\]~*]) ~?/ (?:[A-Za-z0-9_.+@-]+/)+ [A-Za-z0-9_.+@-]* )
  | (?P<long>(?<![\w./=-])--[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*(?![\w]))
  | (?P<short>(?<![^\s(\[{{`'"|,/])-[A-Za-z][A-Za-z0-9]*(?:-[a-z0-9]+)*(?![\w-]))
  | (?P<page>(?<![\w.-])[A-Za-z][A-Za-z0-9_.+:-]{{0,80}}\([1-9][a-z]{{0,2}}\)(?!\w))
  | (?P<scope>(?<![\w:]){_NAME}(?:::{_NAME})+(?:\(\))?)
  | (?P<dotted>(?<![\w.@\\:-]){_NAME}(?:\.{_NAME})+(?:\(\))?(?!\w))
  | (?P<word>(?<![\w.'’@\\-])(?=[A-Za-z0-9]*(?:_|[a-z0-9][A-Z]|[A-Z]{{2}}[a-z]{{3}}|\(\))){_NAME}(?:\(\))?(?![\w’]))
    """,
    re.VERBOSE,
)
_EVIDENCE = re.compile(
    r"_|\(\)|\([1-9]|::|~/|/(?:etc|usr|var|home|opt|s?bin|lib|dev|proc|sys|tmp|root|boot|srv|mnt|media|run)/"
    r"|(?<![\w-])--?[A-Za-z]|[a-z0-9]\.[A-Za-z]"
)
"""Matches in every text that contains an unambiguous technical name. Most prose does not match, which saves time."""

_MARK = re.compile(r"[_./:(-]")
_SNAKE = re.compile(r"_*[A-Za-z0-9]+(?:_+[A-Za-z0-9]+)+_*|__[A-Za-z0-9]+__")
_LOWER_CAMEL = re.compile(r"[a-z][a-z0-9]*+(?:[A-Z]++[a-z0-9]++)++")
_CAMEL = re.compile(r"[A-Z][a-z0-9]++[A-Z][A-Za-z0-9]*+|[A-Z]{2,}+[a-z0-9]{3,}+")
_SURNAME = re.compile(r"(?:Mac|Mc|De|Di|Du|La|Le|Van|Von|Fitz|O)[A-Z][a-z]+")
_JOINED_SENTENCES = re.compile(r"[a-z0-9]\.[A-Z]")
_IS_CODE = re.compile(r"\bclass\s+(?P<defined>[A-Z]\w*)|\b(?P<called>[A-Z]\w*)\((?!s\))")
_ROOT = re.compile(r"/(?:etc|usr|var|home|opt|s?bin|lib|dev|proc|sys|tmp|root|boot|srv|mnt|media|run)/|~/")
_TOP_DOMAINS = "com org net edu gov mil int info biz eu uk us de fr nl it es ru jp cn ch at au ca nz ug in br tv"
_FILE_ENDINGS = (
    "bz2 c cc cfg conf cpp css csv deb desktop doc gz h html ini ipynb iso java jpg js json list lock log md mk mo o "
    "odt pdf pem php pl png po py rb rpm rs rst service sh so socket sql svg tar tex toml ts txt xml xz yaml yml zip"
)
_DOMAINS, _ENDINGS = frozenset(_TOP_DOMAINS.split()), frozenset(_FILE_ENDINGS.split())


def shapes(text: str) -> list[Shape]:
    """Return the technical names in a text, in order and without overlaps.

    Some forms also occur in prose: "-based", "getElement", or "film.Bollywood" with a missing space. They count only if
    the text also contains an unambiguous technical name. "ExitStack" has the same form as "YouTube", so such a word
    counts only if the text also calls, defines or qualifies it: "ExitStack(…)", "class ExitStack" or
    "contextlib.ExitStack".
    """
    if not _EVIDENCE.search(text):
        return []
    sure: list[Shape] = []
    likely: list[Shape] = []
    camel: list[Shape] = []
    for match in _SHAPES.finditer(text):
        shape, certainty = _shape(match)
        if shape is not None and len(shape.key) <= _LONGEST_SHAPE_CHARACTERS:
            (camel, likely, sure)[certainty].append(shape)
    if not sure:
        return []
    parts = {part for shape in sure if shape.type == CODE for part in re.split(r"\W+", shape.key)} if camel else set()
    parts |= {(match["defined"] or match["called"]).lower() for match in (_IS_CODE.finditer(text) if camel else ())}
    return sorted(sure + likely + [shape for shape in camel if shape.key in parts], key=lambda shape: shape.start)


def shape_key(surface: str) -> str:
    """Return the key of a string that consists of exactly one technical name, otherwise "". A key is its own key."""
    if " " in surface or not _MARK.search(surface):
        return ""
    match = _SHAPES.fullmatch(surface)
    shape = _shape(match)[0] if match else None
    return (
        shape.key
        if shape is not None and shape.end == len(surface) and len(shape.key) <= _LONGEST_SHAPE_CHARACTERS
        else ""
    )


def shapes_of_question(question: str) -> list[Shape]:
    """Return the technical names in a question, including names with an uncertain form.

    Uncertain forms do no harm, because the caller looks up only known names.
    """
    found = (_shape(match)[0] for match in _SHAPES.finditer(question))
    return [shape for shape in found if shape is not None and len(shape.key) <= _LONGEST_SHAPE_CHARACTERS]


_CAMEL_WORD, _LIKE_PROSE, _SURE_SHAPE = range(3)
_FoundShape = tuple[Shape | None, int]
"""A technical name (or None), and the certainty of its form: `_CAMEL_WORD`, `_LIKE_PROSE` or `_SURE_SHAPE`."""


def _shape(match: re.Match[str]) -> _FoundShape:
    kind, surface = match.lastgroup, match.group()
    start, end = match.span()
    if kind == "long":
        return Shape(surface.lower(), OPTION, start, end), _SURE_SHAPE
    if kind == "short":  # "-v" and "-V" are different options
        before = match.string[max(0, start - _DEEPEST_INDENT_COLUMNS) : start].rstrip(" \t")[-1:]
        first = before in ("", "\n", "[") and (len(surface) == 2 or surface[1].islower())
        key = surface if len(surface) == 2 else surface.lower()
        return Shape(key, OPTION, start, end), _SURE_SHAPE if first else _LIKE_PROSE
    if kind == "path":
        return _path(surface, start)
    if kind == "page":
        return Shape(surface.lower(), COMMAND, start, end), _SURE_SHAPE
    if kind == "scope":
        return Shape(surface.removesuffix("()").lower(), CODE, start, end), _SURE_SHAPE
    if kind == "dotted":
        return _dotted(surface, start, end)
    return _word(surface, start, end) if kind == "word" else (None, _SURE_SHAPE)


def _path(surface: str, start: int) -> _FoundShape:
    surface = surface.rstrip(".-")
    if all(len(part) < 2 for part in surface.split("/")):
        return None, _SURE_SHAPE
    end = start + len(surface)
    return Shape(surface, FILE, start, end), _SURE_SHAPE if _ROOT.match(surface) else _LIKE_PROSE


def _dotted(surface: str, start: int, end: int) -> _FoundShape:
    bare = surface.removesuffix("()")
    first, *others = bare.split(".")
    last = others[-1].lower()
    if last in _ENDINGS and min(map(len, (first, *others[:-1]))) > 1:
        return Shape(bare.lower(), FILE, start, end), _SURE_SHAPE
    like_others = "_" not in bare and (last in _DOMAINS or min(map(len, (first, *others))) < 2)
    if bare != surface or "_" in bare:  # "f.read()" keeps its brackets, because "f.read" could be a domain or initials
        return Shape((surface if like_others else bare).lower(), CODE, start, end), _SURE_SHAPE
    if like_others:
        return None, _SURE_SHAPE
    shape = Shape(bare.lower(), CODE, start, end)
    joined = _JOINED_SENTENCES.search(bare)
    if joined and (first[0].isupper() or any(part.lower() in FUNCTION_WORDS and part[0].isupper() for part in others)):
        return None, _SURE_SHAPE
    camel = any(_CAMEL.fullmatch(part) and not _SURNAME.fullmatch(part) for part in others)
    return shape, _SURE_SHAPE if camel or not (joined or first[0].isupper()) else _LIKE_PROSE


def _word(surface: str, start: int, end: int) -> _FoundShape:
    bare = surface.removesuffix("()")
    if _SNAKE.fullmatch(bare) and not bare.replace("_", "").isdigit():
        return Shape(bare.lower(), CODE, start, end), _SURE_SHAPE
    shape = Shape(surface.lower(), CODE, start, end)
    if bare != surface:
        return shape, _SURE_SHAPE
    if _LOWER_CAMEL.fullmatch(bare):
        return shape, _LIKE_PROSE
    return (shape, _CAMEL_WORD) if _CAMEL.fullmatch(bare) and not _SURNAME.fullmatch(bare) else (None, _SURE_SHAPE)
