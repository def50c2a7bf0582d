"""How passages are ranked by what they state. Pure functions.

The paper hands paths, reports and texts to a language model and ranks no passages; docs/hirag.md has what was tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

ENTITIES = 0.5
RELATIONS = 0.3
"""Weights of what a passage says of entities and of relations; that of its own cosine is 1."""


class Statement(NamedTuple):
    """An entity or a relation of the evidence, and the passages that state it.

    Attributes:
        what: for people: "Dracula", "Dracula and Bram Stoker".
        similarity: to the question.
        chunks: ids.
    """

    kind: Literal["entity", "relation"]
    what: str
    similarity: float
    chunks: Sequence[str]


@dataclass(frozen=True, slots=True)
class Score:
    """The parts of a passage's score.

    Attributes:
        entities, relations: what it states of the evidence, the most similar to the question first.
    """

    cosine: float
    entities: Sequence[Statement]
    relations: Sequence[Statement]

    @property
    def by_entities(self) -> float:
        return ENTITIES * _best(self.entities)

    @property
    def by_relations(self) -> float:
        return RELATIONS * _best(self.relations)

    @property
    def total(self) -> float:
        return self.cosine + self.by_entities + self.by_relations


def _best(statements: Sequence[Statement]) -> float:
    return max(0.0, statements[0].similarity) if statements else 0.0


def scores(cosines: Mapping[str, float], statements: Iterable[Statement]) -> dict[str, Score]:
    """The score of each passage that has a cosine."""
    entities: dict[str, list[Statement]] = {}
    relations: dict[str, list[Statement]] = {}
    for each in sorted(statements, key=lambda one: (-one.similarity, one.what)):
        there = entities if each.kind == "entity" else relations
        for chunk in dict.fromkeys(each.chunks):
            there.setdefault(chunk, []).append(each)
    return {id_: Score(cosine, entities.get(id_, ()), relations.get(id_, ())) for id_, cosine in cosines.items()}
