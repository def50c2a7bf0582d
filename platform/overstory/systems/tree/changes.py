"""Writes trees to the graph as differences from the stored ones, into a new generation or in place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from overstory.graph import Transaction, Writer
from overstory.graph.client import Row
from overstory.protocols import Progress
from overstory.systems.statements import Statements, commit_statements, run_statements
from overstory.systems.tree.kinds import TreeKind
from overstory.systems.tree.stored import StoredNode, StoredTree

if TYPE_CHECKING:
    from overstory.systems.tree.build import TreeNodes  # whose entropy engine takes a second to import

MOST_CHANGED_TREE_SHARE = 0.2
"""Share of what a tree is built over: if more is new, gone or changed, the tree is built from scratch."""
MOST_ROWS_IN_PLACE = 20_000
"""Rows that one transaction changes in the generation that is read; more go into a new generation."""
_SAME_VOLUME_SHARE = 1e-12
"""Relative to the volume of the whole graph: sums may be taken in another order."""
_TITLE_PASSAGES = 1_000
_TITLE_NAMES = 3
"""Passages of a community that its title is taken from, and names that it has."""


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


def tree_changes(nodes: TreeNodes, stored: StoredTree) -> TreeChanges:
    """The differences between a tree and the stored one, which may be empty."""
    leaves, kind = len(nodes.units), nodes.kind
    tolerance = _SAME_VOLUME_SHARE * float(nodes.volumes[-1])
    changes = TreeChanges(kind, [], [], [], [])
    volumes, cuts = nodes.volumes.tolist(), nodes.cuts.tolist()
    always = {
        "corpus": nodes.corpus,
        "derived": kind.structure,
        "generation": nodes.generation,
        "tree": kind.name,
    }
    for place in range(len(nodes.ids) - 1, -1, -1):
        id_, parent = nodes.ids[place], nodes.parents[place]
        before = stored.get(id_)
        vector = nodes.vectors[place - leaves] if place >= leaves else b""
        also = nodes.properties[place - leaves] if place >= leaves and nodes.properties else {}
        numbers: dict[str, Any] = {
            "level": nodes.levels[place],
            "size": nodes.sizes[place],
            "volume": volumes[place],
            "cut": cuts[place],
        }
        of_leaf = nodes.leaf_properties[place] if place < leaves and nodes.leaf_properties else {}
        now = numbers | ({"vector": vector} if vector else {}) | also | of_leaf
        if before is None:
            changes.nodes.append({"id": id_, "properties": now | always})
        elif _differs(before, numbers, vector, tuple(also.values()), tolerance):
            changes.nodes.append({"id": id_, "properties": now})
        if parent and (before is None or before.parent != parent):
            changes.places.append({"id": id_, "parent": parent})
        # A unit that was deleted and came back has the same id, and its leaf may have outlived it.
        if place < leaves and (before is None or before.unit != nodes.units[place]):
            changes.covers.append({"id": id_, "unit": nodes.units[place]})
    there = set(nodes.ids)
    changes.gone.extend(id_ for id_ in stored if id_ not in there)
    return changes


def _differs(before: StoredNode, numbers: Row, vector: bytes, properties: tuple[Any, ...], tolerance: float) -> bool:
    return (
        (before.level, before.size) != (numbers["level"], numbers["size"])
        or abs(before.volume - numbers["volume"]) > tolerance
        or abs(before.cut - numbers["cut"]) > tolerance
        or before.vector != vector
        or before.properties != properties
    )


def titles_of_passages(changes: TreeChanges) -> Statements:
    """What titles the communities of a tree of passages that are new or changed; to be run after the tree's."""
    rows = [{"id": row["id"]} for row in changes.nodes]
    yield "systems/tree/title_of_passages", rows, {"most": _TITLE_PASSAGES, "names": _TITLE_NAMES}


def write_tree(writer: Writer, changes: TreeChanges, progress: Progress) -> None:
    """Commits as it goes: for a generation that nobody reads yet."""
    commit_statements(writer, changes.kind.structure, _statements(writer.corpus.label, changes), progress)


def write_tree_in(tx: Transaction, label: str, changes: TreeChanges) -> None:
    """Within one transaction: for the generation that is read."""
    run_statements(tx, label, _statements(label, changes))


def _statements(label: str, changes: TreeChanges) -> Statements:
    """Statements with their rows, and the labels that they set."""
    kind = changes.kind
    yield "systems/tree/write_nodes", changes.nodes, {"labels": [kind.label, f"{label}_{kind.label}"]}
    yield "systems/tree/place_nodes", changes.places, {}
    yield (
        "systems/tree/cover",
        changes.covers,
        {"labels": [] if kind.own_units else [f"Of{kind.unit.capitalize()}"]},
    )
    yield "systems/store/remove", [{"id": id_} for id_ in changes.gone], {}
