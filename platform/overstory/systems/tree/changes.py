"""Writes trees to the graph. New trees are written into a new generation, changes into the tree that readers use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from overstory.graph import Transaction, Writer
from overstory.graph.client import Row
from overstory.protocols import Progress
from overstory.systems.statements import Statements, commit_statements, run_statements
from overstory.systems.tree.kinds import TreeKind

if TYPE_CHECKING:
    from overstory.systems.tree.build import TreeNodes  # this import takes a second, because it loads overstory_entropy

MOST_CHANGED_TREE_SHARE = 0.2
"""If a larger fraction of the units has changed, the tree is built from scratch instead of updated in place."""
_TITLE_PASSAGES = 1_000  # maximum number of passages from which the title of a community is made
_TITLE_NAMES = 3


@dataclass(frozen=True, slots=True)
class TreeChanges:
    """The rows that bring a stored tree up to date. Parents come before their children.

    Attributes:
        nodes: Nodes to create or change, with their new properties.
        places: For each new or moved node, its id and the id of its parent.
        covers: For each new leaf, its id and the id of its unit.
        gone: Ids of the nodes to delete.
    """

    kind: TreeKind
    nodes: list[Row]
    places: list[Row]
    covers: list[Row]
    gone: list[str]

    def __len__(self) -> int:
        return len(self.nodes) + len(self.places) + len(self.covers) + len(self.gone)


def new_tree(nodes: TreeNodes) -> TreeChanges:
    """Return the rows that store a complete new tree."""
    leaves, kind = len(nodes.units), nodes.kind
    volumes, cuts = nodes.volumes.tolist(), nodes.cuts.tolist()
    always = {
        "corpus": nodes.corpus,
        "derived": kind.structure,
        "generation": nodes.generation,
        "tree": kind.name,
    }
    changes = TreeChanges(kind, [], [], [], [])
    for place in range(len(nodes.ids) - 1, -1, -1):
        id_, parent = nodes.ids[place], nodes.parents[place]
        properties = always | {
            "level": nodes.levels[place],
            "size": nodes.sizes[place],
            "volume": volumes[place],
            "cut": cuts[place],
        }
        if place < leaves:
            changes.covers.append({"id": id_, "unit": nodes.units[place]})
            properties |= nodes.leaf_properties[place] if nodes.leaf_properties else {}
        else:
            properties["vector"] = nodes.vectors[place - leaves]
            properties |= nodes.properties[place - leaves] if nodes.properties else {}
        changes.nodes.append({"id": id_, "properties": properties})
        if parent:
            changes.places.append({"id": id_, "parent": parent})
    return changes


def titles_of_passages(changes: TreeChanges) -> Statements:
    """Yield the statement that sets the titles of new and changed communities. Run it after writing the tree."""
    rows = [{"id": row["id"]} for row in changes.nodes]
    yield "systems/tree/title_of_passages", rows, {"most": _TITLE_PASSAGES, "names": _TITLE_NAMES}


def write_tree(writer: Writer, changes: TreeChanges, progress: Progress) -> None:
    """Write the changes into a generation that no reader uses yet, in many transactions."""
    commit_statements(writer, changes.kind.structure, _statements(writer.corpus.label, changes), progress)


def write_tree_in(tx: Transaction, label: str, changes: TreeChanges) -> None:
    """Write the changes into the generation that readers use, in one transaction."""
    run_statements(tx, label, _statements(label, changes))


def _statements(label: str, changes: TreeChanges) -> Statements:
    kind = changes.kind
    yield "systems/tree/write_nodes", changes.nodes, {"labels": [kind.label, f"{label}_{kind.label}"]}
    yield "systems/tree/place_nodes", changes.places, {}
    yield (
        "systems/tree/cover",
        changes.covers,
        {"labels": [] if kind.own_units else [f"Of{kind.unit.capitalize()}"]},
    )
    yield "systems/store/remove", [{"id": id_} for id_ in changes.gone], {}
