"""What is stored after changes of a tree."""

from __future__ import annotations

from dataclasses import replace

from overstory.systems.tree.changes import TreeChanges
from overstory.systems.tree.stored import StoredNode, StoredTree


def stored_after(changes: TreeChanges, stored: StoredTree) -> StoredTree:
    """The stored tree after these changes."""
    after = dict(stored)
    for id_ in changes.gone:
        after.pop(id_, None)
    parents = {row["id"]: row["parent"] for row in changes.places}
    units = {row["id"]: row["unit"] for row in changes.covers}
    for row in changes.nodes:
        id_, now, before = row["id"], row["properties"], stored.get(row["id"])
        vector = now.get("vector", b"")
        after[id_] = StoredNode(
            parent=before.parent if before else "",
            level=now["level"],
            size=now["size"],
            volume=now["volume"],
            cut=now["cut"],
            unit=before.unit if before else "",
            vector=vector,
            properties=tuple(now[name] for name in changes.kind.properties) if vector else (),
        )
    after |= {id_: replace(after[id_], parent=parent) for id_, parent in parents.items()}
    return after | {id_: replace(after[id_], unit=unit) for id_, unit in units.items()}
