"""The part of a stored tree around a change: read, changed in memory, and written back as differences.

The cost grows with the change: the part has the leaves of units with an edge to a changed unit, and the communities
above them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from overstory.graph import Transaction
from overstory.graph.client import Row
from overstory.protocols import Vectors
from overstory.systems.tree.changes import TreeChanges
from overstory.systems.tree.kinds import TreeKind, tree_leaf_id, tree_node_id
from overstory.vectors.packed import packed, unpacked
from overstory_entropy.local import Leaf, MutableCommunity, TreePart


@dataclass(frozen=True, slots=True)
class WhichTree:
    """Identity and shape of a stored tree.

    Attributes:
        label: Corpus label.
        levels: Number of community levels between the root and the leaves. Every leaf is below the last of them.
        root: Id of the root.
    """

    label: str
    kind: TreeKind
    generation: int
    levels: int
    root: str


@dataclass(frozen=True, slots=True)
class StoredLeaf:
    """A leaf as it is stored.

    Attributes:
        properties: Properties named by `TreeKind.leaf_properties`.
        covers: True if the unit of the leaf exists. A deleted unit may be added again.
    """

    id: str
    community: str
    volume: float
    properties: Mapping[str, Any]
    covers: bool = True


def read_leaves(tx: Transaction, tree: WhichTree, units: Iterable[str]) -> dict[str, StoredLeaf]:
    """Return the leaves of the given units, by unit."""
    names = list(tree.kind.leaf_properties)
    rows = tx.run(
        "systems/tree/leaves",
        tree.label,
        ids=list(units),
        tree=tree.kind.name,
        generation=tree.generation,
        properties=names,
    )
    return {
        row["unit"]: StoredLeaf(
            row["id"], row["community"], row["volume"], dict(zip(names, row["properties"], strict=True))
        )
        for row in rows
    }


class StoredPart:
    """A part of a stored tree that can be changed in memory and written back as differences."""

    def __init__(self, tx: Transaction, tree: WhichTree, leaves: Mapping[str, StoredLeaf]) -> None:
        """Read the communities above `leaves` (by unit), and update those that lost leaves when units were deleted."""
        self._tree = tree
        self._leaves = leaves
        self._parted = [
            row["id"]
            for row in tx.run("systems/tree/parted", tree.label, tree=tree.kind.name, generation=tree.generation)
        ]
        homes = list(dict.fromkeys([tree.root, *self._parted, *(leaf.community for leaf in leaves.values())]))
        rows = tx.run("systems/tree/figures", tree.label, ids=homes)
        upper = [row["id"] for row in rows if row["level"] < tree.levels]
        below = {row["id"]: row for row in tx.run("systems/tree/below", tree.label, ids=[*upper, *self._parted])}
        communities = {row["id"]: _community(row, below.get(row["id"]), tree.levels) for row in rows}
        self._before = {id_: copy(community) for id_, community in communities.items()}
        self.part = TreePart(
            tree.levels, communities, {unit: Leaf(leaf.community, leaf.volume) for unit, leaf in leaves.items()}
        )
        for id_ in self._parted:
            lost = communities[id_]
            volume, count = lost.volume - below[id_]["volume"], lost.size - lost.children
            lost.children = lost.size
            self.part.forget(id_, max(volume, 0.0), count)

    def communities(self) -> int:
        """Return how many communities the tree has gained, not counting the root."""
        return len(self.part.communities) - len(self._before)

    def changes(
        self, tx: Transaction, vectors: Mapping[str, Vectors], leaf_properties: Mapping[str, Row], version: int
    ) -> TreeChanges:
        """Return the rows that store the current state of the part.

        Vectors are approximate. The vector of a community moves by the plain mean, on the assumption that its other
        units are as similar to each other as to the changed unit. After a deletion it stays as it is.

        Args:
            vectors: Vectors of new and changed units, unit length.
            leaf_properties: Leaf properties of these units.
            version: Corpus version, for the ids of new communities.
        """
        tree, part = self._tree, self.part
        moves = self._moves(vectors)
        named = self._names(vectors, version)
        always = {
            "corpus": tree.label,
            "derived": tree.kind.structure,
            "generation": tree.generation,
            "tree": tree.kind.name,
        }
        gone = [id_ for id_ in part.gone if id_ in self._before]
        gone += [leaf.id for unit, leaf in self._leaves.items() if unit not in part.leaves]
        changes = TreeChanges(tree.kind, [], [], [], gone)
        stored = {
            row["id"]: unpacked(row["vector"])
            for row in tx.run("systems/tree/vectors_of", tree.label, ids=[id_ for id_ in moves if id_ in self._before])
        }
        for name, now in sorted(part.communities.items(), key=lambda item: item[1].level):
            before = self._before.get(name)
            if now == before:
                continue
            volume = max(now.volume, 0.0)
            properties: Row = {"size": now.size, "volume": volume, "cut": min(max(now.cut, 0.0), volume)}
            if before is None:
                properties |= {"level": now.level, **always}
            if name in moves:
                properties["vector"] = _moved(stored.get(name), before.size if before else 0, *moves[name])
            changes.nodes.append({"id": named.get(name, name), "properties": properties})
            if before is None:
                changes.places.append({"id": named[name], "parent": named.get(now.parent, now.parent)})
        for unit, leaf in part.leaves.items():
            self._leaf_changes(changes, unit, leaf, named, always, leaf_properties.get(unit, {}))
        return changes

    def _leaf_changes(
        self,
        changes: TreeChanges,
        unit: str,
        leaf: Leaf,
        named: Mapping[str, str],
        always: Row,
        further: Row,
    ) -> None:
        tree, before = self._tree, self._leaves.get(unit)
        id_ = before.id if before else tree_leaf_id(tree.label, tree.kind.name, tree.generation, unit)
        if before is None or not before.covers:
            changes.covers.append({"id": id_, "unit": unit})
        if before is None or before.volume != leaf.volume or further:
            properties: Row = {"volume": leaf.volume, "cut": leaf.volume, **further}
            if before is None:
                properties |= {"level": tree.levels + 1, "size": 1, **always}
            changes.nodes.append({"id": id_, "properties": properties})
        if before is None or before.community != leaf.home:
            changes.places.append({"id": id_, "parent": named.get(leaf.home, leaf.home)})

    def done(self, tx: Transaction) -> None:
        """Clear the markers of lost leaves, in the transaction that stores the changes."""
        if self._parted:
            tx.run("systems/tree/forget_parted", self._tree.label, ids=self._parted)

    def _moves(self, vectors: Mapping[str, Vectors]) -> dict[str, tuple[list[Vectors], list[Vectors]]]:
        """Return for each community the vectors that joined it and the vectors that left it."""
        moves: dict[str, tuple[list[Vectors], list[Vectors]]] = defaultdict(lambda: ([], []))
        for unit, vector in vectors.items():
            came = set(self.part.path(self.part.leaves[unit].home))
            left = self._path_before(self._leaves[unit].community) if unit in self._leaves else set[str]()
            for name in came - left:
                moves[name][0].append(vector)
            for name in (left - came) & self.part.communities.keys():
                moves[name][1].append(vector)
        return moves

    def _path_before(self, home: str) -> set[str]:
        names = {home}
        while self._before[home].parent:
            home = self._before[home].parent
            names.add(home)
        return names

    def _names(self, units: Iterable[str], version: int) -> dict[str, str]:
        """Return the ids of new communities, made from the version and the first unit, so that ids never repeat."""
        first: dict[str, str] = {}
        for unit in sorted(units):
            for name in self.part.path(self.part.leaves[unit].home):
                first.setdefault(name, unit)
        tree = self._tree
        return {
            name: tree_node_id(
                tree.label,
                tree.kind.name,
                tree.generation,
                self.part.communities[name].level,
                f"{version} {first[name]}",
            )
            for name in self.part.communities.keys() - self._before.keys()
        }


def _community(row: Row, below: Row | None, levels: int) -> MutableCommunity:
    volume, cut = row["volume"], row["cut"]
    return MutableCommunity(
        parent=row["parent"] or "",
        level=row["level"],
        children=row["children"],
        size=row["size"],
        volume=volume,
        cut=cut,
        own=volume - cut if row["level"] == levels or below is None else below["cut"] - cut,
    )


def _moved(vector: Vectors | None, size: int, came: Sequence[Vectors], left: Sequence[Vectors]) -> bytes:
    """Return the packed mean vector of a community of `size` units after some units joined or left."""
    change = np.stack([*came, *(-each for each in left)]).sum(axis=0, dtype=np.float64)
    total = change
    if vector is not None and size:
        like = float(np.mean([each @ vector for each in (*came, *left)]))
        total = size * _length(size, like) * vector.astype(np.float64) + change
    length = float(np.linalg.norm(total))
    return packed(np.stack([total / (length or 1.0)]))[0]


def _length(size: int, like: float) -> float:
    """Return the length ρ of the mean of `size` unit vectors, given their mean cosine `like` to another vector.

    Any two of the vectors are assumed to be equally similar: ρ² = (1 + (size − 1) · ρ · like) / size.
    """
    others = (size - 1) * max(like, 0.0)
    return (others + sqrt(others * others + 4.0 * size)) / (2.0 * size)
