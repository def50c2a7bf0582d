"""What a question has in quotation marks: words that are to be found as they stand."""

from __future__ import annotations

import re

_MOST_QUOTED_PHRASES = 5
"""Phrases of a question that are looked for."""

_LONGEST_QUOTED_CHARACTERS = 200
"""Characters of one."""

_QUOTED = re.compile(
    rf'"([^"]{{0,{_LONGEST_QUOTED_CHARACTERS}}})"|[“„]([^“”„]{{1,{_LONGEST_QUOTED_CHARACTERS}}})[”“]|«([^«»]{{1,{_LONGEST_QUOTED_CHARACTERS}}})»|「([^「」]{{1,{_LONGEST_QUOTED_CHARACTERS}}})」'
)


def quoted_phrases(question: str) -> list[str]:
    """The first phrases in double quotation marks, without these, each once; apostrophes are no quotation marks."""
    found = ("".join(part or "" for part in match.groups()).strip() for match in _QUOTED.finditer(question))
    return list(dict.fromkeys(phrase for phrase in found if any(char.isalnum() for char in phrase)))[
        :_MOST_QUOTED_PHRASES
    ]
