"""The text between two headings of a document, with the path of headings above it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from overstory.model import Document, Heading
from overstory.model.passage_text import PATH_SEPARATOR


@dataclass(frozen=True, slots=True)
class Section:
    """`document.text[start:end]`; the heading itself is its first line. `path` reads "Setup › Linux"."""

    start: int
    end: int
    path: str


def sections(document: Document) -> list[Section]:
    """The sections that tile a document, in order; headings without a body stay with the section after them."""
    found: list[Section] = []
    start = 0
    for section in _between_headings(document):
        if section.end < len(document.text) and not _has_body(document.text[section.start : section.end], section.path):
            continue
        found.append(Section(start, section.end, section.path))
        start = section.end
    return found


def _between_headings(document: Document) -> Iterator[Section]:
    end = len(document.text)
    headings = sorted((h for h in document.headings if 0 <= h.start < end), key=lambda h: h.start)
    starts = [heading.start for heading in headings]
    if not starts or starts[0] > 0:
        yield Section(0, starts[0] if starts else end, "")
    above: list[Heading] = []
    for heading, stop in zip(headings, [*starts, end][1:], strict=True):
        while above and above[-1].level >= heading.level:
            above.pop()
        above.append(heading)
        path = PATH_SEPARATOR.join(h.text.strip() for h in above if h.text.strip())
        yield Section(heading.start, stop, path)


def _has_body(text: str, path: str) -> bool:
    """Whether a section says something below its heading; a line that underlines it says nothing."""
    below = text.strip().partition("\n")[2] if path else text
    return any(c.isalnum() for c in below)
