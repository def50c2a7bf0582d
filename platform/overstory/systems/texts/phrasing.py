"""How texts put things."""

from __future__ import annotations


def about(name: str, sentence: str) -> str:
    """The sentence, after the name of what it is about where it does not say it."""
    return sentence if name.casefold() in sentence.casefold() else f"{name}: {sentence}"


def cut(text: str, longest: int) -> str:
    """The text on one line, of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
