"""Check and clean texts: characters that UTF-8 cannot encode, control characters, and keys for HTTP headers."""

from __future__ import annotations

import re

from overstory_entropy.errors import OBEYED as OBEYED
from overstory_entropy.errors import printable as printable

_LINE_END = re.compile("[\n\t\u2028\u2029]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def is_well_formed(text: str) -> bool:
    """Return True if UTF-8 can encode the text, which means that it contains no lone surrogates."""
    return text.isascii() or _SURROGATE.search(text) is None


def well_formed(text: str) -> str:
    """Replace each lone surrogate by the replacement character U+FFFD.

    Python creates lone surrogates from broken JSON and file names. Most libraries reject them. The length of the text
    does not change.
    """
    return text if text.isascii() else _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def is_key(text: str) -> bool:
    """Return True if an HTTP header can contain this key.

    Check a key before use, because the error message of an HTTP library could reveal an invalid key.
    """
    return text.isascii() and text.isprintable()


def on_one_line(text: str) -> str:
    """Return the text on one line: without control and invisible characters, and with single spaces between words."""
    return " ".join(printable(text).split())


def escaped(name: str) -> str:
    """Return a name on one line. Line breaks, tabs, control and invisible characters are escaped as in Python."""
    return _LINE_END.sub(_as_written, OBEYED.sub(_as_written, name))


def _as_written(character: re.Match[str]) -> str:
    return ascii(character.group())[1:-1]
