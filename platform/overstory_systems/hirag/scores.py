"""How passages are ranked by what they state. Pure functions.

The paper hands entities, paths, reports and texts to a language model and ranks no passages; docs/hirag.md has what was
tried on three sets of questions. What helps most are passages on entities that are related to those nearest to the
question. What paths between communities go through does not help: it is often an entity that is everywhere.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from overstory.systems.texts.reports import Report
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.names.keys import key_words

# Selection for a question: communities, their key entities, and pairs of these to join. Pure functions.
#
# Source: HiRAG, Section 4.2, Eq. 12 to 15, and Algorithm 2.


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


RANKING_ENTITIES = 10
"""Entities nearest to the question that rank passages."""
RELATIONS_OF_AN_ENTITY = 10
"""The strongest."""
_PASSAGES_OF_AN_ENTITY = 2
"""Passages of an entity that count: those that say most about it."""
_NEAR_ENTITY_WEIGHT = 0.2  # of what a passage says of near entities
_RELATED_ENTITY_WEIGHT = 0.4
"""Weights of what a passage says of near entities, and of those they are related to; that of its own cosine is 1."""


class EvidenceStatement(NamedTuple):
    """A statement that passages make about the evidence.

    Attributes:
        kind: "entity" if it is one of the nearest, "relation" if it is related to one.
        what: the name of the entity.
        beside: of a relation, the name of the nearest entity.
        relevance: to the question, from 0 to 1.
        chunks: ids.
    """

    kind: Literal["entity", "relation"]
    what: str
    near_entity: str
    relevance: float
    chunks: Sequence[str]


@dataclass(frozen=True, slots=True)
class HierarchyScore:
    """The parts of a passage's score.

    Attributes:
        entities, relations: what it states, the most relevant first.
    """

    cosine: float
    entities: Sequence[EvidenceStatement] = ()
    relations: Sequence[EvidenceStatement] = ()

    @property
    def by_entities(self) -> float:
        return _NEAR_ENTITY_WEIGHT * self.entities[0].relevance if self.entities else 0.0

    @property
    def by_relations(self) -> float:
        return _RELATED_ENTITY_WEIGHT * self.relations[0].relevance if self.relations else 0.0

    @property
    def total(self) -> float:
        return self.cosine + self.by_entities + self.by_relations


def relevance(near: Sequence[NearEntity]) -> dict[str, float]:
    """How much the `RANKING_ENTITIES` nearest entities count, by id: the nearest its cosine, the others less, and 0
    where those begin that do not count. All cosines are much alike, and only their differences say something.

    Args:
        near: the nearest first.
    """
    if not near:
        return {}
    best = max(0.0, near[0].cosine)
    least = near[RANKING_ENTITIES].cosine if len(near) > RANKING_ENTITIES else 0.0
    width = near[0].cosine - least
    return {
        entity.id: best * max(0.0, (entity.cosine - least) / width) if width > 0.0 else best
        for entity in near[:RANKING_ENTITIES]
    }


def scores(cosines: Mapping[str, float], statements: Iterable[EvidenceStatement]) -> dict[str, HierarchyScore]:
    """The score of each passage that has a cosine."""
    entities: dict[str, list[EvidenceStatement]] = {}
    relations: dict[str, list[EvidenceStatement]] = {}
    for each in sorted(statements, key=lambda one: (-one.relevance, one.what, one.near_entity)):
        there = entities if each.kind == "entity" else relations
        for chunk in each.chunks[:_PASSAGES_OF_AN_ENTITY] if each.relevance > 0.0 else ():
            there.setdefault(chunk, []).append(each)
    return {
        id_: HierarchyScore(cosine, entities.get(id_, ()), relations.get(id_, ())) for id_, cosine in cosines.items()
    }
