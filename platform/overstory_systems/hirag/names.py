"""What HiRAG's nodes, relationships and trees are called in the graph."""

from __future__ import annotations

from overstory.graph.ids import content_id
from overstory.systems.tree.kinds import TreeKind

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
"""Has no nodes of its own: its communities are entities that summarise others."""


def entity_id(label: str, generation: int, ref: str) -> str:
    """The id of an entity's node; `ref` as `knowledge_graph.ref_of` makes it."""
    return content_id("hirag-entity", label, str(generation), ref)


def description_id(entity: str) -> str:
    return content_id("hirag-description", entity)


def reading_id(chunk: str) -> str:
    return content_id("hirag-reading", chunk)
