"""Notices that a text repeats itself, as small language models do until their limit ends it."""

from __future__ import annotations

import re
from collections import deque
from typing import Literal

Found = Literal["repeated", "blank"]
"""Letters or digits that stood there before, or none for long."""

_GRAM_LETTERS = 12
"""Letters that are looked up together."""
_LEAST_REPEATED_LETTERS = 150
"""Letters in a row that stood there before: some thirty words."""
_WHOLE_REPETITIONS = 2
"""Whole repetitions after the first time."""
_LONGEST_PERIOD_LETTERS = 2_000
"""Letters of the longest passage whose repetition is noticed."""
_LONGEST_BLANK_CHARACTERS = 1_000
"""Characters in a row without a letter or a digit, after which no answer is expected."""
_LONGEST_END_CHARACTERS = 200
"""Characters that are kept of a repetition, to end a sentence that it cuts."""

_COMPLETE = re.compile(r"[.!?…。！？:;][\"'”’»)\]*_\d\[]*$")
_END = re.compile(r"[.!?…。！？](?=\s|$)|(?=\n)")


class Repetition:
    """Reads a text piece by piece and notices when it repeats itself, or goes on without a letter or a digit.

    Only letters count, so that "1. Ulm, 2. Ulm, 3. Ulm" repeats itself; digits count where there are no letters. Time
    is linear in the text, and memory constant.

    Attributes:
        found: why the rest need not be read; None as long as it must be.
        end: the characters before the repetition, if `found`.
    """

    def __init__(self) -> None:
        self.found: Found | None = None
        self.end = 0
        self._at = 0
        self._blank = 0
        self._letters = _Loop()
        self._digits: _Loop | None = None

    def take(self, piece: str) -> Found | None:
        """Read on, up to the character that shows it; return `found`."""
        for character in piece:
            if self.found:
                break
            self._read(character)
            self._at += 1
        return self.found

    def _read(self, character: str) -> None:
        if not character.isalnum():
            self._blank += 1
            if self._blank >= _LONGEST_BLANK_CHARACTERS:
                self.found, self.end = "blank", self._at + 1 - self._blank
            return
        self._blank = 0
        if character.isalpha():
            loop, self._digits = self._letters, None
        else:
            loop = self._digits = self._digits or _Loop()
        end = loop.read(character.lower(), self._at)
        if end is not None:
            self.found, self.end = "repeated", end


class _Loop:
    """Finds letters that stood there before, in the same order, often enough."""

    def __init__(self) -> None:
        self._gram = ""
        self._count = 0
        self._begin = 0  # of the repeated letters, in characters of the text
        self._repeated = 0
        self._starts: deque[int] = deque(maxlen=_GRAM_LETTERS)  # of the last letters
        self._recent: dict[str, int] = {}  # where a gram was last, counted in letters
        self._older: dict[str, int] = {}

    def read(self, letter: str, at: int) -> int | None:
        """The character at which the repetition begins, once there are enough of them."""
        self._count += 1
        self._starts.append(at)
        self._gram = (self._gram + letter)[-_GRAM_LETTERS:]
        if len(self._gram) < _GRAM_LETTERS:
            return None
        before = self._recent.get(self._gram) or self._older.get(self._gram)
        self._remember()
        if before is None or self._count - before > _LONGEST_PERIOD_LETTERS:
            self._repeated = 0
            return None
        if not self._repeated:
            self._begin = self._starts[0]
        self._repeated += 1
        enough = max(_LEAST_REPEATED_LETTERS, _WHOLE_REPETITIONS * (self._count - before))
        return self._begin if self._repeated + _GRAM_LETTERS > enough else None

    def _remember(self) -> None:
        if len(self._recent) >= _LONGEST_PERIOD_LETTERS:
            self._older, self._recent = self._recent, {}
        self._recent[self._gram] = self._count


def before_repetition(text: str) -> str:
    """The text up to where it begins to repeat itself or goes blank, and then to the end of the sentence or line; all
    of it if it does neither."""
    repetition = Repetition()
    if not repetition.take(text):
        return text
    kept = text[: repetition.end].rstrip()
    if kept and not _COMPLETE.search(kept) and "\n" not in text[len(kept) : repetition.end]:
        end = _END.search(text, len(kept), len(kept) + _LONGEST_END_CHARACTERS)
        kept = text[: end.end()].rstrip() if end else kept
    lines = kept.split("\n")
    while len(lines) > 1 and not any(map(str.isalpha, lines[-1])):  # the number of an item that was a repetition
        lines.pop()
    return "\n".join(lines).rstrip()
