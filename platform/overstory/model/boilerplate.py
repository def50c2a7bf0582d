"""The text of a passage without its boilerplate: blocks that most documents of a folder repeat."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_BLANK_LINES = re.compile(r"\n\s*\n")


def without_boilerplate(text: str, spans: Sequence[int]) -> str:
    """The text with spaces for each character of its boilerplate, so that positions in it stay right.

    Args:
        spans: first character and end of each block, one after the other: [0, 12, 40, 55].
    """
    parts: list[str] = []
    done = 0
    for start, end in _pairs(spans):
        parts += [text[done:start], " " * (end - start)]
        done = end
    return "".join([*parts, text[done:]])


def squeezed(text: str, spans: Sequence[int]) -> str:
    """The text without its boilerplate and without the blank lines around it; the text itself if it has none."""
    if not spans:
        return text
    return _BLANK_LINES.sub("\n\n", without_boilerplate(text, spans)).strip()


def _pairs(spans: Sequence[int]) -> Iterator[tuple[int, int]]:
    return zip(spans[::2], spans[1::2], strict=True)
