"""Defines what a system declares about each kind of tree in its index."""

from __future__ import annotations

from dataclasses import dataclass

from overstory.graph.ids import content_id
from overstory.model.documents import Unit


def tree_leaf_id(label: str, tree: str, generation: int, unit: str) -> str:
    """Return the id of the leaf that represents a chunk, an entity or a document."""
    return content_id("tree-leaf", label, tree, str(generation), unit)


def tree_node_id(label: str, tree: str, generation: int, level: int, first: str) -> str:
    """Return the id of a community.

    Args:
        level: Level of the community; the root is level 0.
        first: The lowest id among the units in the community.
    """
    return content_id("tree-node", label, tree, str(generation), str(level), first)


@dataclass(frozen=True, slots=True)
class TreeKind:
    """A kind of tree in a system's index.

    Attributes:
        name: Name of the tree, as in `overstory tree --tree NAME`. It starts with the name of the system, and is stored
            as the property `tree` of the tree's nodes. Two kinds of trees may have the same name if an index contains
            at most one of them (see `System.has_tree`).
        title: Title in messages, such as "SeRAG tree over meaning alone".
        unit: Kind of unit that a leaf represents. If a leaf represents a node of the system, this is the kind of unit
            that the node is shown as.
        label: The system's label for nodes of this tree, in addition to `TreeNode`. It is one of `owns.labels`.
        structure: Name of the derived structure to which the tree belongs. It is one of `owns.generations`.
        options: Index options with which the index contains this tree; "" if it always does.
        properties: Names of additional properties of communities. `title` and `summary` are shown to users.
        leaf_properties: Names of additional properties of leaves. They are stored when a leaf is written. A leaf is not
            rewritten if nothing else has changed.
        own_units: True if leaves represent nodes of the system. If such a node is deleted, its leaf is kept.
        reports: The system's label for reports on communities (see `systems.tree.reports`). It is one of `owns.labels`.
            "" if the system writes no reports.
        statements: Names of the system's statements that replace shared statements. A statement replaces the one with
            the same last part: "systems/acme/levels" replaces "systems/tree/levels". It must accept `$tree`,
            `$generation` and the parameters of the shared statement, and return the same columns.
        encodes: True for an encoding tree. Then the structural entropy of each community is shown, and the fraction of
            its edge weight that lies inside the community.
    """

    name: str
    title: str
    unit: Unit
    label: str
    structure: str
    options: str = ""
    properties: tuple[str, ...] = ()
    leaf_properties: tuple[str, ...] = ()
    own_units: bool = False
    reports: str = ""
    statements: tuple[str, ...] = ()
    encodes: bool = True

    def statement(self, name: str) -> str:
        """Return the name of the statement to use for this tree in place of a shared statement.

        The result is `name` if the system does not replace the shared statement.

        Args:
            name: Name of the shared statement, such as "systems/tree/levels".
        """
        last = name.rpartition("/")[2]
        return next((own for own in self.statements if own.endswith(f"/{last}")), name)
