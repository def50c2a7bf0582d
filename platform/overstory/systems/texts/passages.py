"""What a text or a request may be taken from, so that it stands on a bounded number of passages."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Protocol, TypeVar

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
    """The sentence, preceded by `name` if it does not contain it."""
    return sentence if name.casefold() in sentence.casefold() else f"{name}: {sentence}"


def cut(text: str, longest: int) -> str:
    """The text on one line, cut to `longest` characters."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


class FromPassages(Protocol):
    """Content taken from passages; `chunks` has their ids."""

    @property
    def chunks(self) -> Sequence[str]: ...


P = TypeVar("P", bound=FromPassages)


def within(things: Iterable[P], most_chunks: int, *, same: Callable[[P], Hashable] = id) -> list[P]:
    """The first, and of the others, in order, those that do not bring the passages of all above `most_chunks`.

    Args:
        same: of things for which it is equal, one at most is taken.
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
    """The ids of all passages that things are taken from, each once, in order."""
    return tuple(dict.fromkeys(chunk for each in things for chunk in each.chunks))
