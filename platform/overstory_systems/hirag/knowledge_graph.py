"""The layered knowledge graph as arrays and records, before it is stored.

Source: HiRAG paper, Section 4.1, Eq. 6 to 11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from overstory.graph import Corpus, GraphClient
from overstory.graph.client import Row
from overstory.graph.generations import slot_of
from overstory.graph.ids import content_id, derived_label
from overstory.protocols import Vectors
from overstory.systems.entity_graph.by_rules import EntityRelation, embedded_text
from overstory.systems.statements import ListedVectors, Statement
from overstory.systems.texts.reports import RULES
from overstory.systems.tree.kinds import TreeKind
from overstory_entropy import Graph

_RELATED, _SUMMARIZED, _SAME = "HIRAG_RELATED", "SUMMARIZED_BY", "SAME_AS"


def read_graph(graph: GraphClient, corpus: Corpus, generation: int) -> LayeredGraph:
    """Read the graph of a generation. Descriptions that were deleted with a passage are ""."""
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
    """A graph that should be stored.

    Attributes:
        corpus: Label of the corpus.
        vectors: float32[n, d], vectors of the entities.
        vector_ids: Ids of the stored vectors of the entities' texts.
    """

    corpus: str
    generation: int
    graph: LayeredGraph
    vectors: Vectors
    vector_ids: Sequence[str]

    def statements(self) -> Iterator[Statement]:
        """Yield the statements with their rows and parameters, in the order of execution."""
        entities, graph = self.graph.entities, self.graph
        slotted = {"labels": [derived_label(self.corpus, ENTITY, slot_of(self.generation))]}
        yield "systems/hirag/write_entities", ListedVectors([*map(self._entity, range(len(entities)))]), slotted
        stand_for = [{"id": self.id(each.ref), "entity": each.entity} for each in entities if each.entity]
        yield "systems/hirag/stand_for", stand_for, {}
        described = [place for place, each in enumerate(entities) if each.chunks]
        yield "systems/hirag/write_descriptions", [*map(self._description, described)], {}
        # The name of a summary may come from any of its passages. Therefore, the entity is deleted with any of them.
        stand_on = [{"id": self.id(e.ref), "chunks": list(e.chunks)} for e in entities if e.chunks and not e.entity]
        yield "systems/hirag/stand_on", stand_on, {}
        yield "systems/store/relate", [*map(self._related, graph.relations)], {"type": _RELATED}
        yield "systems/store/relate", [*map(self._summarized, graph.links)], {"type": _SUMMARIZED}
        yield "systems/store/relate", [self._ends(one, other, 1.0) for one, other in graph.same], {"type": _SAME}

    def id(self, ref: str) -> str:
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


NAME = "hirag"
ENTITY = "HiragEntity"
DESCRIPTION = "HiragDescription"
COMMUNITY = "HiragCommunity"
REPORT = "HiragReport"
READING = "HiragReading"

COMMUNITIES = TreeKind(
    name=NAME,
    title="HiRAG tree of communities",
    unit="entity",
    label=COMMUNITY,
    structure=NAME,
    own_units=True,
    reports=REPORT,
    statements=("systems/hirag/tree/about_entity", "systems/hirag/tree/entities"),
)
LAYERS = TreeKind(
    name=f"{NAME}-layers",
    title="HiRAG summary layers",
    unit="entity",
    label=ENTITY,
    structure=NAME,
    options="no-flat",
    own_units=True,
    statements=(
        *(
            f"systems/hirag/layers/{name}"
            for name in ("levels", "children", "communities", "begins", "about_entity", "stands_on")
        ),
        "systems/hirag/tree/entities",
    ),
    encodes=False,
)
"""A tree without nodes of its own: its communities are the entities that summarise others."""


def entity_id(label: str, generation: int, ref: str) -> str:
    """Return the node id of an entity in a generation. `ref` is created by `ref_of`."""
    return content_id("hirag-entity", label, str(generation), ref)


def description_id(entity: str) -> str:
    return content_id("hirag-description", entity)


def reading_id(chunk: str) -> str:
    return content_id("hirag-reading", chunk)


def ref_of(layer: int, key: str) -> str:
    """Return the ref of an entity, unique within a generation: "0:dracula". Refs sort by layer first."""
    return f"{layer}:{key}"


@dataclass(frozen=True, slots=True)
class LayerEntity:
    """An entity of one layer.

    Attributes:
        key: Name without case, accents and punctuation (`text.names.keys.entity_key`). Unique within the layer.
        type: In layer 0, the type in the corpus ("PERSON", ""); in higher layers, a meta type ("person", "other").
        description: Describes the entity, without its name.
        chunks: Ids of the passages that support the description, the most important first.
        entity: Id of the corresponding entity of the corpus, "" if there is none.
        by: Author of the description: "rules" or the name of a model.
        source: Digest of the input of the description. Equal digests mean equal descriptions.
    """

    layer: int
    key: str
    name: str
    type: str
    description: str
    chunks: tuple[str, ...]
    entity: str = ""
    by: str = RULES
    source: str = ""

    @property
    def ref(self) -> str:
        return ref_of(self.layer, self.key)

    @property
    def embedded(self) -> str:
        """The text from which the entity's vector is computed."""
        return embedded_text(self.name, self.description)


