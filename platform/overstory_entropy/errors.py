"""The errors of this package. They share a base class with the errors of `overstory`."""

from __future__ import annotations

import re
from typing import ClassVar

OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ud800-\udfff\ufeff"
    "\ufff9-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)
"""Control characters and invisible characters, which `printable` removes.

Included are control characters except line feed and tab, unpaired surrogates, and format characters such as
bidirectional marks, zero-width spaces and tags. Not included are the joiners U+200C and U+200D, which scripts and emoji
need, and the visible Arabic, Syriac and Kaithi number signs.
"""


def printable(text: str) -> str:
    """Return the text without control and invisible characters."""
    return OBEYED.sub("", text)


class OverstoryError(Exception):
    """Base class of expected errors.

    `str(error)` describes what is wrong, and `error.remedy` what the reader can do about it. Tracebacks show the remedy
    as a note. Commands exit with `exit_code`.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(printable(message))  # the message may quote file names, URLs or output of Java
        self.remedy = printable(remedy)
        if remedy:
            self.add_note(self.remedy)


class GraphError(OverstoryError):
    """Edges, weights, vectors or trees are invalid. The message names the first bad row."""

    exit_code = 12
