"""Running heads: the headers, footers and page numbers that stand on most pages of a document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

_EDGE_LINES = 2
"""Lines at the top and at the bottom of a page that may be running heads."""
_LEAST_HEAD_PAGES = 3
_LEAST_HEAD_SHARE = 0.4
"""A running head stands on so many pages with text, and on this part of them: books have one on left pages, another on
right ones."""
_MOST_NUMBERS_OF_A_HEAD = 3
_LONGEST_HEAD_LINE_CHARACTERS = 200
"""Characters of a running head, and numbers of it that may be the page's."""

_NUMBER = re.compile(r"\d{1,5}")
_ROMAN = re.compile(r"(?i)[ivxlc]{1,8}")
_ROMAN_DIGITS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


def without_running_heads(pages: Sequence[str]) -> list[str]:
    """The pages without their running heads and page numbers.

    A number counts as the page's if it grows with the pages; all other digits must be equal. A line without a page
    number stays where it stands first: it may be the title of the document. A page that has nothing else stays whole.
    """
    lines = [page.split("\n") for page in pages]
    edges = [_edges(page) for page in lines]
    with_text = sum(map(bool, edges))
    pages_of = Counter(form for number, places in enumerate(edges) for form in _forms_of(lines[number], places, number))
    repeated = {form for form, n in pages_of.items() if n >= _LEAST_HEAD_PAGES and n >= _LEAST_HEAD_SHARE * with_text}
    seen: set[str] = set()
    return [_shortened(page, edges[number], number, repeated, seen) for number, page in enumerate(lines)]


def _edges(lines: Sequence[str]) -> list[int]:
    """The places of the first and last lines with text."""
    places = [place for place, line in enumerate(lines) if line.strip()]
    return sorted({*places[:_EDGE_LINES], *places[-_EDGE_LINES:]})


def _forms_of(lines: Sequence[str], places: Sequence[int], number: int) -> set[str]:
    return {form for place in places for form in _forms(lines[place], number)}


def _forms(line: str, number: int) -> Iterator[str]:
    """What a line is on other pages: itself, and with each number of it as its distance from the page's number."""
    text = " ".join(line.split())
    if len(text) > _LONGEST_HEAD_LINE_CHARACTERS:
        return
    yield text
    for found in list(_NUMBER.finditer(text))[:_MOST_NUMBERS_OF_A_HEAD]:
        yield f"{text[: found.start()]}\0{int(found.group()) - number}\0{text[found.end() :]}"
    if _ROMAN.fullmatch(text):
        yield f"\0{_roman(text) - number}\0roman"


def _shortened(lines: list[str], places: Sequence[int], number: int, repeated: set[str], seen: set[str]) -> str:
    dropped: set[int] = set()
    for place in places:
        literal, *counted = list(_forms(lines[place], number)) or [""]
        if repeated.intersection(counted) or (literal in repeated and literal in seen):
            dropped.add(place)
        seen.add(literal)
    rest = "\n".join(line for place, line in enumerate(lines) if place not in dropped).strip()
    return rest or "\n".join(lines)


def _roman(text: str) -> int:
    values = [_ROMAN_DIGITS[digit] for digit in text.lower()]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))
