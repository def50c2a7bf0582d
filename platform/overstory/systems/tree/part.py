"""Updates a stored tree: reads the part that a change affects, changes it in memory, and writes the differences back.

The part contains the leaves of the changed units, the leaves of all units that have an edge to a changed unit, and the
communities above these leaves. Therefore the cost depends on the size of the change, not on the size of the tree.
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
    """Identifies a stored tree and describes its shape.

    Attributes:
        label: Corpus label.
        levels: Number of community levels between the root and the leaves. The parent of every leaf is on the last of
            these levels.
        root: Id of the root.
    """

    label: str
    kind: TreeKind
    generation: int
    levels: int
    root: str


@dataclass(frozen=True, slots=True)
class StoredLeaf:
    """A leaf in its stored form.

    Attributes:
        community: Id of the community that contains the leaf.
        volume: Sum of the weights of the edges at the leaf.
        properties: Values of the properties that `TreeKind.leaf_properties` names.
    """

    id: str
    community: str
    volume: float
    properties: Mapping[str, Any]


def read_leaves(tx: Transaction, tree: WhichTree, units: Iterable[str]) -> dict[str, StoredLeaf]:
    """Return a map from the ids of the given units to their leaves. Units without a leaf are left out."""
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
    """A part of a stored tree. It is changed in memory, and the differences are written back."""

    def __init__(self, tx: Transaction, tree: WhichTree, leaves: Mapping[str, StoredLeaf]) -> None:
        """Read the communities above some leaves, and update the communities that lost leaves because of deletions.

        Args:
            leaves: Map from unit ids to leaves.
        """
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
        """Return the number of communities by which the tree has grown since it was read."""
        return len(self.part.communities) - len(self._before)

    def changes(
        self, tx: Transaction, vectors: Mapping[str, Vectors], leaf_properties: Mapping[str, Row], version: int
    ) -> TreeChanges:
        """Return the rows that change the stored tree to the current state of the part.

        The vector of a community is updated approximately: it becomes the unweighted mean of its units' vectors. These
        are not read. Instead, the old units are assumed to be as similar to each other as to the units that join or
        leave. The deletion of a unit does not change the vector.

        Args:
            vectors: Map from the ids of new and changed units to their unit vectors.
            leaf_properties: Map from the ids of these units to the properties of their leaves.
            version: Corpus version. The ids of new communities depend on it.
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
        if before is None:
            changes.covers.append({"id": id_, "unit": unit})
        if before is None or before.volume != leaf.volume or further:
            properties: Row = {"volume": leaf.volume, "cut": leaf.volume, **further}
            if before is None:
                properties |= {"level": tree.levels + 1, "size": 1, **always}
            changes.nodes.append({"id": id_, "properties": properties})
        if before is None or before.community != leaf.home:
            changes.places.append({"id": id_, "parent": named.get(leaf.home, leaf.home)})

    def done(self, tx: Transaction) -> None:
        """Remove the marks of communities that lost leaves. Call this in the transaction that stores the changes."""
        if self._parted:
            tx.run("systems/tree/forget_parted", self._tree.label, ids=self._parted)

    def _moves(self, vectors: Mapping[str, Vectors]) -> dict[str, tuple[list[Vectors], list[Vectors]]]:
        """Return, for each community, the vectors of the units that joined it and of the units that left it."""
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
        """Return a map from the names of new communities to their ids.

        An id depends on the corpus version and on the first unit in the community. Therefore no id is used twice.
        """
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
    """Return the packed vector of a community after some units have joined or left.

    Args:
        vector: The vector before; None for a new community.
    """
    change = np.stack([*came, *(-each for each in left)]).sum(axis=0, dtype=np.float64)
    total = change
    if vector is not None and size:
        like = float(np.mean([each @ vector for each in (*came, *left)]))
        total = size * _length(size, like) * vector.astype(np.float64) + change
    length = float(np.linalg.norm(total))
    return packed(np.stack([total / (length or 1.0)]))[0]


def _length(size: int, like: float) -> float:
    """Estimate the length ρ of the mean of `size` unit vectors.

    The cosine of any two of these vectors is assumed to be ρ · like. Then ρ² = (1 + (size − 1) · ρ · like) / size.

    Args:
        like: Mean cosine between this mean and the vectors of the units that join or leave.
    """
    others = (size - 1) * max(like, 0.0)
    return (others + sqrt(others * others + 4.0 * size)) / (2.0 * size)
