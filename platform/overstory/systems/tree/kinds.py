"""Trees that a system's index has, or can have."""

from __future__ import annotations

from dataclasses import dataclass

from overstory.graph.ids import content_id
from overstory.model.documents import Unit


def tree_leaf_id(label: str, tree: str, generation: int, unit: str) -> str:
    """The leaf of a tree that stands for a chunk, an entity or a document."""
    return content_id("tree-leaf", label, tree, str(generation), unit)


def tree_node_id(label: str, tree: str, generation: int, level: int, first: str) -> str:
    """A community of a tree, by its level and the first of its units in order of id: no two of a level share one."""
    return content_id("tree-node", label, tree, str(generation), str(level), first)


@dataclass(frozen=True, slots=True)
class TreeKind:
    """A tree of a system's index.

    Attributes:
        name: of its nodes as `tree`, and in `overstory tree --tree NAME`. It begins with the name of the system. Two
            kinds of a system may have one name, if an index has at most one of them (`System.has_tree`).
        title: what is said of it in messages: "SeRAG tree over meaning alone".
        unit: what a leaf stands for. A node of the system's own that has a `name` is shown as an entity is.
        label: of the system's own for its nodes, beside TreeNode; one of `owns.labels`.
        structure: the name of its generations; one of `owns.generations`.
        options: that the system's index needs in order to have it; "" if it always does.
        properties: that its communities have beside the shared ones. `title` and `summary` are shown to people.
        leaf_properties: that its leaves have beside the shared ones. They are written with a leaf, and are no reason to
            write it again.
        own_units: whether its leaves stand for nodes of the system's own, which do not take them along.
        reports: the system's own label for reports of its communities (`systems.tree.reports`), one of
            `owns.labels`; "" where it writes none.
        statements: those of the system's own that take the place of shared ones of the same last name:
            "systems/acme/levels" that of "systems/tree/levels". They get `$tree` and `$generation` and what the shared
            ones take, and return the same.
        encodes: whether it is an encoding tree, so that its communities have an entropy, and a share of their weight
            that stays inside.
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
        """The statement that reads this tree in place of a shared one: the system's own, or else the shared one itself.

        Args:
            name: of the shared one: "systems/tree/levels".
        """
        last = name.rpartition("/")[2]
        return next((own for own in self.statements if own.endswith(f"/{last}")), name)
