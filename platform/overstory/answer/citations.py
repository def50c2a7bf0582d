"""Checks the citations in an answer while the answer streams.

A citation is a number in square brackets, or in similar brackets of other scripts. The brackets may also contain
further numbers, punctuation, and words like "passage" or "p.", but nothing else.
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
"""Matches a range like "2-4", or a single number."""
_BELOW_ZERO = re.compile(r"\s*[-‐‑‒–—―−]\s*\d")
_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Matches invisible letters and marks: fillers and variation selectors. Unicode's format characters (category Cf) are
removed as well."""
_HARMLESS_AFTER = frozenset(".,;:!?…)}»›”’\"'*_|。，、；：！？）」』" + _CLOSING)
"""If a citation is removed before one of these characters, no space has to be inserted in its place."""
_MOST_CITATION_DIGITS = 9  # longer numbers are cut to this many digits; they are no valid citations anyway
_LONGEST_CITATION_CHARACTERS = 400
"""Maximum number of characters between the brackets of a citation. Longer texts in brackets are shown unchanged, so
that streaming never stalls."""


class CheckedCitations:
    """Removes invalid citations from a streamed text, and normalises valid ones: [1, 2] becomes [1][2].

    Removing a citation never creates Markdown. For example, "[a] [99](b)" becomes "[a] (b)", because "[a](b)" would be
    a link.

    Attributes:
        cited: numbers of the cited passages, in the order of their first citations.
        removed: invalid numbers that were removed, cut to nine digits.
    """

    def __init__(self, passages: int) -> None:
        self.cited: list[int] = []
        self.removed: list[int] = []
        self._passages = passages
        self._held = ""
        self._last = ""
        self._worded = False  # True if the current line contains a letter or digit
        self._after: str | None = None  # text that replaced the last citation; None once other text has followed

    def take(self, piece: str) -> str:
        """Read a piece of the stream. Return the checked text, up to the point where a citation may be incomplete."""
        return self._through(self._held + piece, at_end=False)

    def rest(self) -> str:
        """Return the remaining text. Call this at the end of the stream."""
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
        """Return the text to show. It begins with a space if it would otherwise form Markdown with the text before."""
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
        """Return the numbers in a citation. A valid range like "2-4" is expanded to [2, 3, 4]."""
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
    """Return the (start, end) of each citation, in linear time. The end is None if the citation may be incomplete."""
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
    """Return, for each bracket, the index of the bracket that closes it; None if it is not closed or itself closes one.

    Args:
        opens: for each bracket, True if it is an opening bracket.
    """
    closing: list[int | None] = [None] * len(opens)
    open_ones: list[int] = []
    for index, opening in enumerate(opens):
        if opening:
            open_ones.append(index)
        elif open_ones:
            closing[open_ones.pop()] = index
    return closing


class _Between:
    def __init__(self, text: str, starts: list[int], ends: list[int]) -> None:
        self._starts, self._length = starts, len(text)
        self._stretches = [_plain(text[start:end]) for start, end in zip(starts, [*ends[1:], len(text)], strict=True)]
        # For each position, count the stretches before it that contain a digit, or a word not allowed in citations.
        digits = (any(map(str.isdigit, stretch)) for stretch in self._stretches)
        others = (bool(stretch) and not _LABELS.issuperset(_words(stretch)) for stretch in self._stretches)
        self._digits = [0, *accumulate(digits)]
        self._others = [0, *accumulate(others)]

    def is_citation(self, opening: int, closing: int) -> bool:
        """Return True if the text between brackets contains a digit, and only words that are allowed in citations."""
        return self._digits[closing] > self._digits[opening] and self._others[closing] == self._others[opening]

    def may_be_citation(self, opening: int) -> bool:
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
    """Return the offset at which a citation begins, including white space and an escaping backslash before it.

    Args:
        end: offset of the citation's opening bracket.
        start: the result is not below this offset.
    """
    start = max(start, end - _LONGEST_CITATION_CHARACTERS)
    end -= text.endswith("\\", start, end)
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _plain(text: str) -> str:
    """Return the text as a reader sees it.

    Full-width and superscript digits are converted to ASCII, and invisible characters are removed.
    """
    if text.isascii():
        return text
    plain = _UNSEEN.sub("", unicodedata.normalize("NFKC", text))
    seen = "".join(char for char in plain if unicodedata.category(char) != "Cf")
    return "".join("[" if char in _OPENING else "]" if char in _CLOSING else char for char in seen)


def _whole(number: str) -> int:
    """Convert the first nine digits of a number to an integer. No answer has so many passages."""
    return int(number.lstrip("0")[:_MOST_CITATION_DIGITS] or "0")
