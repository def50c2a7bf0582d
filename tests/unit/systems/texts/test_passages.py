"""Selection of passages under a limit."""

from __future__ import annotations

from typing import NamedTuple

from overstory.systems.texts.passages import passages_of, within


class Thing(NamedTuple):
    name: str
    chunks: tuple[str, ...]


ONE, OTHER = Thing("one", ("a", "b")), Thing("other", ("b", "c"))
WIDE = Thing("wide", tuple(f"w{place}" for place in range(9)))


def test_what_would_bring_too_many_passages_is_left_out_but_for_the_first() -> None:
    assert within([ONE, WIDE, OTHER], 3) == [ONE, OTHER]
    assert within([WIDE, ONE], 3) == [WIDE]


def test_of_things_that_are_the_same_the_first_that_fits_is_taken() -> None:
    again = Thing("wide", ("b",))
    assert within([ONE, WIDE, again, again], 3, same=lambda thing: thing.name) == [ONE, again]
    assert within([ONE, again, Thing("wide", ("b",))], 3) == [ONE, again, again]


def test_passages_are_listed_once_in_order() -> None:
    assert passages_of([OTHER, ONE]) == ("b", "c", "a")
