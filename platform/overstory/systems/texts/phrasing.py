"""How texts put things."""

from __future__ import annotations

from collections.abc import Sequence

from overstory.text.key_phrases import CommonWords, Described, key_phrases, theme_of


def in_common(things: Sequence[Described], common: CommonWords, head: str) -> tuple[list[str], str]:
    """Key phrases of the texts of several things, and the one of them that a title may begin with, "" for none: what a
    third of all texts say distinguishes nothing.

    Args:
        head: what the title says anyway.
    """
    phrases = key_phrases(things, common, head=head)
    return phrases, theme_of([phrase for phrase in phrases if common.distinguishes(phrase)], things)


def about(name: str, sentence: str) -> str:
    """The sentence, after the name of what it is about where it does not say it."""
    return sentence if name.casefold() in sentence.casefold() else f"{name}: {sentence}"


def cut(text: str, longest: int) -> str:
    """The text on one line, at most `longest` characters of it."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
