"""Kinds of trees: what a system declares about each tree of its index."""

from __future__ import annotations

from dataclasses import dataclass

from overstory.graph.ids import content_id
from overstory.model.documents import Unit


def tree_leaf_id(label: str, tree: str, generation: int, unit: str) -> str:
    """Return the id of the leaf that stands for a chunk, an entity or a document."""
    return content_id("tree-leaf", label, tree, str(generation), unit)


def tree_node_id(label: str, tree: str, generation: int, level: int, first: str) -> str:
    """Return the id of a community, made from its level and `first`, the first of its units by id."""
    return content_id("tree-node", label, tree, str(generation), str(level), first)


@dataclass(frozen=True, slots=True)
class TreeKind:
    """A kind of tree in a system's index.

    Attributes:
        name: Value of `tree` on its nodes, and the name in `overstory tree --tree NAME`. It starts with the system's
            name. Two kinds of one system may share a name if an index has at most one of them (`System.has_tree`).
        title: Title in messages, such as "SeRAG tree over meaning alone".
        unit: Unit that a leaf stands for. A node of the system that has a `name` is shown like an entity.
        label: The system's own label for tree nodes, in addition to TreeNode; one of `owns.labels`.
        structure: Name of its generations; one of `owns.generations`.
        options: Index options with which the index has this tree; "" if it always has.
        properties: Extra properties of its communities. `title` and `summary` are shown to people.
        leaf_properties: Extra properties of its leaves. They are written with a leaf, but a change in them alone does
            not rewrite the leaf.
        own_units: True if its leaves stand for nodes of the system. Deleting such a node does not delete its leaf.
        reports: The system's own label for reports on its communities (`systems.tree.reports`), one of `owns.labels`;
            "" if the system writes no reports.
        statements: The system's own statements, each in place of the shared one with the same last part:
            "systems/acme/levels" replaces "systems/tree/levels". They take `$tree`, `$generation` and the parameters of
            the shared statement, and return the same columns.
        encodes: True for an encoding tree, whose communities have a structural entropy and a share of edge weight that
            stays inside.
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
        """Return the statement that reads this tree: the system's own version of a shared statement, or the shared one.

        Args:
            name: Name of the shared statement, such as "systems/tree/levels".
        """
        last = name.rpartition("/")[2]
        return next((own for own in self.statements if own.endswith(f"/{last}")), name)
