"""Selects the content of a text or a request, so that it is based on a limited number of passages."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Protocol, TypeVar

from overstory.text.key_phrases import CommonWords, Described, key_phrases, theme_of


def in_common(things: Sequence[Described], common: CommonWords, head: str) -> tuple[list[str], str]:
    """Return the key phrases that several texts share, and the phrase that is most suitable for a title.

    The phrase for the title is "" if no phrase is suitable. A phrase that occurs in a third of all texts is not
    suitable, because it does not distinguish the group.

    Args:
        head: Text that the title contains in any case.
    """
    phrases = key_phrases(things, common, head=head)
    return phrases, theme_of([phrase for phrase in phrases if common.distinguishes(phrase)], things)


def about(name: str, sentence: str) -> str:
    """Return the sentence. If it does not contain the name, put the name and a colon in front."""
    return sentence if name.casefold() in sentence.casefold() else f"{name}: {sentence}"


def cut(text: str, longest: int) -> str:
    """Return the text on one line, truncated to `longest` characters."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


class FromPassages(Protocol):
    """Content that is based on passages. `chunks` contains the ids of these passages."""

    @property
    def chunks(self) -> Sequence[str]: ...


P = TypeVar("P", bound=FromPassages)


def within(things: Iterable[P], most_chunks: int, *, same: Callable[[P], Hashable] = id) -> list[P]:
    """Select items that are based on at most `most_chunks` different passages in total.

    Items are considered in order, and those that would exceed the limit are skipped. The first item is always selected.

    Args:
        same: Returns a key for an item. If several items have the same key, only the first one can be selected.
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
    """Return the ids of all passages on which the items are based, in order and without duplicates."""
    return tuple(dict.fromkeys(chunk for each in things for chunk in each.chunks))
