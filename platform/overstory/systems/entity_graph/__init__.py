"""The graph of a corpus's entities, made by rules: which names are entities, their descriptions and their relations.

Systems build on it. It uses no language model and writes nothing to the database.
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
