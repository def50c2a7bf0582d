"""Builds a graph of the entities in a corpus by rules: selects the entities, describes them and relates them.

Several systems use this graph. Building it needs no language model and writes nothing to the database.
"""

from overstory.systems.entity_graph.by_rules import (
    MOST_PASSAGES_READ_OF_AN_ENTITY,
    DescribedEntity,
    EntityGraph,
    EntityRelation,
    NearEntities,
    read_entity_graph,
    read_near_entities,
)

__all__ = [
    "MOST_PASSAGES_READ_OF_AN_ENTITY",
    "DescribedEntity",
    "EntityGraph",
    "EntityRelation",
    "NearEntities",
    "read_entity_graph",
    "read_near_entities",
]
