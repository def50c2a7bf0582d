"""Ways through a graph of names, without the graph database: which there are, cheapest first, and what they cost.

A way of m steps through the names a₁ … aₘ₋₁ costs
    Σ over steps (1 + what the step is short of a fact) + Σ over names between (1 − idf(a))
so that few steps, close ones, and names that tell much are good. No name of a way but the two ends could be left out: a
way that goes on from a name to one which an earlier name of it leads to as well is a detour of another way.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence, Set

Way = tuple[str, ...]
"""Ids of names from start to end."""

Neighbours = Mapping[str, Set[str]]
"""Names -> names one step away; symmetric."""

STEP_COST = 1.0  # the cost of a step, beside those of the names between
_MOST_WAYS_TRIED = 20_000
"""Beginnings of ways examined for one length."""


def ways(
    neighbours: Neighbours, costs: Mapping[str, float], start: str, end: str, *, steps: int
) -> Iterator[tuple[float, Way]]:
    """The ways of exactly so many steps without detours, with the costs of their names, cheapest first, lazily.

    Args:
        costs: of every name but the ends; a name that has none is on no way.
        steps: at least 1.

    A* over beginnings of ways; what is left to pay is known from `_left_to_pay`. Of a graph in which nearly every way
    is a detour, some may be missed: at most `_MOST_WAYS_TRIED` beginnings are looked at.
    """
    left = _left_to_pay(neighbours, costs, start, end, steps)
    waiting: list[tuple[float, Way]] = [(left[steps].get(start, 0.0), (start,))] if start in left[steps] else []
    for _ in range(_MOST_WAYS_TRIED):
        if not waiting:
            return
        cost, way = heapq.heappop(waiting)
        remaining = steps - len(way) + 1
        if not remaining:
            yield cost, way
            continue
        paid = cost - left[remaining][way[-1]]
        onwards = left[remaining - 1]
        for name in neighbours.get(way[-1], ()):
            if name in onwards and not _is_detour(neighbours, way, name, end):
                price = 0.0 if name == end else costs[name]
                heapq.heappush(waiting, (paid + price + onwards[name], (*way, name)))


def cheapest(steps: int, least: float) -> float:
    """A lower bound on the cost of a way of so many steps; `least` is the cost of the cheapest name."""
    return steps * STEP_COST + (steps - 1) * least


def _left_to_pay(
    neighbours: Neighbours, costs: Mapping[str, float], start: str, end: str, steps: int
) -> Sequence[Mapping[str, float]]:
    """For 0 … steps: names -> the least that the names after them cost, to be at the end in exactly so many steps."""
    left: list[dict[str, float]] = [{end: 0.0}]
    for number in range(1, steps + 1):
        here: dict[str, float] = {}
        for name, cost in left[-1].items():
            after = cost + (0.0 if name == end else costs[name])
            for other in neighbours.get(name, ()):
                known = other == start if number == steps else other in costs and other not in (start, end)
                if known and after < here.get(other, float("inf")):
                    here[other] = after
        left.append(here)
    return left


def _is_detour(neighbours: Neighbours, way: Way, name: str, end: str) -> bool:
    """Whether the way comes back, or an earlier name leads to this one too. That start leads to end is no matter."""
    if name in way:
        return True
    earlier = way[1:-1] if name == end else way[:-1]
    return any(name in neighbours[each] for each in earlier)
