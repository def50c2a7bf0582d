"""Names reached from the two ends, a step at a time, from whichever end reads fewer passages."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from math import isinf

from overstory.graph import Corpus, Transaction
from overstory.graph.client import Row
from overstory.model import HYPERLINK
from overstory.retrieve.entity_paths.endpoints import Ends, MatchingPassages
from overstory.text.names.dictionary import is_looked_for
from overstory.text.names.subjects import OWN
from overstory.text.names.tokens import idf_weight

# Ways through a graph of names, without the graph database: which there are, cheapest first, and what they cost.
#
# A way of m steps through the names a₁ … aₘ₋₁ costs
#     Σ over steps (1 + what the step is short of a fact) + Σ over names between (1 − idf(a))
# so that few steps, close ones, and names that tell much are good. No name of a way but the two ends could be left out:
# a way that goes on from a name to one which an earlier name of it leads to as well is a detour of another way.

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


MOST_PASSAGES_OF_A_NAME = 100
"""Passages that may mention a name which paths go through: more say too little, and read too much."""

_PASSAGES_A_STEP = 1_000  # passages, and links among them
_NAMES_A_STEP = 300
"""Passages, links among them, and names that are read at one step; of more names those that have fewest."""

_PASSAGES_OF_AN_END = 500  # passages, or links, of one of the two names that are read

_MOST_LINKS_OF_A_NAME = 100
"""Links of a name that paths follow: of more, only those of an end are, `_PASSAGES_OF_AN_END` of them."""

DOCUMENTS_OF_A_NAME = 50
"""Of documents with one title."""

_LEAST_PASSAGES_OF_A_NAME = 2
"""Passages, or links, that a name must have to lead from one name to another."""

_PARSED_AS_NAME_DIVISOR = 4
"""A word alone that texts also write otherwise ("League", "South") is a name if a parser takes it for one in at least
one of so many passages."""

_MOST_NAME_COST = 1.5
"""The cost of a name that every passage mentions."""

_SINGLE_WORD_COST = 0.2
"""The extra cost of a single word: it may be part of several names, as Burton is of Cliff and Hilarie Burton."""

PLACES = frozenset({"GPE", "LOC", "NORP", "LANGUAGE"})
"""Types of names that stand alone: Germany is one, in East Germany too."""

_MOST_HUBS_NAMED = 5  # names in a note on what was not followed


@dataclass(slots=True)
class _Side:
    """The names reached from one end: all of them, those of the last step, the hubs that were met, and those of
    links."""

    reached: set[str]
    last: set[str]
    hubs: set[str] = field(default_factory=set[str])
    linked_hubs: set[str] = field(default_factory=set[str])


class Walk:
    """The part of the graph between two names that was read so far.

    Attributes:
        neighbours: names -> those a step away; symmetrical. The ends are taken for neighbours, whether they are or not.
        costs: of the names that paths may go through.
        ambiguous: those of them that may be part of several others, like a family name alone.
        names: how the corpus writes the names.
        df: the passages that mention them.
        linked: whether links are followed.
    """

    def __init__(self, tx: Transaction, corpus: Corpus, ends: Ends, passages: MatchingPassages | None = None) -> None:
        """
        Args:
            passages: those that are read; all if left out.
        """
        self.neighbours: dict[str, set[str]] = {ends.start.id: {ends.end.id}, ends.end.id: {ends.start.id}}
        self.costs: dict[str, float] = {}
        self.ambiguous: set[str] = set()
        self.names: dict[str, str] = {ends.start.id: ends.start.name, ends.end.id: ends.end.name}
        self.df: dict[str, int] = {ends.start.id: ends.start.df, ends.end.id: ends.end.df}
        self.linked = ends.linked
        self._links: dict[str, int] = {}
        self._tx = tx
        self._corpus = corpus
        self._ends = ends
        self._passages_read = passages
        self._sides = tuple(_Side({end.id}, {end.id}) for end in (ends.start, ends.end))
        self._read: set[str] = set()
        self._left_out = 0
        self._steps = 0
        if self.linked:
            self._links |= {row["id"]: row["links"] for row in self._linked_names([], None, self.ends)}

    @property
    def ends(self) -> list[str]:
        return [self._ends.start.id, self._ends.end.id]

    @property
    def least(self) -> float:
        """The cost of the cheapest name that a path can go through."""
        return self.cost_of(_LEAST_PASSAGES_OF_A_NAME)

    def cost_of(self, df: int) -> float:
        return _MOST_NAME_COST * (1.0 - idf_weight(self._ends.chunks, df))

    def read_up_to(self, steps: int, *, last: bool) -> None:
        """Reads what paths of so many steps need and was not read yet.

        Args:
            last: only what makes whole paths.
        """
        while 1 < steps > self._steps:
            self._steps += 1
            self._read_a_step(last=last and self._steps == steps)

    def notes(self, most: float) -> list[str]:
        """Notes on what was left out; `most` is the cost of the worst path found, infinite if too few were found."""
        notes: list[str] = []
        hubs = self._sides[0].hubs & self._sides[1].hubs
        if hubs and most > cheapest(2, self.cost_of(MOST_PASSAGES_OF_A_NAME + 1)):
            notes.append(self._not_gone_through(hubs, self.df, f"over {MOST_PASSAGES_OF_A_NAME} passages mention each"))
        here, there = (side.linked_hubs for side in self._sides)
        linked_hubs = here & there or (here | there if isinf(most) else set())
        if linked_hubs and most > cheapest(2, self.cost_of(_MOST_LINKS_OF_A_NAME + 1)):
            notes.append(
                self._not_gone_through(
                    linked_hubs, self._links, f"over {_MOST_LINKS_OF_A_NAME} links lead from or to each"
                )
            )
        notes += [
            f"only {_PASSAGES_OF_AN_END:,} of the links of {end.name} were read"
            for end in (self._ends.start, self._ends.end)
            if end.id in self._read and self._links.get(end.id, 0) > _PASSAGES_OF_AN_END
        ]
        notes += [
            f"only {_PASSAGES_OF_AN_END:,} of the {end.df:,} passages that mention {end.name} were read"
            for end in (self._ends.start, self._ends.end)
            if end.id in self._read and end.df > _PASSAGES_OF_AN_END
        ]
        if self._left_out:
            followed = "name was not followed" if self._left_out == 1 else "names were not followed"
            notes.append(f"{self._left_out:,} {followed}, the most frequent of those on the way")
        return notes

    def _not_gone_through(self, hubs: set[str], sizes: Mapping[str, int], why: str) -> str:
        first = sorted(hubs, key=lambda hub: (-sizes[hub], self.names[hub]))[:_MOST_HUBS_NAMED]
        listed = ", ".join([self.names[hub] for hub in first] + (["…"] if len(hubs) > _MOST_HUBS_NAMED else []))
        were = "name was" if len(hubs) == 1 else "names were"
        return f"{len(hubs):,} {were} not gone through, since {why}: {listed}"

    def _passages(self, names: Iterable[str]) -> int:
        return sum(map(self._size, names))

    def _size(self, name: str) -> int:
        """The passages and links of a name that are read."""
        links = self._links.get(name, 0)
        followed = links if links <= _MOST_LINKS_OF_A_NAME or self._is_end(name) else 0
        return min(self.df[name], _PASSAGES_OF_AN_END) + min(followed, _PASSAGES_OF_AN_END)

    def _affordable(self, names: list[str]) -> list[str]:
        """The first names that may be read at one step; one at least."""
        chosen: list[str] = []
        passages = 0
        for name in names[:_NAMES_A_STEP]:
            passages += self._size(name)
            if chosen and passages > _PASSAGES_A_STEP:
                break
            chosen.append(name)
        return chosen

    def _read_a_step(self, *, last: bool) -> None:
        side, other = sorted(self._sides, key=lambda each: self._passages(each.last))
        if not side.last:  # nothing leads on from it; what the other end meets is read once, for the notes
            side, other = other, side
            if side.last != side.reached:
                return
        unread = sorted(side.last - self._read, key=lambda name: (self._size(name), name))
        chosen = self._affordable(unread)
        self._left_out += len(unread) - len(chosen)
        if chosen:
            self._read_neighbours(
                chosen, side, sorted(other.reached | other.hubs | other.linked_hubs) if last else None
            )
        met = {name for each in side.last for name in self.neighbours[each] if name in self.costs}
        side.last = met - side.reached
        side.reached |= met

    def _read_neighbours(self, names: list[str], side: _Side, only: list[str] | None) -> None:
        self._read.update(names)
        rows = self._neighbours(names, only)
        if self.linked:
            followed = [name for name in names if self._follows_links(name)]
            linked = self._linked_names(followed, only, [row["id"] for row in rows])
            self._links |= {row["id"]: row["links"] for row in linked}
        else:
            followed, linked = [], []
        for row in rows:
            if self._is_end(row["id"]) or is_name(row):
                self._add(row, [names[place] for place in row["met"]], side)
        for row in linked:
            met = self._met_by_links(row)
            if met and not self._is_end(row["id"]) and row["links"] > _MOST_LINKS_OF_A_NAME:
                side.linked_hubs.add(row["id"])
                self.names[row["id"]] = row["name"]
            elif met:
                self._add(row, [followed[place] for place in met], side)

    def _neighbours(self, names: list[str], only: list[str] | None) -> list[Row]:
        """The names that stand with some."""
        if self._passages_read is None:
            return self._tx.run(
                "retrieve/path_neighbours",
                self._corpus.label,
                asked={"names": names, "only": only, "subjects": self.linked},
                most=_PASSAGES_OF_AN_END,
                ends=self.ends,
            )
        places = self._passages_read.of(names)
        asked = [
            {"id": name, "chunks": [], "others": []}
            if name not in places
            else {
                "id": name,
                "chunks": list(places[name].chunks[:_PASSAGES_OF_AN_END]),
                "others": list(places[name].tied[:_PASSAGES_OF_AN_END]),
            }
            for name in names
        ]
        return self._tx.run(
            "retrieve/path_neighbours_among",
            self._corpus.label,
            asked={"names": asked, "only": only, "subjects": self.linked},
            ends=self.ends,
            own=OWN,
        )

    def _met_by_links(self, row: Row) -> list[int]:
        """The places of the names from which links lead to a name."""
        if self._passages_read is None:
            return sorted({place for place, _, _ in row["via"]})
        own = self._passages_read.matching.documents
        return sorted({place for place, here, there in row["via"] if here in own and there in own})

    def _linked_names(self, names: list[str], only: list[str] | None, met: list[str]) -> list[Row]:
        """The names that links lead to, and those of `met`; all with the number of their links."""
        return self._tx.run(
            "retrieve/path_links",
            self._corpus.label,
            asked={"names": names, "only": only, "met": met},
            ends=self.ends,
            documents=DOCUMENTS_OF_A_NAME,
            most=_PASSAGES_OF_AN_END,
            most_links=_MOST_LINKS_OF_A_NAME,
            hyperlink=HYPERLINK,
        )

    def _follows_links(self, name: str) -> bool:
        links = self._links.get(name, 0)
        return links > 0 and (links <= _MOST_LINKS_OF_A_NAME or self._is_end(name))

    def _add(self, row: Row, met: Iterable[str], side: _Side) -> None:
        name = row["id"]
        self.names[name], self.df[name] = row["name"], row["df"]
        if not self._is_end(name):
            links = self._links.get(name, 0) if self._follows_links(name) else 0
            if row["df"] < _LEAST_PASSAGES_OF_A_NAME and not links:
                return
            if row["df"] > MOST_PASSAGES_OF_A_NAME:
                side.hubs.add(name)
                return
            self.costs[name] = self.cost_of(max(_LEAST_PASSAGES_OF_A_NAME, row["df"], links))
            if is_ambiguous(row):
                self.ambiguous.add(name)
                self.costs[name] += _SINGLE_WORD_COST
        for other in met:
            self.neighbours.setdefault(name, set()).add(other)
            self.neighbours[other].add(name)

    def _is_end(self, name: str) -> bool:
        return name in self.ends


def is_name(row: Row) -> bool:
    """Whether a row of `retrieve/path_neighbours` is a name that paths may go through: no number, no part of one."""
    if not is_looked_for(row["key"], row["type"]):
        return False
    return " " in row["key"] or row["full"] or row["parsed"] * _PARSED_AS_NAME_DIVISOR >= row["df"]


def is_ambiguous(row: Row) -> bool:
    """Whether it may be part of several names: a word alone, unless a passage has it as its own name, or a place's."""
    return " " not in row["key"] and not row["full"] and row["type"] not in PLACES
