"""What is done to every text, so that a search finds what a reader sees. Nothing here changes how a text looks.

- Line ends of all kinds become "\\n"; white space around the text goes.
- Control characters, NUL among them, go: a database stores them, but nobody types them into a question.
- Soft hyphens and byte order marks inside a text go: they are invisible and split words.
- A lone surrogate (half of a character, mostly from JSON cut by UTF-16 units) becomes U+FFFD: UTF-8 cannot hold it, and
  one broken emoji should not cost a document.
- Characters are composed (Unicode NFC): full-text search and names compare code points, and "é" in two code points,
  as macOS and many PDFs have it, is another word than "é" in one. Ids are left alone: they are not for reading.
"""

from __future__ import annotations

import re
import unicodedata

TITLE_LIMIT = 1000
"""Longer titles are cut: they are not titles, and they stand above every chunk."""

_CONTROLS = "\\x00-\\x08\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f"
_CONTROL = re.compile(f"[{_CONTROLS}]")
_INVISIBLE = re.compile(f"[{_CONTROLS}\\xad\\ufeff]")
_LINE_END = re.compile("\\r\\n|[\\r\\v\\f\\x85\\u2028\\u2029]")
_LONE_SURROGATE = re.compile("[\\ud800-\\udfff]")


def clean_text(text: str) -> str:
    """The text as it is stored; cleaning twice changes nothing."""
    text = _LINE_END.sub("\n", text)
    text = _INVISIBLE.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFC", _LONE_SURROGATE.sub("\ufffd", text))
    return text.strip()


def clean_title(text: str) -> str:
    """One line, with single spaces."""
    return " ".join(clean_text(text).split())[:TITLE_LIMIT].rstrip()


def control_characters(text: str) -> int:
    """How many characters of a text are control characters other than white space."""
    return len(_CONTROL.findall(text))


def is_storable(text: str) -> bool:
    """Whether UTF-8 can hold a text as it is, without control characters: what an id must be."""
    return not (_LONE_SURROGATE.search(text) or _CONTROL.search(text))
