"""SeRAG's edges and trees in the graph: written as differences to what is there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from overstory.graph import Transaction, Writer, batches
from overstory.graph.client import Row
from overstory.protocols import Progress
from overstory.systems.serag.graph_reads import LinkWeights, StoredNode, Tree
from overstory.systems.serag.index_settings import NAME
from overstory.systems.serag.trees import TreeNodes

ROWS_A_TRANSACTION = 10_000
ROWS_A_STATEMENT = 2_000
SAME_WEIGHT = 1e-5
"""Cosines come in steps of 2⁻²⁰; what differs by less is the same edge."""
SAME_VOLUME = 1e-12
"""Of the volume of the whole graph: sums in another order."""


@dataclass(frozen=True, slots=True)
class Links:
    """The strongest edges, as they are to be stored: pairs of chunks, ids ascending, and their weights and parts."""

    pairs: list[tuple[str, str]]
    weights: list[float]
    similar: list[float]
    shared: list[float]
    near: list[float]


@dataclass(frozen=True, slots=True)
class LinkChanges:
    """Rows of `systems/serag/link` and `systems/serag/unlink`; an edge with another weight is in both."""

    new: list[Row]
    gone: list[Row]

    def pairs(self) -> set[tuple[str, str]]:
        """The edges that are new, gone or of another weight."""
        return {(row["one"], row["other"]) for rows in (self.new, self.gone) for row in rows}

    def applied_to(self, stored: LinkWeights) -> LinkWeights:
        """What is stored after them."""
        after = dict(stored)
        for row in self.gone:
            after.pop((row["one"], row["other"]), None)
        return after | {(row["one"], row["other"]): row["weight"] for row in self.new}


def link_changes(links: Links, stored: LinkWeights) -> LinkChanges:
    """What has to be written and deleted so that exactly these edges are stored."""
    columns = (links.weights, links.similar, links.shared, links.near)
    wanted = set(links.pairs)
    new: list[Row] = []
    gone: list[Row] = [{"one": one, "other": other} for one, other in stored if (one, other) not in wanted]
    for pair, weight, similar, shared, near in zip(links.pairs, *columns, strict=True):
        before = stored.get(pair)
        if before is not None and abs(before - weight) <= SAME_WEIGHT:
            continue
        if before is not None:
            gone.append({"one": pair[0], "other": pair[1]})
        new.append(
            {"one": pair[0], "other": pair[1], "weight": weight, "similar": similar, "shared": shared, "near": near}
        )
    return LinkChanges(new, gone)


def write_links(writer: Writer, changes: LinkChanges, progress: Progress) -> None:
    """Commits as it goes: a run that is killed finds what is left to do by comparing again.

    Raises:
        LeaseLost, DatabaseError: as `Writer.commit`.
    """
    for statement, rows in (("systems/serag/unlink", changes.gone), ("systems/serag/link", changes.new)):
        _in_transactions(writer, statement, rows, progress)


@dataclass(frozen=True, slots=True)
class TreeChanges:
    """Rows of the statements that bring a stored tree up to date, parents before children."""

    nodes: list[Row]
    places: list[Row]
    covers: list[Row]
    gone: list[str]

    def __len__(self) -> int:
        return len(self.nodes) + len(self.places) + len(self.covers) + len(self.gone)


def tree_changes(nodes: TreeNodes, stored: Tree, *, corpus: str, tree: str, generation: int) -> TreeChanges:
    """What differs between a tree and the stored one, which may be empty.

    Args:
        corpus: the label.
    """
    leaves = len(nodes.chunks)
    tolerance = SAME_VOLUME * float(nodes.volumes[-1])
    changes = TreeChanges([], [], [], [])
    volumes, cuts = nodes.volumes.tolist(), nodes.cuts.tolist()
    for place in range(len(nodes.ids) - 1, -1, -1):
        id_, parent = nodes.ids[place], nodes.parents[place]
        before = stored.get(id_)
        vector = nodes.vectors[place - leaves] if place >= leaves else b""
        numbers: dict[str, Any] = {"size": nodes.sizes[place], "volume": volumes[place], "cut": cuts[place]}
        if before is None:
            always = {"corpus": corpus, "derived": NAME, "generation": generation, "tree": tree}
            numbers |= always | {"level": nodes.levels[place]} | ({"vector": vector} if vector else {})
            changes.nodes.append({"id": id_, "properties": numbers})
            if place < leaves:
                changes.covers.append({"id": id_, "chunk": nodes.chunks[place]})
        elif _differs(before, numbers, vector, tolerance):
            changes.nodes.append({"id": id_, "properties": numbers | ({"vector": vector} if vector else {})})
        if parent and (before is None or before.parent != parent):
            changes.places.append({"id": id_, "parent": parent})
    there = set(nodes.ids)
    changes.gone.extend(id_ for id_ in stored if id_ not in there)
    return changes


def _differs(before: StoredNode, numbers: Row, vector: bytes, tolerance: float) -> bool:
    return (
        before.size != numbers["size"]
        or abs(before.volume - numbers["volume"]) > tolerance
        or abs(before.cut - numbers["cut"]) > tolerance
        or before.vector != vector
    )


def stored_after(changes: TreeChanges, stored: Tree) -> Tree:
    """What a stored tree is after them."""
    after = dict(stored)
    for id_ in changes.gone:
        after.pop(id_, None)
    parents = {row["id"]: row["parent"] for row in changes.places}
    chunks = {row["id"]: row["chunk"] for row in changes.covers}
    for row in changes.nodes:
        id_, now, before = row["id"], row["properties"], stored.get(row["id"])
        after[id_] = StoredNode(
            parent=before.parent if before else "",
            level=before.level if before else now["level"],
            size=now["size"],
            volume=now["volume"],
            cut=now["cut"],
            chunk=chunks.get(id_, before.chunk if before else ""),
            vector=now.get("vector", b""),
        )
    return after | {id_: replace(after[id_], parent=parent) for id_, parent in parents.items()}


def write_tree(writer: Writer, changes: TreeChanges, progress: Progress) -> None:
    """Commits as it goes: for a generation that nobody reads yet.

    Raises:
        LeaseLost, DatabaseError: as `Writer.commit`.
    """
    for statement, rows in _statements(changes):
        _in_transactions(writer, statement, rows, progress)


def write_tree_in(tx: Transaction, label: str, changes: TreeChanges) -> None:
    """Within one transaction: for the generation that is read."""
    for statement, rows in _statements(changes):
        for batch in batches(rows, ROWS_A_STATEMENT):
            tx.run(statement, label, rows=batch)
    if changes.gone:
        tx.run("systems/serag/remove_nodes", label, ids=changes.gone)


def _statements(changes: TreeChanges) -> Iterable[tuple[str, Sequence[Row]]]:
    yield "systems/serag/write_nodes", changes.nodes
    yield "systems/serag/place_nodes", changes.places
    yield "systems/serag/cover_chunks", changes.covers


def _in_transactions(writer: Writer, statement: str, rows: Sequence[Row], progress: Progress) -> None:
    for some in batches(rows, ROWS_A_TRANSACTION):

        def write(tx: Transaction, some: list[Row] = some) -> None:
            for batch in batches(some, ROWS_A_STATEMENT):
                tx.run(statement, writer.corpus.label, rows=batch)

        writer.commit(NAME, write)
        progress.advance(len(some))
