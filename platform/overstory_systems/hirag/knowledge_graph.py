"""The layered knowledge graph as arrays and records: what is computed, before anything of it is stored.

Source: HiRAG, Section 4.1, Eq. 6 to 11.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from overstory.systems.entity_graph.by_rules import EntityRelation, embedded_text
from overstory.systems.texts.reports import RULES
from overstory_entropy import Graph


def ref_of(layer: int, key: str) -> str:
    """What an entity is called within one generation: its layer and its key, "0:dracula". Refs sort by layer first."""
    return f"{layer}:{key}"


@dataclass(frozen=True, slots=True)
class LayerEntity:
    """An entity of one layer.

    Attributes:
        key: the name without case, accents and punctuation (`text.names.keys.entity_key`); unique in its layer.
        type: of layer 0 as the corpus has it ("PERSON", ""), above it a meta type ("person", "other").
        description: what is said of it, without its name.
        chunks: the ids of the passages that the description stands on, the most important first.
        entity: the id of the corpus' entity that it stands for, "" where there is none.
        by: who wrote the description: "rules" or a model.
        source: a digest of what the description was made from: entities with equal digests have equal descriptions.
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
        """The text whose vector the entity has."""
        return embedded_text(self.name, self.description)


@dataclass(frozen=True, slots=True)
class SummaryLink:
    """An entity, and one of the layer above that summarises it.

    Attributes:
        member, summary: refs.
        weight: above 0, at most 1.
        description: why, "" where rules joined them.
    """

    member: str
    summary: str
    weight: float
    description: str = ""


@dataclass(frozen=True, slots=True)
class BaseLayer:
    """Layer 0: entities by ref, relations between them, and what was left out.

    Attributes:
        entities: in order of ref.
        relations: in order of source and target.
        counts: by names that say what they are: "left_out" (entities without a fact and in one passage only), …
        notes: what the user should know.
    """

    entities: Sequence[LayerEntity]
    relations: Sequence[EntityRelation]
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cluster:
    """A group of entities of one layer, with the entities of the layer above that summarise it.

    Attributes:
        layer: of the members.
        members: refs, in order.
        summaries: refs; none for a cluster of one.
        key: a digest of the members and their descriptions: clusters with equal keys have equal summaries.
    """

    layer: int
    members: tuple[str, ...]
    summaries: tuple[str, ...]
    key: str


@dataclass(frozen=True, slots=True)
class SummaryLayers:
    """All layers above layer 0.

    Attributes:
        entities: of layers 1 and up, in order of ref.
        links: from members to summaries.
        same: pairs of refs: a summary, and the entity of the layer below that has its name.
        clusters: of all layers, in order of layer and first member.
        sparsity: the cluster sparsity CS of each layer's clusters, from layer 0 on (Eq. 17).
        notes: what the user should know.
    """

    entities: Sequence[LayerEntity]
    links: Sequence[SummaryLink]
    same: Sequence[tuple[str, str]]
    clusters: Sequence[Cluster]
    sparsity: Sequence[float]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class LayeredGraph:
    """The graph of all layers: what communities are found in (the paper's G_k).

    Attributes:
        entities: of all layers, in order of ref.
        relations: of layer 0.
        links, same: between layers, as `SummaryLayers` has them.
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
        """The place of each ref in `entities`."""
        return {ref: place for place, ref in enumerate(self.refs)}

    def as_graph(self) -> Graph:
        """The same for the entropy engine: a vertex an entity, weights of parallel edges summed up."""
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
