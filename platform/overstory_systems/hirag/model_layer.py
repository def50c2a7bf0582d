"""Builds layer 0 from the readings of a language model, by merging entities and relations over all passages."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, TypeAlias

import numpy as np
from pydantic import BaseModel, Field

from overstory.display import counted
from overstory.graph import GraphClient, batches
from overstory.graph.client import Row
from overstory.graph.ids import entity_id
from overstory.llm import Chat, prompt
from overstory.llm.answer_fields import at_most
from overstory.surrogates import on_one_line
from overstory.systems.entity_graph import EntityRelation
from overstory.systems.entity_graph.relations import (
    MOST_CHUNKS_OF_A_RELATION,
    MOST_PARTNERS_OF_AN_ENTITY,
    among_strongest,
    left_out_note,
)
from overstory.systems.texts.writers import ModelWriter, RuleWriter, WritingOutcome
from overstory_systems.hirag.knowledge_graph import NAME, BaseLayer, LayerEntity, ref_of

_READ_CHUNKS_A_PAGE = 1_000
_MODEL_LAYER_IDS_A_PAGE = 5_000
_MERGED_DESCRIPTION_CHARACTERS = 2_000
"""Maximum number of characters of a merged description, about 500 tokens. Longer descriptions are summarised."""
LONGEST_JOINED_CHARACTERS = 2 * _MERGED_DESCRIPTION_CHARACTERS
_SUMMARISED_CHARACTERS = 12_000
"""Maximum number of characters of descriptions in one request. Further descriptions are not summarised."""
_PASSAGES_A_DESCRIPTION = 16
"""Maximum number of passages listed for a description, unless its parts come from more passages."""
_RELATION_STRENGTHS = 10
"""Maximum strength in answers. Weight is strength / 10, so the strongest relation weighs as much as a fact."""


class Joined(BaseModel):
    """One description in the place of several."""

    description: Annotated[
        str, Field(min_length=1, max_length=LONGEST_JOINED_CHARACTERS), at_most(LONGEST_JOINED_CHARACTERS)
    ]


@dataclass(slots=True)
class _ReadEntity:
    """An entity as read in the passages. Its collections are in the order of the passages."""

    names: Counter[str] = field(default_factory=Counter[str])
    types: Counter[str] = field(default_factory=Counter[str])
    chunks_by_description: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def add(self, chunk: str, name: str, type_: str, description: str) -> None:
        self.names[name] += 1
        self.types[type_] += 1
        self.chunks_by_description.setdefault(description, []).append(chunk)

    @property
    def descriptions(self) -> list[str]:
        return [text for text in self.chunks_by_description if text]

    def chunks_of(self, texts: Sequence[str]) -> tuple[str, ...]:
        """Return passages for the given descriptions, at most `_PASSAGES_A_DESCRIPTION` or one per description.

        The first passage of each description is included; the merged text is then deleted with any of them.
        """
        first = dict.fromkeys(self.chunks_by_description[text][0] for text in texts)
        every = dict.fromkeys([*first, *(chunk for text in texts for chunk in self.chunks_by_description[text])])
        return tuple(every)[: max(len(first), _PASSAGES_A_DESCRIPTION)]


@dataclass(slots=True)
class _Relation:
    strength: int = 0
    best: int = 0
    description: str = ""
    chunks: list[str] = field(default_factory=list[str])

    def add(self, chunk: str, description: str, strength: int) -> None:
        """Add a reading. The description of the strongest reading is kept, and its passage comes first."""
        self.strength += strength
        if strength > self.best:
            self.best, self.description = strength, description
            self.chunks = [chunk, *(each for each in self.chunks if each != chunk)][:MOST_CHUNKS_OF_A_RELATION]
        elif chunk not in self.chunks and len(self.chunks) < MOST_CHUNKS_OF_A_RELATION:
            self.chunks.append(chunk)


@dataclass(slots=True)
class Readings:
    """A language model's readings of all passages, merged by key. Rules must also read the passages in `by_rules`."""

    entities: dict[str, _ReadEntity] = field(default_factory=dict[str, _ReadEntity])
    relations: dict[tuple[str, str], _Relation] = field(default_factory=dict[tuple[str, str], _Relation])
    by_rules: set[str] = field(default_factory=set[str])

    def add(self, chunk: str, found: Mapping[str, Sequence[Sequence[object]]], *, rules: bool) -> None:
        """Add the reading of a passage, in the form of `ChunkReading.found`. Add passages in the order of their ids."""
        for key, name, type_, description in found["entities"]:
            self.entities.setdefault(str(key), _ReadEntity()).add(chunk, str(name), str(type_), str(description))
        for one, other, description, strength in found["relations"]:
            relation = self.relations.setdefault((str(one), str(other)), _Relation())
            relation.add(chunk, str(description), int(str(strength)))
        if rules:
            self.by_rules.add(chunk)


