"""Selects communities and entities for a question, and scores passages. Pure functions.

The paper gives entities, paths, reports and texts to a language model and does not rank passages. docs/hirag.md
describes what was tried on three question sets. Passages about entities related to the nearest entities help most.
Entities on paths between communities do not help, because they are often too common.
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

# Selection for a question: communities, their key entities, and pairs of entities to connect. Pure functions.
#
# Source: HiRAG paper, Section 4.2, Eq. 12 to 15, and Algorithm 2.


class NearEntity(NamedTuple):
    """An entity near the question.

    Attributes:
        cosine: Cosine between the entity and the question.
        bottom: Id of the smallest community that contains the entity, "" if there is none.
    """

    id: str
    name: str
    type: str
    layer: int
    cosine: float
    bottom: str


class RatedCommunity(NamedTuple):
    """A community with its level (0 for the root) and the rating of its report (0.0 without a report)."""

    id: str
    level: int
    size: int
    rating: float


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """The communities that contain entities near a question.

    Attributes:
        above: For each bottom community: the community itself and all communities that contain it, except the root.
        root: Id of the root, "" if no entity belongs to a community.
    """

    above: Mapping[str, Sequence[RatedCommunity]]
    root: str = ""

    @classmethod
    def of(cls, rows: Iterable[Sequence[Any]]) -> Hierarchy:
        """Convert the column `communities` of `systems/hirag/nearest`."""
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
        """Return all communities that contain an entity, the smallest first, without the root."""
        return sorted(self.above.get(entity.bottom, ()), key=lambda each: -each.level)


class Selected(NamedTuple):
    """A community selected for a question, and how many of the nearest entities it contains."""

    community: RatedCommunity
    hits: int


def select_communities(hits: Sequence[NearEntity], hierarchy: Hierarchy, limit: int) -> list[Selected]:
    """Select the communities that contain most of the nearest entities (Eq. 13), then by rating.

    A community is skipped if a smaller community inside it contains as many of these entities, because the smaller one
    is more specific.
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
    """For each selected community, return the `limit` entities that are nearest to the question (Eq. 14).

    `near` must be sorted, nearest first. An entity that belongs to several communities counts only for the smallest.
    """
    place = {each.community.id: at for at, each in enumerate(selected)}
    keys: list[list[NearEntity]] = [[] for _ in selected]
    for entity in near:
        at = next((place[each.id] for each in hierarchy.holding(entity) if each.id in place), None)
        if at is not None and len(keys[at]) < limit:
            keys[at].append(entity)
    return keys


def pairs_to_join(keys: Sequence[Sequence[NearEntity]], limit: int) -> list[tuple[NearEntity, NearEntity]]:
    """Pair the best key entities of consecutive communities, then the second best, and so on.

    There are at most `limit` pairs, and paths between the best entities are the most useful.
    """
    pairs: list[tuple[NearEntity, NearEntity]] = []
    for rank in range(max(map(len, keys), default=0)):
        row = [of_one[rank] for of_one in keys if len(of_one) > rank]
        pairs += [(one, other) for one, other in itertools.pairwise(row) if one.bottom != other.bottom]
    return pairs[:limit]


class StoredReport(NamedTuple):
    """A report and the community that it describes."""

    community: str
    id: str
    report: Report
    level: int
    size: int


def diverse(reports: Sequence[StoredReport], limit: int) -> list[StoredReport]:
    """Select reports with high rating and size. Reports that share words with a selected one count less."""
    words = {each.id: _words(each.report) for each in reports}
    left = {each.id: each for each in reversed(reports)}  # For communities that share a report, keep the first.
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
"""Number of entities nearest to the question that affect the ranking of passages."""
RELATIONS_OF_AN_ENTITY = 10
"""Number of strongest relations that are read for each entity."""
_PASSAGES_OF_AN_ENTITY = 2
"""Number of an entity's most important passages that count."""
_NEAR_ENTITY_WEIGHT = 0.2  # weight of statements about near entities
_RELATED_ENTITY_WEIGHT = 0.4
"""Weight of statements about entities that are related to near entities. The passage's own cosine has weight 1."""


class EvidenceStatement(NamedTuple):
    """A statement that passages make about an entity.

    Attributes:
        kind: "entity" for one of the nearest entities, "relation" for an entity related to one of the nearest.
        what: Name of the entity.
        near_entity: For a relation, the name of the nearest entity.
        relevance: Relevance to the question, from 0 to 1.
        chunks: Ids of the passages.
    """

    kind: Literal["entity", "relation"]
    what: str
    near_entity: str
    relevance: float
    chunks: Sequence[str]


@dataclass(frozen=True, slots=True)
class HierarchyScore:
    """The terms of a passage's score, with the passage's statements, the most relevant first."""

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
    """Return the relevance of the `RANKING_ENTITIES` nearest entities, by id. `near` must be sorted, nearest first.

    The relevance of the nearest entity is its cosine. Relevance falls linearly to 0 at the cosine of the first entity
    beyond `RANKING_ENTITIES`. All cosines are similar; therefore, only their differences are informative.
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
    """Score each passage in `cosines`."""
    entities: dict[str, list[EvidenceStatement]] = {}
    relations: dict[str, list[EvidenceStatement]] = {}
    for each in sorted(statements, key=lambda one: (-one.relevance, one.what, one.near_entity)):
        there = entities if each.kind == "entity" else relations
        for chunk in each.chunks[:_PASSAGES_OF_AN_ENTITY] if each.relevance > 0.0 else ():
            there.setdefault(chunk, []).append(each)
    return {
        id_: HierarchyScore(cosine, entities.get(id_, ()), relations.get(id_, ())) for id_, cosine in cosines.items()
    }
