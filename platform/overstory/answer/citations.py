"""Numbers of passages in an answer, checked while it comes.

A citation is a number in square brackets of any kind, together with nothing but other numbers,
punctuation, and words like "passage" or "p.".
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
"""A range, or a number."""
_BELOW_ZERO = re.compile(r"\s*[-‐‑‒–—―−]\s*\d")
_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Fillers and selectors, which are letters or marks and have no form. Those of category Cf come beside them."""
_HARMLESS_AFTER = frozenset(".,;:!?…)}»›”’\"'*_|。，、；：！？）」』" + _CLOSING)
"""Characters that may follow a word directly once a citation between them is removed."""
_MOST_CITATION_DIGITS = 9  # a longer number is none of a passage
_LONGEST_CITATION_CHARACTERS = 400
"""Characters between brackets: more are shown as they are, so that no text waits for an end that never comes."""


class CheckedCitations:
    """Lets a text through, piece by piece, without numbers that no passage has; [1, 2] becomes [1][2].

    What is taken away never makes one of what stood on either side: where "[a] [99](b)" loses its number, a space keeps
    Markdown from seeing a link. Nor is a number a link itself.

    Attributes:
        cited: the numbers that are passages', in the order in which they came first.
        removed: those that are none; long ones are cut.
    """

    def __init__(self, passages: int) -> None:
        self.cited: list[int] = []
        self.removed: list[int] = []
        self._passages = passages
        self._held = ""
        self._last = ""  # the last character that was let through
        self._worded = False  # whether its line has a letter or a digit so far
        self._after: str | None = None  # what a citation became, if nothing was let through since

    def take(self, piece: str) -> str:
        """The text up to this piece that is complete and not yet returned."""
        return self._through(self._held + piece, at_end=False)

    def rest(self) -> str:
        """The rest, at the end."""
        return self._through(self._held, at_end=True)

    def _through(self, text: str, *, at_end: bool) -> str:
        shown: list[str] = []
        begin = 0
        for start, end in _bracketed(text, at_end=at_end):
            shown.append(self._let(text[begin:start]))
            begin = start
            if end is None:  # it may still become a citation
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
        """Lets a text through, away from what a citation left if both would be something else together."""
        if not text:
            return ""
        if self._after is not None and self._joins(text[0]):
            text = f" {text}"
        self._after = None
        self._note(text)
        return text

    def _joins(self, following: str) -> bool:
        if self._after:  # [1](address) is a link, and [1]: address makes one of every [1]
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
        """The numbers that a citation names; of a range all, if it is one of passages."""
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
    """The text without the numbers of passages."""
    none = CheckedCitations(0)
    return (none.take(text) + none.rest()).strip()


def _bracketed(text: str, *, at_end: bool) -> list[tuple[int, int | None]]:
    """Where citations begin and end, the outermost brackets; the last has no end if it may become one.

    Takes time linear in the text, however many brackets it has: what lies between two of them is read once.
    """
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
    """For each bracket, the index of the one that closes it; None for closing ones and those that stay open."""
    closing: list[int | None] = [None] * len(opens)
    open_ones: list[int] = []
    for index, opening in enumerate(opens):
        if opening:
            open_ones.append(index)
        elif open_ones:
            closing[open_ones.pop()] = index
    return closing


class _Between:
    """What the stretches of a text that follow its brackets say, up to the next bracket or the end."""

    def __init__(self, text: str, starts: list[int], ends: list[int]) -> None:
        self._starts, self._length = starts, len(text)
        self._stretches = [_plain(text[start:end]) for start, end in zip(starts, [*ends[1:], len(text)], strict=True)]
        # Sums over the stretches before each: with a digit, and with a word that no citation has.
        digits = (any(map(str.isdigit, stretch)) for stretch in self._stretches)
        others = (bool(stretch) and not _LABELS.issuperset(_words(stretch)) for stretch in self._stretches)
        self._digits = [0, *accumulate(digits)]
        self._others = [0, *accumulate(others)]

    def is_citation(self, opening: int, closing: int) -> bool:
        """Whether it has a digit and only words of citations between these brackets."""
        return self._digits[closing] > self._digits[opening] and self._others[closing] == self._others[opening]

    def may_be_citation(self, opening: int) -> bool:
        """Whether the next pieces may make it one: the last word may be incomplete."""
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
    """Where the white space before a bracket begins, and a backslash that keeps Markdown from seeing the bracket: they
    belong to the citation. At most `_LONGEST_CITATION_CHARACTERS` of it: endless space would be read again with each
    piece."""
    start = max(start, end - _LONGEST_CITATION_CHARACTERS)
    end -= text.endswith("\\", start, end)
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _plain(text: str) -> str:
    """Characters as a reader sees them: 1 for a full-width or a raised one, and none for those without a form."""
    if text.isascii():
        return text
    plain = _UNSEEN.sub("", unicodedata.normalize("NFKC", text))
    seen = "".join(char for char in plain if unicodedata.category(char) != "Cf")
    return "".join("[" if char in _OPENING else "]" if char in _CLOSING else char for char in seen)


def _whole(number: str) -> int:
    """The number in digits; a long one is cut, since no answer has so many passages."""
    return int(number.lstrip("0")[:_MOST_CITATION_DIGITS] or "0")