@dataclass(frozen=True, slots=True)
class SummaryLink:
    """A link from an entity to the entity of the next layer that summarises it.

    Attributes:
        member, summary: Refs of the two entities.
        weight: Greater than 0, at most 1.
        description: Reason for the link, "" if rules created it.
    """

    member: str
    summary: str
    weight: float
    description: str = ""


@dataclass(frozen=True, slots=True)
class BaseLayer:
    """Layer 0: entities and the relations between them.

    Attributes:
        entities: Entities sorted by ref.
        relations: Relations sorted by source and target.
        counts: Counts by name, such as "left_out" (entities that occur in no fact and in a single passage).
        notes: Notes for the user.
    """

    entities: Sequence[LayerEntity]
    relations: Sequence[EntityRelation]
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cluster:
    """A group of entities in one layer, and the entities of the next layer that summarise the group.

    Attributes:
        layer: Layer of the members.
        members: Refs of the members, in order.
        summaries: Refs of the summaries. Empty for a cluster of one member.
        key: Digest of the members and their descriptions. Equal keys mean equal summaries.
    """

    layer: int
    members: tuple[str, ...]
    summaries: tuple[str, ...]
    key: str


@dataclass(frozen=True, slots=True)
class SummaryLayers:
    """All layers above layer 0.

    Attributes:
        entities: Entities of all these layers, sorted by ref.
        links: Links from members to summaries.
        same: Pairs of refs: a summary, and the entity of the layer below with the same name.
        clusters: Clusters of all layers, sorted by layer and first member.
        sparsity: Cluster sparsity CS of each layer (Eq. 17), starting with layer 0.
        notes: Notes for the user.
    """

    entities: Sequence[LayerEntity]
    links: Sequence[SummaryLink]
    same: Sequence[tuple[str, str]]
    clusters: Sequence[Cluster]
    sparsity: Sequence[float]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class LayeredGraph:
    """The graph of all layers, in which communities are detected (G_k in the paper).

    Attributes:
        entities: Entities of all layers, sorted by ref.
        relations: Relations of layer 0.
        links, same: Links between layers, as in `SummaryLayers`.
    """

    entities: Sequence[LayerEntity]
    relations: Sequence[EntityRelation]
    links: Sequence[SummaryLink] = ()
    same: Sequence[tuple[str, str]] = ()

    @cached_property
    def refs(self) -> list[str]:
        return [entity.ref for entity in self.entities]

    @cached_property
    def number(self) -> dict[str, int]:
        """Position of each entity in `entities`, by ref."""
        return {ref: place for place, ref in enumerate(self.refs)}

    def as_graph(self) -> Graph:
        """Convert to the entropy engine's graph: one vertex per entity, and one edge per pair, with summed weights."""
        number = self.number
        ends = [(number[each.source], number[each.target]) for each in self.relations]
        ends += [(number[each.member], number[each.summary]) for each in self.links]
        ends += [(number[one], number[other]) for one, other in self.same]
        weights = [
            *(r.weight for r in self.relations),
            *(link.weight for link in self.links),
            *([1.0] * len(self.same)),
        ]
        return Graph.from_edges(len(self.entities), np.asarray(ends, dtype=np.int64).reshape(-1, 2), weights)