def merged_layer(
    readings: Readings, chat: Chat, model: str, known: Mapping[str, LayerEntity], ids: Mapping[str, str]
) -> BaseLayer:
    """Build layer 0 from the model's readings, without facts found by rules.

    Args:
        known: Entities of the previous build, by ref. If an entity's descriptions are unchanged, their summary is kept.
        ids: Ids of the corpus's entities, by key.
    """
    joiner = _Joiner(chat, model)
    entities: dict[str, LayerEntity] = {}
    long: list[_Long] = []
    kept = 0
    for key in sorted(readings.entities):
        entity = readings.entities[key]
        texts = entity.descriptions
        source = _source(key, texts, joiner.fingerprint)
        name, type_ = most_frequent(entity.names), most_frequent(entity.types)
        chunks = entity.chunks_of(_in_one_request(texts))
        made = LayerEntity(0, key, name, type_, " ".join(texts), chunks, ids.get(key, ""), model, source)
        entities[key] = made
        if len(made.description) > _MERGED_DESCRIPTION_CHARACTERS:
            before = known.get(made.ref)
            if before is not None and before.source == source:
                entities[key] = replace(made, description=before.description)
                kept += 1
            else:
                long.append((made, texts))
    entities |= {entity.key: entity for entity in joiner.write(long)}
    relations, dropped = _relations(readings)
    counts = {"left_out": 0, "summarised": len(long), "kept_descriptions": kept, "relations_left_out": dropped}
    notes = list(joiner.notes)
    if dropped:
        notes.append(left_out_note(dropped))
    return BaseLayer(list(entities.values()), relations, counts, tuple(notes))


def _relations(readings: Readings) -> tuple[list[EntityRelation], int]:
    """Return the relations that are among the strongest of either end, and the number of dropped relations."""
    ends = sorted(readings.relations)
    place = {key: number for number, key in enumerate(sorted(readings.entities))}
    table = np.array([(place[one], place[other]) for one, other in ends], dtype=np.int64).reshape(-1, 2)
    weight = np.array([readings.relations[each].strength / _RELATION_STRENGTHS for each in ends], dtype=np.float64)
    kept = among_strongest(table[:, 0], table[:, 1], weight, MOST_PARTNERS_OF_AN_ENTITY)
    relations = [
        EntityRelation(ref_of(0, one), ref_of(0, other), float(weight[number]), found.description, tuple(found.chunks))
        for number, (one, other) in enumerate(ends)
        if kept[number] and (found := readings.relations[one, other])
    ]
    return relations, len(ends) - len(relations)


def with_rules(read: BaseLayer, rules: BaseLayer) -> BaseLayer:
    """Add facts that rules found in passages for which the model's answers were unusable."""
    entities = {entity.ref: entity for entity in rules.entities} | {entity.ref: entity for entity in read.entities}
    relations = {(relation.source, relation.target): relation for relation in rules.relations}
    for relation in read.relations:
        other = relations.get((relation.source, relation.target))
        relations[relation.source, relation.target] = relation if other is None else _combined(relation, other)
    return replace(
        read,
        entities=[entities[ref] for ref in sorted(entities)],
        relations=[relations[ends] for ends in sorted(relations)],
        notes=(*read.notes, *rules.notes),
    )


