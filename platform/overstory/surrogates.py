"""Text that UTF-8 can say, and keys that a header can carry."""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def is_well_formed(text: str) -> bool:
    """Whether UTF-8 can say a text: it has no lone surrogate."""
    return text.isascii() or _SURROGATE.search(text) is None


def well_formed(text: str) -> str:
    """The text with a replacement character for every lone surrogate, as long as before.

    Python reads such halves of characters from broken JSON or file names; no library below us takes them.
    """
    return text if text.isascii() else _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def is_key(text: str) -> bool:
    """Whether a web request's header can carry a text; what refuses one may show it in its error."""
    return text.isascii() and text.isprintable()
