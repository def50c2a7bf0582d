"""A graph of two layers that is small enough to be checked by hand, and what stores it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from overstory.graph import Writer
from overstory.systems.entity_graph import EntityRelation
from overstory_entropy import EncodingTree
from overstory_systems.hirag.knowledge_graph import (
    ENTITY,
    NAME,
    LayeredGraph,
    LayerEntity,
    SummaryLink,
    entity_id,
    ref_of,
)

BAND = ("Metallica", "James Hetfield", "Kirk Hammett", "Hammett")
ISLE = ("Malta", "Valletta", "Gozo")
CELL = ("Cell Biology", "Mitochondrion", "Ribosome")
"""Three groups, each tied together; the first two have a relation, and a summary, in common."""


def entity(name: str, *, layer: int = 0, description: str | None = None) -> LayerEntity:
    key = name.lower()
    said = f"{name} is described here. There is more." if description is None else description
    return LayerEntity(layer, key, name, "", said, (f"chunk of {key}",), source=f"source of {key}")


def relation(one: str, other: str, weight: float, description: str | None = None) -> EntityRelation:
    source, target = sorted((ref_of(0, one.lower()), ref_of(0, other.lower())))
    said = f"{one} and {other} are told of together." if description is None else description
    return EntityRelation(source, target, weight, said, (f"chunk of {one} and {other}".lower(),))


def small_graph() -> LayeredGraph:
    entities = [entity(name) for name in (*BAND, *ISLE, *CELL)]
    relations = [relation("Metallica", name, weight) for name, weight in zip(BAND[1:], (4.0, 3.0, 1.0), strict=True)]
    relations += [relation("Malta", name, 2.0) for name in ISLE[1:]]
    relations += [relation("Cell Biology", name, 2.0) for name in CELL[1:]]
    relations.append(relation("Malta", "Metallica", 0.5, "Metallica played in Malta."))
    summary = entity("Malta", layer=1, description="Malta, Metallica")
    links = [SummaryLink(ref_of(0, name.lower()), summary.ref, 0.5) for name in ("Malta", "Metallica")]
    return LayeredGraph(
        sorted([*entities, summary], key=lambda each: each.ref),
        sorted(relations, key=lambda each: (each.source, each.target)),
        links,
        [(summary.ref, ref_of(0, "malta"))],
    )


def two_levels(graph: LayeredGraph) -> EncodingTree:
    """Return a tree of `small_graph` with two levels: band with isle, and cell; below the first, these two."""
    names = [each.name for each in graph.entities]
    fine = [next(place for place, group in enumerate((BAND, ISLE, CELL)) if name in group) for name in names]
    coarse = [int(group == 2) for group in fine]
    return EncodingTree.from_labels(graph.as_graph(), coarse, fine)


def with_description(graph: LayeredGraph, ref: str, description: str) -> LayeredGraph:
    entities = [
        replace(each, description=description, source=description) if each.ref == ref else each
        for each in graph.entities
    ]
    return replace(graph, entities=entities)


def store_graph(writer: Writer, graph: LayeredGraph, generation: int, order: Sequence[int]) -> None:
    """Stores entities and relations as an index has them, the entities in this order, relations backwards."""
    label = writer.corpus.label
    kinds = (
        ("HIRAG_RELATED", [(each.source, each.target, each.weight) for each in graph.relations]),
        ("SUMMARIZED_BY", [(each.member, each.summary, each.weight) for each in graph.links]),
        ("SAME_AS", [(one, other, 1.0) for one, other in graph.same]),
    )
    writer.graph.native_driver().execute_query(
        "UNWIND $rows AS row CREATE (e:Overstory:$($labels)) SET e = row",
        rows=[
            {
                "id": entity_id(label, generation, each.ref),
                "corpus": label,
                "generation": generation,
                "ref": each.ref,
                "derived": NAME,
            }
            for each in (graph.entities[place] for place in order)
        ],
        labels=[label, ENTITY, f"{label}_{ENTITY}", f"{label}_Derived"],
        database_=writer.graph.database,
    )
    for kind, relations in kinds:
        rows = [
            {
                "source": entity_id(label, generation, source),
                "target": entity_id(label, generation, target),
                "properties": {"weight": weight, "cost": 1.0 / weight},
            }
            for source, target, weight in reversed(relations)
        ]
        writer.graph.run("systems/store/relate", label, type=kind, rows=rows)
