"""Named entities of a parsed text, without what does not belong to the name."""

from __future__ import annotations

import re

from overstory.model import Mention

_BEFORE = re.compile(r"(?:[^\w&$£€¥#@+.]|_)*(?:(?:the|an?)\s+(?=\w))?", re.IGNORECASE)
"""Quotes, brackets, dashes, white space; then an article."""

_AFTER = re.compile(r"(?:\s*['’][sS](?!\w)|[^\w.!?%+#$£€¥°)]|_)+$")
"""A possessive 's, quotes, commas, white space; a full stop may be an abbreviation's."""


NOT_NAMES = frozenset({"DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL"})
"""Types that spaCy calls entities but that name nothing: as nodes they would tie half of a corpus together. A fact
keeps such a phrase as the text of its subject or object."""


def mention(text: str, start: int, end: int, *, type_: str, sentence: int) -> Mention | None:
    """The entity at `text[start:end]`, trimmed: article, quotes and possessive 's off; None without letter or digit."""
    before = _BEFORE.match(text, start, end)
    start = before.end() if before else start
    after = _AFTER.search(text[start:end])
    end = start + after.start() if after else end
    if text[start:end].endswith(")") and "(" not in text[start:end]:
        end -= 1
    surface = " ".join(text[start:end].split())
    if not any(character.isalnum() for character in surface):
        return None
    return Mention(surface, type_, sentence, start, end)