def _combined(read: EntityRelation, rules: EntityRelation) -> EntityRelation:
    chunks = tuple(dict.fromkeys([*read.chunks, *rules.chunks]))[:MOST_CHUNKS_OF_A_RELATION]
    return replace(read, weight=read.weight + rules.weight, chunks=chunks)


def stored_readings(graph: GraphClient, label: str, by: str) -> Iterator[Row]:
    """Yield the stored readings by the reader with this fingerprint, in the order of the chunks."""
    for rows in graph.pages("systems/hirag/readings", label, size=_READ_CHUNKS_A_PAGE, by=by):
        yield from rows


def corpus_entities(graph: GraphClient, label: str, keys: Sequence[str]) -> dict[str, str]:
    """Return a map from key to id for those keys that belong to entities of the corpus."""
    found: dict[str, str] = {}
    for some in batches(keys, _MODEL_LAYER_IDS_A_PAGE):
        ids = {entity_id(label, key): key for key in some}
        rows = graph.run("systems/hirag/known_entities", label, read=True, ids=list(ids))
        found |= {ids[row["id"]]: row["id"] for row in rows}
    return found


def most_frequent(counted: Counter[str]) -> str:
    """Return the most frequent non-empty text, the alphabetically first on a tie, "" if all are empty."""
    return min((each for each in counted if each), key=lambda each: (-counted[each], each), default="")


def first_that_fit(texts: Sequence[str]) -> str:
    """Join the first descriptions that fit into `_MERGED_DESCRIPTION_CHARACTERS`. The first one is cut if necessary."""
    taken = texts[0][:_MERGED_DESCRIPTION_CHARACTERS]
    for text in texts[1:]:
        if len(taken) + 1 + len(text) > _MERGED_DESCRIPTION_CHARACTERS:
            break
        taken += f" {text}"
    return taken


def _source(key: str, texts: Sequence[str], fingerprint: str) -> str:
    digest = hashlib.sha256(f"{fingerprint} {key}".encode())
    for text in texts:
        digest.update(f"\n{len(text)} {text}".encode())
    return digest.hexdigest()[:32]


def _in_one_request(texts: Sequence[str]) -> list[str]:
    taken: list[str] = []
    room = _SUMMARISED_CHARACTERS
    for text in texts:
        if len(text) <= room:
            taken.append(text)
            room -= len(text)
    return taken


_Long: TypeAlias = tuple[LayerEntity, Sequence[str]]
"""An entity with a too long description, and the texts that this description combines."""


class _FirstThatFit(RuleWriter[_Long, LayerEntity]):
    fingerprint = ""

    def text(self, group: _Long) -> LayerEntity:
        """Shorten the description, and remove the source so that the next build asks the model again."""
        entity, texts = group
        return replace(entity, description=first_that_fit(texts), source="")


class _Joiner(ModelWriter[_Long, LayerEntity]):
    """Summarises long descriptions with a language model."""

    def __init__(self, chat: Chat, model: str) -> None:
        super().__init__(chat.booked(NAME), model, prompt("description", __package__), _FirstThatFit())

    def fallen_back(self) -> str:
        return f"{counted(self.by_rules, 'long description was', 'long descriptions were')} cut"

    def asked(self, group: _Long) -> WritingOutcome[LayerEntity]:
        entity, texts = group
        messages = self.prompt.messages(name=entity.name, descriptions=_in_one_request(texts))
        joined = self.answer(Joined, messages, entity.chunks)
        text = on_one_line(joined.description) if joined else ""
        return WritingOutcome(replace(entity, description=text) if text else None)
