"""The graph of a corpus' entities, by rules: which names are entities, what describes them and how they are related.

Systems build on it what they add. It asks no language model, and writes nothing.
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
