"""Numbers of passages in an answer, checked while it comes."""

from __future__ import annotations

import re

_CITED = re.compile(
    r"\s*[\[【](?:passages?\s*|nr\.?\s*)?(?P<numbers>\d{1,6}(?:(?:\s*[,;]\s*|\s*[-–]\s*|\s+and\s+)\d{1,6})*)\s*[\]】]",
    re.IGNORECASE,
)
_OPEN = re.compile(r"\s*(?:[\[【][^\]】\n]{0,60})?$")
"""What may be the beginning of a citation; white space before it belongs to it."""
_RANGE = re.compile(r"(\d+)\s*[-–]\s*(\d+)")
_NUMBER = re.compile(r"\d+")
_SPACE = re.compile(r"\s*")


class CheckedCitations:
    """Lets a text through, piece by piece, without numbers that no passage has; [1, 2] becomes [1][2].

    Attributes:
        cited: the numbers that are passages', in the order in which they came first.
        removed: those that are none.
    """

    def __init__(self, passages: int) -> None:
        self.cited: list[int] = []
        self.removed: list[int] = []
        self._passages = passages
        self._held = ""

    def take(self, piece: str) -> str:
        """What of the text up to this piece is whole, and was not given before."""
        text = self._held + piece
        opened = _OPEN.search(text)
        end = opened.start() if opened else len(text)
        self._held = text[end:]
        return _CITED.sub(self._checked, text[:end])

    def rest(self) -> str:
        """What is left at the end."""
        rest, self._held = self._held, ""
        return _CITED.sub(self._checked, rest)

    def _checked(self, match: re.Match[str]) -> str:
        good: list[int] = []
        for number in self._numbers(match["numbers"]):
            if 1 <= number <= self._passages:
                good.append(number)
            else:
                self.removed.append(number)
        self.cited += [number for number in dict.fromkeys(good) if number not in self.cited]
        space = _SPACE.match(match.group())
        marks = "".join(f"[{number}]" for number in dict.fromkeys(good))
        return f"{space.group() if space else ''}{marks}" if marks else ""

    def _numbers(self, said: str) -> list[int]:
        """The numbers that a citation names; of a range all, if it is one of passages."""
        numbers: list[int] = []
        for part in re.split(r"\s*[,;]\s*|\s+and\s+", said):
            ends = _RANGE.fullmatch(part)
            if ends and int(ends[1]) <= int(ends[2]) <= self._passages:
                numbers += range(int(ends[1]), int(ends[2]) + 1)
            else:
                numbers += map(int, _NUMBER.findall(part))
        return numbers


def without_citations(text: str) -> str:
    """The text without the numbers of passages."""
    return _CITED.sub("", text).strip()
