"""What is chosen for a question: communities, their key entities, and pairs of these to be joined. Pure functions.

Source: HiRAG, Section 4.2, Eq. 12 to 15, and Algorithm 2.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from overstory.systems.texts.reports import Report
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.names.keys import key_words


class NearEntity(NamedTuple):
    """An entity near the question.

    Attributes:
        cosine: to the question.
        bottom: the id of the smallest community that it is in, "" for none.
    """

    id: str
    name: str
    type: str
    layer: int
    cosine: float
    bottom: str


class RatedCommunity(NamedTuple):
    """A community; `level` counts from the root, which is 0, and `rating` is that of its report, 0.0 without one."""

    id: str
    level: int
    size: int
    rating: float


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """The communities that entities near a question are in.

    Attributes:
        above: by the id of each bottom community, itself and all that it is in; without the root.
        root: its id, "" where there is no entity in a community.
    """

    above: Mapping[str, Sequence[RatedCommunity]]
    root: str = ""

    @classmethod
    def of(cls, rows: Iterable[Sequence[Any]]) -> Hierarchy:
        """From what `systems/hirag/nearest_…` returns as `communities`."""
        above: dict[str, list[RatedCommunity]] = {}
        root = ""
        for id_, level, size, rating, bottoms in rows:
            if level == 0:
                root = id_
                continue
            for bottom in bottoms:
                above.setdefault(bottom, []).append(RatedCommunity(id_, level, size, rating or 0.0))
        return cls(above, root)

    def holding(self, entity: NearEntity) -> Sequence[RatedCommunity]:
        """All communities that an entity is in, the smallest first; without the root."""
        return sorted(self.above.get(entity.bottom, ()), key=lambda each: -each.level)


class Selected(NamedTuple):
    """A community that is read for a question, and how many of the nearest entities it holds."""

    community: RatedCommunity
    hits: int


def select_communities(hits: Sequence[NearEntity], hierarchy: Hierarchy, limit: int) -> list[Selected]:
    """The communities that hold the nearest entities (Eq. 13), by their number, then by the rating of their reports.

    One that holds no more of them than one inside it is left out: the smaller says it more precisely.
    """
    counts: dict[RatedCommunity, int] = {}
    parent: dict[RatedCommunity, RatedCommunity] = {}
    for entity in hits:
        holding = hierarchy.holding(entity)
        parent |= dict(itertools.pairwise(holding))
        for community in holding:
            counts[community] = counts.get(community, 0) + 1
    repeated = {above for inside, above in parent.items() if counts[inside] == counts[above]}
    chosen = [Selected(community, count) for community, count in counts.items() if community not in repeated]
    return sorted(chosen, key=lambda each: (-each.hits, -each.community.rating, each.community.id))[:limit]


def key_entities(
    near: Iterable[NearEntity], hierarchy: Hierarchy, selected: Sequence[Selected], limit: int
) -> list[list[NearEntity]]:
    """The `limit` entities of each selected community that are nearest to the question (Eq. 14).

    An entity that is in several of them is one of the smallest, so that none is twice there.

    Args:
        near: the nearest first.
    """
    place = {each.community.id: at for at, each in enumerate(selected)}
    keys: list[list[NearEntity]] = [[] for _ in selected]
    for entity in near:
        at = next((place[each.id] for each in hierarchy.holding(entity) if each.id in place), None)
        if at is not None and len(keys[at]) < limit:
            keys[at].append(entity)
    return keys


def pairs_to_join(keys: Sequence[Sequence[NearEntity]], limit: int) -> list[tuple[NearEntity, NearEntity]]:
    """Pairs of key entities of different communities that stand next to each other: the best ones of the first and the
    second, of the second and the third, …, then the second best.

    Paths between the best say most, and there are only `limit` pairs.
    """
    pairs: list[tuple[NearEntity, NearEntity]] = []
    for rank in range(max(map(len, keys), default=0)):
        row = [of_one[rank] for of_one in keys if len(of_one) > rank]
        pairs += [(one, other) for one, other in itertools.pairwise(row) if one.bottom != other.bottom]
    return pairs[:limit]


class StoredReport(NamedTuple):
    """A report with its community."""

    community: str
    id: str
    report: Report
    level: int
    size: int


def diverse(reports: Sequence[StoredReport], limit: int) -> list[StoredReport]:
    """The reports that matter most and say different things: by rating and size, less for words that others have."""
    words = {each.id: _words(each.report) for each in reports}
    left = {each.id: each for each in reversed(reports)}  # of communities that share a report, the first
    value = {id_: each.report.rating * math.log1p(each.size) for id_, each in left.items()}
    overlap = dict.fromkeys(left, 0.0)
    chosen: list[StoredReport] = []
    while left and len(chosen) < limit:
        best = min(left, key=lambda id_: (-value[id_] * (1.0 - overlap[id_]), id_))
        chosen.append(left.pop(best))
        for id_ in left:
            overlap[id_] = max(overlap[id_], _jaccard(words[best], words[id_]))
    return chosen


def _words(report: Report) -> frozenset[str]:
    text = " ".join([report.title, *(finding.text for finding in report.findings)])
    return frozenset(key_words(text)) - FUNCTION_WORDS


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0
