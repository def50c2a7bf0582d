"""Checks of text: whether UTF-8 can encode it, whether a terminal would obey it, and whether it can be a key in an HTTP
header."""

from __future__ import annotations

import re

OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ud800-\udfff\ufeff"
    "\ufff9-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)
"""Control and invisible characters: control characters except line feeds and tabs, unpaired surrogates, and characters
of category Cf, such as bidirectional marks, zero-width spaces and tags. Not included are the joiners U+200C and U+200D,
which scripts and emoji need, and the Arabic, Syriac and Kaithi number signs, which are visible."""
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


def printable(text: str) -> str:
    """The text without control and invisible characters."""
    return OBEYED.sub("", text)


def on_one_line(text: str) -> str:
    """The text without control and invisible characters, its white space squeezed."""
    return " ".join(printable(text).split())


def escaped(name: str) -> str:
    """A name on one line: line ends, and what a terminal would obey or nobody sees, as Python writes it."""
    return _LINE_END.sub(_as_written, OBEYED.sub(_as_written, name))


def _as_written(character: re.Match[str]) -> str:
    return ascii(character.group())[1:-1]
