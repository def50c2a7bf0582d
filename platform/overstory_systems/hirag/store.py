"""The layered graph as it is stored: read, compared with what it should be, and written.

A generation is filled in batches before anybody reads it; a small change is made in one transaction in the generation
that is read. Both write the same rows, so that an update that was killed is completed by the next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from overstory.graph import Corpus, GraphClient, Transaction, Writer
from overstory.graph.client import Row
from overstory.graph.generations import slot_of
from overstory.graph.ids import derived_label
from overstory.protocols import Progress, Vectors
from overstory.systems.entity_graph import EntityRelation
from overstory.systems.statements import ListedVectors, Statements, commit_statements, run_statements
from overstory_systems.hirag.knowledge_graph import LayeredGraph, LayerEntity, SummaryLink
from overstory_systems.hirag.names import ENTITY, NAME, description_id, entity_id

RELATED = "HIRAG_RELATED"
SUMMARIZED = "SUMMARIZED_BY"
SAME = "SAME_AS"


@dataclass(frozen=True, slots=True)
class StoredGraph:
    """The graph of a generation as the store has it.

    Attributes:
        graph: entities without a description are those whose description was deleted with a passage.
        cluster: the cluster of each entity by ref, "" for none: the ref that its first member had when it was made.
    """

    generation: int
    graph: LayeredGraph
    cluster: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def base(self) -> dict[str, LayerEntity]:
        """The entities of layer 0 by ref."""
        return {entity.ref: entity for entity in self.graph.entities if entity.layer == 0}


def read_graph(graph: GraphClient, corpus: Corpus, generation: int) -> StoredGraph:
    entities: list[LayerEntity] = []
    cluster: dict[str, str] = {}
    for row in graph.stream("systems/hirag/stored_entities", corpus.label, generation=generation):
        cluster[row["ref"]] = row["cluster"]
        entities.append(entity_of(row))
    rows = {
        (kind, row["source"], row["target"]): row["properties"]
        for kind in (RELATED, SUMMARIZED, SAME)
        for row in graph.stream("systems/hirag/stored_relations", corpus.label, type=kind, generation=generation)
    }
    return StoredGraph(generation, graph_of(entities, rows), cluster)


def entity_of(row: Row) -> LayerEntity:
    """An entity as `systems/hirag/stored_entities` reads it."""
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


def graph_of(entities: Sequence[LayerEntity], rows: Mapping[tuple[str, str, str], Row]) -> LayeredGraph:
    """The graph of stored entities and relationships.

    Args:
        rows: the properties of relationships by type, source and target, refs.
    """
    of: dict[str, list[tuple[str, str, Row]]] = {RELATED: [], SUMMARIZED: [], SAME: []}
    for kind, source, target in sorted(rows):
        of[kind].append((source, target, rows[kind, source, target]))
    return LayeredGraph(
        sorted(entities, key=lambda entity: entity.ref),
        [
            EntityRelation(one, other, p["weight"], p["description"], tuple(p["chunks"]))
            for one, other, p in of[RELATED]
        ],
        [SummaryLink(member, above, p["weight"], p["description"]) for member, above, p in of[SUMMARIZED]],
        [(one, other) for one, other, _ in of[SAME]],
    )


def weights_between(graph: LayeredGraph, name: Callable[[str], str]) -> dict[str, dict[str, float]]:
    """The weight between each two entities that are tied, in both directions.

    Args:
        name: what an entity is called in the result, by its ref.
    """
    found: dict[str, dict[str, float]] = {}
    ends = [(each.source, each.target, each.weight) for each in graph.relations]
    ends += [(each.member, each.summary, each.weight) for each in graph.links]
    ends += [(one, other, 1.0) for one, other in graph.same]
    names = {ref: name(ref) for one, other, _ in ends for ref in (one, other)}
    for one, other, weight in ends:
        for here, there in ((names[one], names[other]), (names[other], names[one])):
            edges = found.setdefault(here, {})
            edges[there] = edges.get(there, 0.0) + weight
    return found


@dataclass(slots=True)
class GraphChanges:
    """Rows of the statements that bring a stored graph up to date, in the order in which they run."""

    generation: int
    gone: list[Row] = field(default_factory=list[Row])
    entities: list[Row] = field(default_factory=list[Row])
    stand_for: list[Row] = field(default_factory=list[Row])
    forgotten: list[Row] = field(default_factory=list[Row])
    descriptions: list[Row] = field(default_factory=list[Row])
    stand_on: list[Row] = field(default_factory=list[Row])
    unrelated: dict[str, list[Row]] = field(default_factory=dict[str, list[Row]])
    related: dict[str, list[Row]] = field(default_factory=dict[str, list[Row]])

    def __len__(self) -> int:
        return sum(len(rows) for _, rows, _ in self.statements(""))

    def statements(self, label: str) -> Statements:
        """Each statement with its rows and what it takes besides.

        Args:
            label: of the corpus; "" where only the rows matter.
        """
        slotted = [derived_label(label, ENTITY, slot_of(self.generation))] if label else []
        for kind, rows in self.unrelated.items():
            yield "systems/store/unrelate", rows, {"type": kind}
        yield "systems/hirag/remove_entities", self.gone, {}
        yield "systems/store/remove", self.forgotten, {}
        yield "systems/hirag/write_entities", ListedVectors(self.entities), {"labels": slotted}
        yield "systems/hirag/stand_for", self.stand_for, {}
        yield "systems/hirag/write_descriptions", self.descriptions, {}
        yield "systems/hirag/stand_on", self.stand_on, {}
        for kind, rows in self.related.items():
            yield "systems/store/relate", rows, {"type": kind}


@dataclass(frozen=True, slots=True)
class Wanted:
    """The graph as it should be stored.

    Attributes:
        vectors: float32[n, d], of the entities.
        vector_ids: of the stored vectors of their texts.
        cluster: as `StoredGraph.cluster`.
    """

    corpus: str
    graph: LayeredGraph
    vectors: Vectors
    vector_ids: Sequence[str]
    cluster: Mapping[str, str]

    def changes_from(self, stored: StoredGraph) -> GraphChanges:
        """What differs from the stored graph, which may be empty."""
        changes = GraphChanges(stored.generation)
        before = {entity.ref: entity for entity in stored.graph.entities}
        for place, entity in enumerate(self.graph.entities):
            was = before.pop(entity.ref, None)
            if was is None or self._differs(entity, was, stored):
                self._write_entity(changes, place)
            stands_anew = was is None or was.entity != entity.entity
            if stands_anew and entity.entity:
                changes.stand_for.append({"id": self._id(changes, entity.ref), "entity": entity.entity})
            if was is None or (was.description, was.source, was.chunks) != (
                entity.description,
                entity.source,
                entity.chunks,
            ):
                self._write_description(changes, place, was is not None)
                stands_anew = True
            # The name of an entity of the corpus goes with the last passage that has it, any other may come from each.
            chunks = [] if entity.entity else list(entity.chunks)
            if stands_anew and (chunks or was is not None):
                changes.stand_on.append({"id": self._id(changes, entity.ref), "chunks": chunks})
        changes.gone = [{"id": self._id(changes, ref)} for ref in before]
        self._relate(changes, stored, frozenset(before))
        return changes

    def _differs(self, entity: LayerEntity, was: LayerEntity, stored: StoredGraph) -> bool:
        return (
            replace(entity, description="", chunks=(), source="") != replace(was, description="", chunks=(), source="")
            or entity.embedded != was.embedded
            or self.cluster.get(entity.ref, "") != stored.cluster.get(entity.ref, "")
        )

    def _id(self, changes: GraphChanges, ref: str) -> str:
        return entity_id(self.corpus, changes.generation, ref)

    def _always(self, changes: GraphChanges) -> Row:
        return {"corpus": self.corpus, "derived": NAME, "generation": changes.generation}

    def _write_entity(self, changes: GraphChanges, place: int) -> None:
        entity = self.graph.entities[place]
        own = {"ref": entity.ref, "cluster": self.cluster.get(entity.ref, "")}
        own |= {name: getattr(entity, name) for name in ("layer", "key", "name", "type", "by")}
        changes.entities.append(
            {
                "id": self._id(changes, entity.ref),
                "properties": own | self._always(changes),
                "vector": self.vectors[place],
            }
        )

    def _write_description(self, changes: GraphChanges, place: int, again: bool) -> None:
        entity = self.graph.entities[place]
        owner = self._id(changes, entity.ref)
        id_ = description_id(owner)
        if again:
            changes.forgotten.append({"id": id_})
        if entity.chunks:
            own = {"text": entity.description, "by": entity.by, "source": entity.source}
            changes.descriptions.append(
                {
                    "id": id_,
                    "entity": owner,
                    "properties": own | self._always(changes),
                    "vector": self.vector_ids[place],
                    "chunks": list(entity.chunks),
                }
            )

    def _relate(self, changes: GraphChanges, stored: StoredGraph, gone: frozenset[str]) -> None:
        was, now = _relationships(stored.graph), _relationships(self.graph)
        for kind, there in now.items():
            old = was[kind]
            changes.related[kind] = [
                {**self._ends(changes, ends), "properties": properties}
                for ends, properties in there.items()
                if old.get(ends) != properties
            ]
            changes.unrelated[kind] = [
                self._ends(changes, ends)
                for ends, properties in old.items()
                if there.get(ends) != properties and gone.isdisjoint(ends)
            ]

    def _ends(self, changes: GraphChanges, ends: tuple[str, str]) -> Row:
        source, target = ends
        return {"source": self._id(changes, source), "target": self._id(changes, target)}


def _relationships(graph: LayeredGraph) -> dict[str, dict[tuple[str, str], Row]]:
    """By type and ends, the properties."""
    return {
        RELATED: {
            (each.source, each.target): _weighted(each.weight)
            | {"description": each.description, "chunks": list(each.chunks)}
            for each in graph.relations
        },
        SUMMARIZED: {
            (each.member, each.summary): _weighted(each.weight) | {"description": each.description}
            for each in graph.links
        },
        SAME: {ends: _weighted(1.0) for ends in graph.same},
    }


def _weighted(weight: float) -> Row:
    return {"weight": weight, "cost": 1.0 / weight}


def write_graph(writer: Writer, changes: GraphChanges, progress: Progress) -> None:
    """Commits as it goes: for a generation that nobody reads yet."""
    commit_statements(writer, NAME, changes.statements(writer.corpus.label), progress)


def write_graph_in(tx: Transaction, label: str, changes: GraphChanges) -> None:
    """Within one transaction: for the generation that is read."""
    run_statements(tx, label, changes.statements(label))
