"""Parentheses in titles: "Mercury (planet)"."""

from __future__ import annotations

import re

_PARENTHESIS = re.compile(r"(?<!\s)\s*+\([^)]*+(?P<end>\))?")
"""One that does not end goes to the end of the text, so that a run of openings is read once."""


def without_parentheses(title: str) -> str:
    """The title without its parentheses and the white space before them; one that is not closed stays."""
    return _PARENTHESIS.sub(lambda found: "" if found["end"] else found.group(), title)
