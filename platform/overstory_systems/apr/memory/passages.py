"""Sentences of passages that state facts."""

from __future__ import annotations

from collections.abc import Sequence

from overstory.display import on_one_line
from overstory.text.sentences import sentence_at


def quote(text: str, starts: Sequence[int], number: int) -> str:
    """A sentence of a passage on one line, without characters that a terminal obeys; "" for a number below 0.

    Args:
        starts: the first characters of its sentences.
    """
    return on_one_line(sentence_at(text, starts or [0], number)) if number >= 0 else ""
