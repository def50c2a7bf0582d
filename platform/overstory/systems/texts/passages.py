"""Selects the passages from which a text or request is made, so that their number is bounded."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Protocol, TypeVar

from overstory.text.key_phrases import CommonWords, Described, key_phrases, theme_of


def in_common(things: Sequence[Described], common: CommonWords, head: str) -> tuple[list[str], str]:
    """Return key phrases shared by several texts, and the phrase that suits the title, or "" if no phrase does.

    A phrase that a third of all texts contain does not suit the title, because it does not distinguish the group.

    Args:
        head: Text that the title contains anyway.
    """
    phrases = key_phrases(things, common, head=head)
    return phrases, theme_of([phrase for phrase in phrases if common.distinguishes(phrase)], things)


def about(name: str, sentence: str) -> str:
    """Return the sentence, with `name` in front if the sentence does not contain the name."""
    return sentence if name.casefold() in sentence.casefold() else f"{name}: {sentence}"


def cut(text: str, longest: int) -> str:
    """Return the text on one line, cut to `longest` characters."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


class FromPassages(Protocol):
    """Content made from passages; `chunks` has the ids of the passages."""

    @property
    def chunks(self) -> Sequence[str]: ...


P = TypeVar("P", bound=FromPassages)


def within(things: Iterable[P], most_chunks: int, *, same: Callable[[P], Hashable] = id) -> list[P]:
    """Return the first item, and each later item that keeps the total number of passages within `most_chunks`.

    Args:
        same: Key function. Of items with equal keys, only the first is taken.
    """
    chosen: list[P] = []
    chunks: set[str] = set()
    taken: set[Hashable] = set()
    for each in things:
        if same(each) not in taken and (not chosen or len(chunks.union(each.chunks)) <= most_chunks):
            chosen.append(each)
            chunks.update(each.chunks)
            taken.add(same(each))
    return chosen


def passages_of(things: Iterable[FromPassages]) -> tuple[str, ...]:
    """Return the ids of all passages that the items are made from, in order and without duplicates."""
    return tuple(dict.fromkeys(chunk for each in things for chunk in each.chunks))
