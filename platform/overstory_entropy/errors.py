"""Defines the errors of this package, which have the same base class as the errors of `overstory`."""

from __future__ import annotations

import re
from typing import ClassVar

OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ud800-\udfff\ufeff"
    "\ufff9-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)
"""Matches the control characters and invisible characters that `printable` removes.

These are control characters except line feed and tab, unpaired surrogates, and format characters such as bidirectional
marks, zero-width spaces and tags. It does not match the joiners U+200C and U+200D, which some scripts and emoji need,
or the Arabic, Syriac and Kaithi number signs, which are visible.
"""


def printable(text: str) -> str:
    """Return the text without control characters and invisible characters."""
    return OBEYED.sub("", text)


class OverstoryError(Exception):
    """Base class of expected errors.

    `str(error)` describes what is wrong. `error.remedy` tells the user how to solve the problem; tracebacks show it as
    a note. When an error ends a command, the command exits with `exit_code`.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(printable(message))  # the message may quote file names, URLs or Java output
        self.remedy = printable(remedy)
        if remedy:
            self.add_note(self.remedy)


class GraphError(OverstoryError):
    """Edges, weights, vectors or a tree are invalid. If rows are invalid, the message names the first of them."""

    exit_code = 12
