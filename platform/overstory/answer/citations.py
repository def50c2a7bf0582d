"""Citations in an answer, checked while the answer streams.

A citation is a number in square brackets (also in those of other scripts). The brackets may contain further numbers,
punctuation, and words like "passage" or "p.", but nothing else.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import accumulate

_OPENING, _CLOSING = "[【［〔〖〘〚⟦❲⁅﹝", "]】］〕〗〙〛⟧❳⁆﹞"
_BRACKET = re.compile(f"[{re.escape(_OPENING + _CLOSING)}]")
_WORD = re.compile(r"[^\W\d_]+")
_LABELS = frozenset(
    _WORD.findall(
        "and cf chunk chunks citation citations cited doc docs document documents excerpt excerpts fn footnote id no"
        " nos note notes nr number numbers p page pages para passage passages pp ref reference references refs see"
        " source sources text texts to"
    )
)
_PARTS = re.compile(r"[,;/|&\[\]]|\band\b", re.IGNORECASE)
_NUMBERS = re.compile(r"(\d+)\s*(?:[-‐‑‒–—―−~:]|\bto\b)\s*(\d+)|\d+(?:\.\d+)?", re.IGNORECASE)
"""A range like "2-4", or a number."""
_BELOW_ZERO = re.compile(r"\s*[-‐‑‒–—―−]\s*\d")
_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Invisible letters and marks: fillers and variation selectors. Characters of category Cf are removed as well."""
_HARMLESS_AFTER = frozenset(".,;:!?…)}»›”’\"'*_|。，、；：！？）」』" + _CLOSING)
"""Characters before which no space is needed after a citation was removed."""
_MOST_CITATION_DIGITS = 9  # a number with more digits is not a citation
_LONGEST_CITATION_CHARACTERS = 400
"""Maximum characters between brackets. Longer text is shown unchanged, so that streaming never stalls."""


class CheckedCitations:
    """Removes invalid citations from a streamed text and normalises the others: [1, 2] becomes [1][2].

    Removing a citation never creates new Markdown: "[a] [99](b)" without its number keeps a space, so that it is no
    link.

    Attributes:
        cited: numbers of cited passages, in the order of their first citation.
        removed: invalid numbers, shortened to nine digits.
    """

    def __init__(self, passages: int) -> None:
        self.cited: list[int] = []
        self.removed: list[int] = []
        self._passages = passages
        self._held = ""
        self._last = ""  # the last character that was returned
        self._worded = False  # True if the current line has a letter or digit
        self._after: str | None = None  # the replacement of the last citation, if no text has followed yet

    def take(self, piece: str) -> str:
        """Take a piece and return the text that is complete and was not returned before."""
        return self._through(self._held + piece, at_end=False)

    def rest(self) -> str:
        """Return the remaining text, at the end of the stream."""
        return self._through(self._held, at_end=True)

    def _through(self, text: str, *, at_end: bool) -> str:
        shown: list[str] = []
        begin = 0
        for start, end in _bracketed(text, at_end=at_end):
            shown.append(self._let(text[begin:start]))
            begin = start
            if end is None:  # the bracket may still become a citation
                break
            shown.append(self._checked(text[start:end]))
            begin = end
        else:
            end = len(text) if at_end else _before(text, len(text), begin)
            shown.append(self._let(text[begin:end]))
            begin = end
        self._held = text[begin:]
        return "".join(shown)

    def _let(self, text: str) -> str:
        """Return text that follows a citation, with a space in between if both would form Markdown together."""
        if not text:
            return ""
        if self._after is not None and self._joins(text[0]):
            text = f" {text}"
        self._after = None
        self._note(text)
        return text

    def _joins(self, following: str) -> bool:
        if self._after:  # [1](address) is a link, and "[1]: address" turns every [1] into a link
            return following == "(" or (following == ":" and not self._worded)
        if following == ":" and self._last in _CLOSING:
            return True
        return not following.isspace() and following not in _HARMLESS_AFTER

    def _note(self, text: str) -> None:
        line = text.rpartition("\n")
        self._worded = (self._worded and not line[1]) or any(char.isalnum() for char in line[2])
        self._last = text[-1]

    def _checked(self, citation: str) -> str:
        good: list[int] = []
        for number in self._numbers(_plain(citation)):
            if 1 <= number <= self._passages:
                good.append(number)
            else:
                self.removed.append(number)
        self.cited += [number for number in dict.fromkeys(good) if number not in self.cited]
        marks = "".join(f"[{number}]" for number in dict.fromkeys(good))
        if marks:
            space = citation[: len(citation) - len(citation.lstrip())]
            if space:
                self._note(space)
            self._last = "]"
            marks = f"{space}{marks}"
        self._after = (self._after or "") + marks
        return marks

    def _numbers(self, citation: str) -> list[int]:
        """Return the numbers in a citation; a valid range like "2-4" is expanded."""
        numbers: list[int] = []
        for part in _PARTS.split(citation.strip().strip("\\")):
            below = -1 if _BELOW_ZERO.match(part) else 1
            for found in _NUMBERS.finditer(part):
                ends = [_whole(end) for end in found.groups() if end]
                if below > 0 and ends and ends[0] <= ends[1] <= self._passages:
                    numbers += range(ends[0], ends[1] + 1)
                elif ends:
                    numbers += (below * end for end in ends)
                else:
                    numbers.append(0 if "." in found.group() else below * _whole(found.group()))
        return numbers


