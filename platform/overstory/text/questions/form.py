"""Whether a text asks something, or is a phrase to search for."""

from __future__ import annotations

import re

_MARK = re.compile(r"[?？؟][\s\"')\]»”’]*$")
_ASKING = re.compile(r"\b(?:who|whom|whose|what|when|where|which|why|how)\b", re.IGNORECASE)
_INVERTED = re.compile(
    r"\W*(?:am|are|can|could|did|do|does|had|has|have|is|may|might|must|should|was|were|will|would)\b", re.IGNORECASE
)


def is_question(text: str) -> bool:
    """Whether it ends with a question mark, has an English question word, or begins with an auxiliary verb.

    "create a message catalog" and "Kingston 1952" are phrases.
    """
    return bool(_MARK.search(text) or _ASKING.search(text) or _INVERTED.match(text))
