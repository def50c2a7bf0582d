"""Checks and cleaning of text: valid UTF-8, control characters, and keys for HTTP headers."""

from __future__ import annotations

import re

from overstory_entropy.errors import OBEYED as OBEYED
from overstory_entropy.errors import printable as printable

_LINE_END = re.compile("[\n\t\u2028\u2029]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def is_well_formed(text: str) -> bool:
    """Return True if UTF-8 can encode the text, which has no lone surrogates."""
    return text.isascii() or _SURROGATE.search(text) is None


def well_formed(text: str) -> str:
    """Replace each lone surrogate by a replacement character; the length stays the same.

    Python creates lone surrogates from broken JSON or file names; most libraries reject them.
    """
    return text if text.isascii() else _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def is_key(text: str) -> bool:
    """Return True if an HTTP header can contain the text. A library's own error could reveal the key."""
    return text.isascii() and text.isprintable()


def on_one_line(text: str) -> str:
    """Return the text without control and invisible characters, with white space collapsed."""
    return " ".join(printable(text).split())


def escaped(name: str) -> str:
    """Return a name on one line, with line ends, control and invisible characters escaped as in Python."""
    return _LINE_END.sub(_as_written, OBEYED.sub(_as_written, name))


def _as_written(character: re.Match[str]) -> str:
    return ascii(character.group())[1:-1]
