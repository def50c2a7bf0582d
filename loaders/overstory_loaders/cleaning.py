"""Normalisation of every text, so that searches find what readers see. Nothing here changes how a text looks.

- Line ends of all kinds become "\\n"; surrounding white space is removed.
- Control characters, including NUL, are removed: nobody types them into a question.
- Soft hyphens and byte order marks inside a text are removed: they are invisible and split words.
- A lone surrogate (half of a character, usually from JSON cut by UTF-16 units) becomes U+FFFD: UTF-8 cannot encode it,
  and one broken emoji should not cost a document.
- Characters are composed (Unicode NFC): full-text search and names compare code points, and "é" in two code points,
  as in texts from macOS and many PDFs, is a different word from "é" in one. Ids are not changed.
"""

from __future__ import annotations

import re
import unicodedata

_TITLE_CHARACTER_LIMIT = 1000
"""Longer titles are truncated: they are not real titles, and they are embedded with every chunk."""

_CONTROLS = "\\x00-\\x08\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f"
_CONTROL = re.compile(f"[{_CONTROLS}]")
_INVISIBLE = re.compile(f"[{_CONTROLS}\\xad\\ufeff]")
_LINE_END = re.compile("\\r\\n|[\\r\\v\\f\\x85\\u2028\\u2029]")
_LONE_SURROGATE = re.compile("[\\ud800-\\udfff]")


def clean_text(text: str) -> str:
    """The normalised text; applying it twice changes nothing."""
    text = _LINE_END.sub("\n", text)
    text = _INVISIBLE.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFC", _LONE_SURROGATE.sub("\ufffd", text))
    return text.strip()


def clean_title(text: str) -> str:
    """One line, with single spaces."""
    return " ".join(clean_text(text).split())[:_TITLE_CHARACTER_LIMIT].rstrip()


def control_characters(text: str) -> int:
    """The number of control characters other than white space in a text."""
    return len(_CONTROL.findall(text))


def is_storable(text: str) -> bool:
    """Whether a text can be an id: UTF-8 can encode it, and it has no control characters."""
    return not (_LONE_SURROGATE.search(text) or _CONTROL.search(text))
