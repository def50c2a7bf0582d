"""Writes the layered graph as a new generation, and reads back the one in use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from overstory.graph import Corpus, GraphClient
from overstory.graph.client import Row
from overstory.graph.generations import slot_of
from overstory.graph.ids import derived_label
from overstory.protocols import Vectors
from overstory.systems.entity_graph import EntityRelation
from overstory.systems.statements import ListedVectors, Statement
from overstory_systems.hirag.knowledge_graph import LayeredGraph, LayerEntity, SummaryLink
from overstory_systems.hirag.names import ENTITY, NAME, description_id, entity_id

_RELATED, _SUMMARIZED, _SAME = "HIRAG_RELATED", "SUMMARIZED_BY", "SAME_AS"


def read_graph(graph: GraphClient, corpus: Corpus, generation: int) -> LayeredGraph:
    """The graph of a generation. An entity whose description was deleted with a passage has the description ""."""
    label = corpus.label

    def ends(kind: str) -> Iterator[tuple[str, str, Row]]:
        rows = graph.stream("systems/hirag/stored_relations", label, type=kind, generation=generation)
        return iter(sorted((row["source"], row["target"], row["properties"]) for row in rows))

    rows = graph.stream("systems/hirag/stored_entities", label, generation=generation)
    return LayeredGraph(
        sorted(map(_entity, rows), key=lambda entity: entity.ref),
        [EntityRelation(a, b, p["weight"], p["description"], tuple(p["chunks"])) for a, b, p in ends(_RELATED)],
        [SummaryLink(a, b, p["weight"], p["description"]) for a, b, p in ends(_SUMMARIZED)],
        [(one, other) for one, other, _ in ends(_SAME)],
    )


def _entity(row: Row) -> LayerEntity:
    return LayerEntity(
        layer=row["layer"],
        key=row["key"],
        name=row["name"],
        type=row["type"],
        description=row["text"] or "",
        chunks=tuple(row["chunks"]),
        entity=row["entity"] or "",
        by=row["by"],
        source=row["source"] or "",
    )


@dataclass(frozen=True, slots=True)
class NewGraph:
    """A graph to store.

    Attributes:
        corpus: the label.
        vectors: float32[n, d], of the entities.
        vector_ids: ids of the stored vectors of their texts.
    """

    corpus: str
    generation: int
    graph: LayeredGraph
    vectors: Vectors
    vector_ids: Sequence[str]

    def statements(self) -> Iterator[Statement]:
        """Each statement with its rows and its other parameters, in the order in which they run."""
        entities, graph = self.graph.entities, self.graph
        slotted = {"labels": [derived_label(self.corpus, ENTITY, slot_of(self.generation))]}
        yield "systems/hirag/write_entities", ListedVectors([*map(self._entity, range(len(entities)))]), slotted
        stand_for = [{"id": self.id(each.ref), "entity": each.entity} for each in entities if each.entity]
        yield "systems/hirag/stand_for", stand_for, {}
        described = [place for place, each in enumerate(entities) if each.chunks]
        yield "systems/hirag/write_descriptions", [*map(self._description, described)], {}
        # The name of an entity of the corpus goes with the last passage that has it, any other may come from each.
        stand_on = [{"id": self.id(e.ref), "chunks": list(e.chunks)} for e in entities if e.chunks and not e.entity]
        yield "systems/hirag/stand_on", stand_on, {}
        yield "systems/store/relate", [*map(self._related, graph.relations)], {"type": _RELATED}
        yield "systems/store/relate", [*map(self._summarized, graph.links)], {"type": _SUMMARIZED}
        yield "systems/store/relate", [self._ends(one, other, 1.0) for one, other in graph.same], {"type": _SAME}

    def id(self, ref: str) -> str:
        """The id of an entity's node."""
        return entity_id(self.corpus, self.generation, ref)

    def _always(self) -> Row:
        return {"corpus": self.corpus, "derived": NAME, "generation": self.generation}

    def _entity(self, place: int) -> Row:
        entity = self.graph.entities[place]
        own = {name: getattr(entity, name) for name in ("ref", "layer", "key", "name", "type", "by")}
        return {"id": self.id(entity.ref), "properties": own | self._always(), "vector": self.vectors[place]}

    def _description(self, place: int) -> Row:
        entity = self.graph.entities[place]
        owner = self.id(entity.ref)
        own = {"text": entity.description, "by": entity.by, "source": entity.source}
        return {
            "id": description_id(owner),
            "entity": owner,
            "properties": own | self._always(),
            "vector": self.vector_ids[place],
            "chunks": list(entity.chunks),
        }

    def _related(self, each: EntityRelation) -> Row:
        return self._ends(each.source, each.target, each.weight, description=each.description, chunks=list(each.chunks))

    def _summarized(self, link: SummaryLink) -> Row:
        return self._ends(link.member, link.summary, link.weight, description=link.description)

    def _ends(self, source: str, target: str, weight: float, **also: object) -> Row:
        properties = {"weight": weight, "cost": 1.0 / weight, **also}
        return {"source": self.id(source), "target": self.id(target), "properties": properties}