def without_citations(text: str) -> str:
    """Remove all citations from a text."""
    none = CheckedCitations(0)
    return (none.take(text) + none.rest()).strip()


def _bracketed(text: str, *, at_end: bool) -> list[tuple[int, int | None]]:
    """Return the start and end of each citation, in linear time; the end is None if a citation may be incomplete."""
    brackets = list(_BRACKET.finditer(text))
    if not brackets:
        return []
    closing = _closing([bracket.group() in _OPENING for bracket in brackets])
    between = _Between(text, [bracket.end() for bracket in brackets], [bracket.start() for bracket in brackets])
    found: list[tuple[int, int | None]] = []
    at = 0
    for index, bracket in enumerate(brackets):
        if bracket.start() < at or bracket.group() not in _OPENING:
            continue
        last = closing[index]
        if last is not None and brackets[last].start() - bracket.end() <= _LONGEST_CITATION_CHARACTERS:
            if between.is_citation(index, last):
                found.append((_before(text, bracket.start(), at), brackets[last].end()))
                at = brackets[last].end()
        elif last is None and not at_end and between.may_be_citation(index):
            found.append((_before(text, bracket.start(), at), None))
            break
    return found


def _closing(opens: list[bool]) -> list[int | None]:
    """Return for each bracket the index of its closing bracket; None for closing brackets and unclosed ones."""
    closing: list[int | None] = [None] * len(opens)
    open_ones: list[int] = []
    for index, opening in enumerate(opens):
        if opening:
            open_ones.append(index)
        elif open_ones:
            closing[open_ones.pop()] = index
    return closing


class _Between:
    """Counts digits and words in the stretches of text between brackets."""

    def __init__(self, text: str, starts: list[int], ends: list[int]) -> None:
        self._starts, self._length = starts, len(text)
        self._stretches = [_plain(text[start:end]) for start, end in zip(starts, [*ends[1:], len(text)], strict=True)]
        # Prefix sums: stretches that have a digit, and stretches that have a word which no citation has.
        digits = (any(map(str.isdigit, stretch)) for stretch in self._stretches)
        others = (bool(stretch) and not _LABELS.issuperset(_words(stretch)) for stretch in self._stretches)
        self._digits = [0, *accumulate(digits)]
        self._others = [0, *accumulate(others)]

    def is_citation(self, opening: int, closing: int) -> bool:
        """Return True if there is a digit between two brackets, and no word that citations do not have."""
        return self._digits[closing] > self._digits[opening] and self._others[closing] == self._others[opening]

    def may_be_citation(self, opening: int) -> bool:
        """Return True if the text after an open bracket may become a citation; its last word may be incomplete."""
        if (
            self._length - self._starts[opening] > _LONGEST_CITATION_CHARACTERS
            or self._others[-2] != self._others[opening]
        ):
            return False
        last = self._stretches[-1]
        words = _words(last)
        begun = words.pop() if words and last[-1].isalpha() else ""
        return all(word in _LABELS for word in words) and any(label.startswith(begun) for label in _LABELS)


def _before(text: str, end: int, start: int) -> int:
    """Return where a citation begins, including white space (up to a limit) and an escaping backslash before it."""
    start = max(start, end - _LONGEST_CITATION_CHARACTERS)
    end -= text.endswith("\\", start, end)
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _plain(text: str) -> str:
    """Return the text as a reader sees it: full-width and raised digits become ASCII, invisible characters go."""
    if text.isascii():
        return text
    plain = _UNSEEN.sub("", unicodedata.normalize("NFKC", text))
    seen = "".join(char for char in plain if unicodedata.category(char) != "Cf")
    return "".join("[" if char in _OPENING else "]" if char in _CLOSING else char for char in seen)


def _whole(number: str) -> int:
    """Parse a number, shortened to nine digits: no answer has more passages."""
    return int(number.lstrip("0")[:_MOST_CITATION_DIGITS] or "0")
