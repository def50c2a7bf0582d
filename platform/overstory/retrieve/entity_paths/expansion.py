"""Expansion of the graph around the two ends of a path, in both directions.

Each step reads the neighbours of the entities that were last reached from one end. It chooses the end with fewer
passages to read.
"""

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

# A way is a sequence of entities that leads from the start of a path to its end. `ways` finds the cheapest ways in the
# part of the graph that was read from the database. The cost of a way is the sum of
#     1 + (cost of the statement)     for each step;
#     1.5 · (1 − idf(a))              for each entity a between start and end.
# It is low for ways with few steps, with statements that connect two entities closely (a fact costs 0), and with rare
# entities. Ways with a detour are left out: a way must not continue to a neighbour of one of its earlier entities.

Way = tuple[str, ...]
"""The ids of the entities on a way, from start to end."""

Neighbours = Mapping[str, Set[str]]
"""A map from each entity id to the ids of the entities one step away. The relation is symmetric."""

STEP_COST = 1.0  # cost of a step, in addition to the costs of its statement and entities
_MOST_WAYS_TRIED = 20_000
"""Maximum number of partial ways to examine for each number of steps."""


def ways(
    neighbours: Neighbours, costs: Mapping[str, float], start: str, end: str, *, steps: int
) -> Iterator[tuple[float, Way]]:
    """Yield the ways with exactly `steps` steps and no detour, each as (cost of its entities, way), cheapest first.

    This is an A* search over partial ways. `_left_to_pay` provides the exact remaining costs. At most
    `_MOST_WAYS_TRIED` partial ways are examined. Some ways may therefore be missed if nearly all are detours.

    Args:
        costs: map from entity id to cost, for the entities that ways may lead through.
        steps: number of steps, at least 1.
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
    """Return a lower bound on the cost of a way with `steps` steps, given the cost of the cheapest entity, `least`."""
    return steps * STEP_COST + (steps - 1) * least


def _left_to_pay(
    neighbours: Neighbours, costs: Mapping[str, float], start: str, end: str, steps: int
) -> Sequence[Mapping[str, float]]:
    """Return, for each number of remaining steps from 0 to `steps`, a map from entity to remaining cost.

    The remaining cost is the minimum cost of the entities between this entity and the end.
    """
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
    """Return True if an entity is already on the way, or is a neighbour of an earlier entity on the way.

    The last entity of the way does not count as earlier. If the entity is the end, the start does not count either.
    """
    if name in way:
        return True
    earlier = way[1:-1] if name == end else way[:-1]
    return any(name in neighbours[each] for each in earlier)


MOST_PASSAGES_OF_A_NAME = 100
"""A path may lead through an entity only if at most this many passages mention it. More frequent entities say little
about a connection, and are slow to read."""

_PASSAGES_A_STEP = 1_000  # maximum number of passages and links to read in one step
_NAMES_A_STEP = 300  # maximum number of entities to read in one step; those with the fewest passages are read first

_PASSAGES_OF_AN_END = 500  # maximum number of passages, and of links, to read for each end of the path

_MOST_LINKS_OF_A_NAME = 100
"""Links of an entity are followed only if it has at most this many links, or is an end of the path."""

DOCUMENTS_OF_A_NAME = 50
"""Links of an entity are read from at most this many documents whose title is the name of the entity."""

_LEAST_PASSAGES_OF_A_NAME = 2
"""A path may lead through an entity only if at least this many passages mention it, or if it has links to follow."""

_PARSED_AS_NAME_DIVISOR = 4
"""A single word that texts also write in lower case ("League", "South") counts as a name only if a parser takes it for
a name in at least a quarter of its passages."""

_MOST_NAME_COST = 1.5
"""Cost of an entity that every passage mentions."""

_SINGLE_WORD_COST = 0.2
"""Extra cost of a single word, because it may be part of several names: "Burton" may mean Cliff Burton or Hilarie
Burton."""

PLACES = frozenset({"GPE", "LOC", "NORP", "LANGUAGE"})
"""Entity types whose single-word names are not ambiguous. "Germany", for example, means the same in "East Germany"."""

_MOST_HUBS_NAMED = 5  # maximum number of entities that a note lists


@dataclass(slots=True)
class _Side:
    """The entities reached from one end of the path.

    Attributes:
        last: ids of the entities reached in the last step.
        hubs: ids of entities that too many passages mention, so that paths do not lead through them.
        linked_hubs: ids of entities with too many links, so that their links are not followed.
    """

    reached: set[str]
    last: set[str]
    hubs: set[str] = field(default_factory=set[str])
    linked_hubs: set[str] = field(default_factory=set[str])


class Walk:
    """The part of the graph between the two ends of a path that has been read so far.

    Attributes:
        neighbours: map from each entity id to the ids of the entities one step away. The relation is symmetric, and the
            two ends always count as neighbours.
        costs: map from entity id to cost, for entities that paths may lead through.
        ambiguous: ids of entities whose name may be part of several names, such as a family name.
        names: map from entity id to name.
        df: map from entity id to the number of passages that mention the entity.
    """

    def __init__(self, tx: Transaction, corpus: Corpus, ends: Ends, passages: MatchingPassages | None = None) -> None:
        """
        Args:
            passages: the passages that paths may use; None for all.
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
        """Cost of the cheapest entity that could be on a path."""
        return self.cost_of(_LEAST_PASSAGES_OF_A_NAME)

    def cost_of(self, df: int) -> float:
        return _MOST_NAME_COST * (1.0 - idf_weight(self._ends.chunks, df))

    def read_up_to(self, steps: int, *, last: bool) -> None:
        """Read the part of the graph that is needed to find paths with up to `steps` steps.

        Args:
            last: True to read, in the last step, only entities that complete a path.
        """
        while 1 < steps > self._steps:
            self._steps += 1
            self._read_a_step(last=last and self._steps == steps)

    def notes(self, most: float) -> list[str]:
        """Return notes on entities, passages and links that were left out.

        Args:
            most: the highest cost of a path that was found; infinite if fewer paths than requested were found.
        """
        notes: list[str] = []
        hubs = self._sides[0].hubs & self._sides[1].hubs
        if hubs and most > cheapest(2, self.cost_of(MOST_PASSAGES_OF_A_NAME + 1)):
            notes.append(self._not_gone_through(hubs, self.df, f"more than {MOST_PASSAGES_OF_A_NAME} passages each"))
        here, there = (side.linked_hubs for side in self._sides)
        linked_hubs = here & there or (here | there if isinf(most) else set())
        if linked_hubs and most > cheapest(2, self.cost_of(_MOST_LINKS_OF_A_NAME + 1)):
            notes.append(
                self._not_gone_through(linked_hubs, self._links, f"more than {_MOST_LINKS_OF_A_NAME} links each")
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
            followed = "entity was not followed" if self._left_out == 1 else "entities were not followed"
            notes.append(f"{self._left_out:,} {followed}, those with the most passages")
        return notes

    def _not_gone_through(self, hubs: set[str], sizes: Mapping[str, int], why: str) -> str:
        first = sorted(hubs, key=lambda hub: (-sizes[hub], self.names[hub]))[:_MOST_HUBS_NAMED]
        listed = ", ".join([self.names[hub] for hub in first] + (["…"] if len(hubs) > _MOST_HUBS_NAMED else []))
        were = "entity was" if len(hubs) == 1 else "entities were"
        return f"{len(hubs):,} {were} not followed ({why}): {listed}"

    def _passages(self, names: Iterable[str]) -> int:
        return sum(map(self._size, names))

    def _size(self, name: str) -> int:
        links = self._links.get(name, 0)
        followed = links if links <= _MOST_LINKS_OF_A_NAME or self._is_end(name) else 0
        return min(self.df[name], _PASSAGES_OF_AN_END) + min(followed, _PASSAGES_OF_AN_END)

    def _affordable(self, names: list[str]) -> list[str]:
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
        if not side.last:  # no path is possible; still read the other end once, so that the notes list its hubs
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
        if self._passages_read is None:
            return sorted({place for place, _, _ in row["via"]})
        own = self._passages_read.matching.documents
        return sorted({place for place, here, there in row["via"] if here in own and there in own})

    def _linked_names(self, names: list[str], only: list[str] | None, met: list[str]) -> list[Row]:
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
    """Return True if the entity of a row is a name that paths may lead through, not a number or an ordinary word."""
    if not is_looked_for(row["key"], row["type"]):
        return False
    return " " in row["key"] or row["full"] or row["parsed"] * _PARSED_AS_NAME_DIVISOR >= row["df"]


def is_ambiguous(row: Row) -> bool:
    """Return True if the entity of a row is a single word that may be part of several names.

    Places, and single words that are full names, are not ambiguous.
    """
    return " " not in row["key"] and not row["full"] and row["type"] not in PLACES
