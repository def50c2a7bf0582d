"""Chooses which of the ways found are shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from operator import and_

from overstory.retrieve.entity_paths.shortest import Way
from overstory.retrieve.entity_paths.statements import Statement

REPEATED = 0.25
"""Penalty for each name of an earlier path when the next one is chosen; not part of its cost."""


@dataclass(frozen=True, slots=True)
class Found:
    """A way with the statement of each of its steps.

    Attributes:
        between: of each name between, itself and the longer names that it may stand for.
    """

    way: Way
    cost: float
    statements: tuple[Statement, ...]
    between: Sequence[Set[str]]


def add(found: list[Found], new: Found) -> None:
    """Adds a way, if none that is as good has the same names between, be they shortened."""
    for place, other in enumerate(found):
        if len(other.way) == len(new.way) and all(map(and_, other.between, new.between)):
            found[place] = min(other, new, key=_order)
            return
    found.append(new)


def chosen_paths(found: Iterable[Found], k: int) -> list[Found]:
    """The shortest way, the best of several, and then the best others, `k` in all, by cost.

    A way that repeats names of ways already chosen must be better by `REPEATED` for each of them.
    """
    waiting = sorted(found, key=lambda each: (len(each.way), *_order(each)))
    chosen = waiting[:1]
    waiting = waiting[1:]
    while waiting and len(chosen) < k:
        taken = {name for each in chosen for names in each.between for name in names}
        worth = [each.cost + REPEATED * sum(not taken.isdisjoint(names) for names in each.between) for each in waiting]
        best = min(range(len(waiting)), key=lambda place: (worth[place], *_order(waiting[place])))
        chosen.append(waiting.pop(best))
    return chosen[:1] + sorted(chosen[1:], key=_order)


def _order(found: Found) -> tuple[float, Way]:
    return found.cost, found.way


def enough(found: Sequence[Found], k: int, least: float) -> bool:
    """Whether `k` ways cost no more than all that are to come."""
    return sum(each.cost <= least for each in found) >= k
