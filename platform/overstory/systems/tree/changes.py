"""Writes trees to the graph: new trees into a new generation, changes into the tree in use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from overstory.graph import Transaction, Writer
from overstory.graph.client import Row
from overstory.protocols import Progress
from overstory.systems.statements import Statements, commit_statements, run_statements
from overstory.systems.tree.kinds import TreeKind

if TYPE_CHECKING:
    from overstory.systems.tree.build import TreeNodes  # importing its entropy engine takes a second

MOST_CHANGED_TREE_SHARE = 0.2
"""Largest share of changed units for an update in place. Above it, the tree is built from scratch."""
_TITLE_PASSAGES = 1_000  # passages of a community from which its title is made
_TITLE_NAMES = 3  # names in a community's title


@dataclass(frozen=True, slots=True)
class TreeChanges:
    """Rows of the statements that bring a stored tree up to date, parents before children."""

    kind: TreeKind
    nodes: list[Row]
    places: list[Row]
    covers: list[Row]
    gone: list[str]

    def __len__(self) -> int:
        return len(self.nodes) + len(self.places) + len(self.covers) + len(self.gone)


def new_tree(nodes: TreeNodes) -> TreeChanges:
    """Return all rows of a tree that is not stored yet."""
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
    """Yield the statements that set the titles of new and changed communities. Run them after the tree is written."""
    rows = [{"id": row["id"]} for row in changes.nodes]
    yield "systems/tree/title_of_passages", rows, {"most": _TITLE_PASSAGES, "names": _TITLE_NAMES}


def write_tree(writer: Writer, changes: TreeChanges, progress: Progress) -> None:
    """Write the changes in batches of transactions, into a generation that no reader uses yet."""
    commit_statements(writer, changes.kind.structure, _statements(writer.corpus.label, changes), progress)


def write_tree_in(tx: Transaction, label: str, changes: TreeChanges) -> None:
    """Write the changes in one transaction, into the generation in use."""
    run_statements(tx, label, _statements(label, changes))


def _statements(label: str, changes: TreeChanges) -> Statements:
    """Yield the statements with their rows and the labels that they set."""
    kind = changes.kind
    yield "systems/tree/write_nodes", changes.nodes, {"labels": [kind.label, f"{label}_{kind.label}"]}
    yield "systems/tree/place_nodes", changes.places, {}
    yield (
        "systems/tree/cover",
        changes.covers,
        {"labels": [] if kind.own_units else [f"Of{kind.unit.capitalize()}"]},
    )
    yield "systems/store/remove", [{"id": id_} for id_ in changes.gone], {}
