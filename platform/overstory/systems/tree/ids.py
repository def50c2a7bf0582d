"""Ids of the nodes of trees: functions of what they group, so that a community keeps its id while others change."""

from __future__ import annotations

from overstory.graph.ids import content_id


def tree_leaf_id(label: str, tree: str, generation: int, unit: str) -> str:
    """The leaf of a tree that stands for a chunk, an entity or a document."""
    return content_id("tree-leaf", label, tree, str(generation), unit)


def tree_node_id(label: str, tree: str, generation: int, level: int, first: str) -> str:
    """A community of a tree, by its level and the first of its units in order of id: no two of a level share one."""
    return content_id("tree-node", label, tree, str(generation), str(level), first)
