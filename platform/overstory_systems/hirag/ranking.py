"""How passages are ranked by what they state. Pure functions.

The paper hands entities, paths, reports and texts to a language model and ranks no passages; docs/hirag.md has what was
tried on three sets of questions. What helps most are passages on entities that are related to those nearest to the
question. What paths between communities go through does not help: it is often an entity that is everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from overstory_systems.hirag.selection import NearEntity

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
    """What passages say of the evidence.

    Attributes:
        kind: "entity" if it is one of the nearest, "relation" if it is related to one.
        what: the name of the entity.
        beside: of a relation, the name of the nearest entity.
        relevance: to the question, from 0 to 1.
        chunks: ids.
    """

    kind: Literal["entity", "relation"]
    what: str
    beside: str
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
    for each in sorted(statements, key=lambda one: (-one.relevance, one.what, one.beside)):
        there = entities if each.kind == "entity" else relations
        for chunk in each.chunks[:_PASSAGES_OF_AN_ENTITY] if each.relevance > 0.0 else ():
            there.setdefault(chunk, []).append(each)
    return {
        id_: HierarchyScore(cosine, entities.get(id_, ()), relations.get(id_, ())) for id_, cosine in cosines.items()
    }
