"""What the form of a question tells: whether it asks at all, and whether one passage may answer it."""

from __future__ import annotations

import re
from typing import Literal

Form = Literal["question", "definition", "advice", "phrase"]
"""A question, one such as "What is a generator?", one such as "How do I open a file?", or a phrase to search for. All
but the first are answered by one passage."""

_MOST_WORDS_OF_A_TERM = 4

_DEFINITION = re.compile(
    r"\W*what(?:'s|’s| is| are| does)\s+(?:an?\s+|the\s+)?(?P<term>[^?]+?)(?:\s+mean)?\W*", re.IGNORECASE
)
_MARK = re.compile(r"[?？؟][\s\"')\]»”’]*$")
_ASKING = re.compile(r"\b(?:who|whom|whose|what|when|where|which|why|how)\b", re.IGNORECASE)
_INVERTED = re.compile(
    r"\W*(?:am|are|can|could|did|do|does|had|has|have|is|may|might|must|should|was|were|will|would)\b", re.IGNORECASE
)


_FOR_ONESELF = re.compile(
    r"\b(?:do|does|did|can|could|should|would|must|may|am|have|had|if|when|that|as|before|after|what|how|why|where|once)"
    r"\s+(?:I|i)\b|(?:^|[.?!]\s)(?:Do|Did|Can|Could|Should|Would|Must|May|Am|Have|Had)\s+I\b"
    r"|\bI(?:['’](?:m|ve|d|ll)\b|\s+(?:am|have|want|need|get|can|use|do|don['’]?t)\b)"
    r"|(?<=\s)(?:my|our|me)\b|\b(?:do|can|should|could|must)\s+we\b"
)
"""People who need something done speak of themselves; "I" after a name ("Henry I") and "My" in a title do not match."""


def form_of(text: str) -> Form:
    """The form of what somebody asked.

    A question ends with a question mark, has an English question word, or begins with an auxiliary verb: "create a
    message catalog" and "Kingston 1952" are phrases. A definition is asked by "What is X?" with up to four words,
    advice by people who speak of themselves ("my", "do I").
    """
    definition = _DEFINITION.fullmatch(text)
    if definition is not None and len(definition["term"].split()) <= _MOST_WORDS_OF_A_TERM:
        return "definition"
    if _FOR_ONESELF.search(text):
        return "advice"
    return "question" if _MARK.search(text) or _ASKING.search(text) or _INVERTED.match(text) else "phrase"
