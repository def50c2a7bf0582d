"""Checks of text: whether UTF-8 can encode it, whether a terminal would obey it, and whether it can be a key in an HTTP
header."""

from __future__ import annotations

import re

from overstory_entropy.errors import OBEYED as OBEYED
from overstory_entropy.errors import printable as printable

_LINE_END = re.compile("[\n\t\u2028\u2029]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def is_well_formed(text: str) -> bool:
    """Whether UTF-8 can encode a text: it has no lone surrogate."""
    return text.isascii() or _SURROGATE.search(text) is None


def well_formed(text: str) -> str:
    """The text with a replacement character for every lone surrogate; its length stays the same.

    Python reads lone surrogates from broken JSON or file names; no library below us accepts them.
    """
    return text if text.isascii() else _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def is_key(text: str) -> bool:
    """Whether an HTTP header can contain a text. Checked by us, because a library's error may show the key."""
    return text.isascii() and text.isprintable()


def on_one_line(text: str) -> str:
    """The text without control and invisible characters, its white space squeezed."""
    return " ".join(printable(text).split())


def escaped(name: str) -> str:
    """A name on one line: line ends, and what a terminal would obey or nobody sees, as Python writes it."""
    return _LINE_END.sub(_as_written, OBEYED.sub(_as_written, name))


def _as_written(character: re.Match[str]) -> str:
    return ascii(character.group())[1:-1]
