"""The errors of this package. Those of `overstory` have the same base, so that one `except` is enough for both."""

from __future__ import annotations

import re
from typing import ClassVar

OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ud800-\udfff\ufeff"
    "\ufff9-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)
"""Control and invisible characters: control characters except line feeds and tabs, unpaired surrogates, and characters
of category Cf, such as bidirectional marks, zero-width spaces and tags. Not included are the joiners U+200C and U+200D,
which scripts and emoji need, and the Arabic, Syriac and Kaithi number signs, which are visible."""


def printable(text: str) -> str:
    """The text without control and invisible characters."""
    return OBEYED.sub("", text)


class OverstoryError(Exception):
    """Raised on purpose: what is wrong (`str(error)`), and what the reader can do about it (`error.remedy`).

    Tracebacks show the remedy as a note. `exit_code` is what a command exits with.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(printable(message))  # it may quote a file's name, an endpoint, or what Java printed
        self.remedy = printable(remedy)
        if remedy:
            self.add_note(self.remedy)


class GraphError(OverstoryError):
    """Edges, weights, vectors or trees are invalid; the message names the first bad row."""

    exit_code = 12
