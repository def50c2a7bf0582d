"""Writes SeRAG's edges to the graph, as differences from the stored ones."""

from __future__ import annotations

from dataclasses import dataclass

from overstory.graph import Writer
from overstory.graph.client import Row
from overstory.protocols import Progress
from overstory.systems.serag.graph_reads import LinkWeights
from overstory.systems.serag.index_settings import NAME
from overstory.systems.tree.changes import commit_rows

SAME_WEIGHT = 1e-5
"""Cosines come in steps of 2⁻²⁰; what differs by less is the same edge."""


@dataclass(frozen=True, slots=True)
class Links:
    """The strongest edges, ready to be stored: pairs of chunks, ids ascending, and their weights and parts."""

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
        """The stored edges after these changes."""
        after = dict(stored)
        for row in self.gone:
            after.pop((row["one"], row["other"]), None)
        return after | {(row["one"], row["other"]): row["weight"] for row in self.new}


def link_changes(links: Links, stored: LinkWeights) -> LinkChanges:
    """The writes and deletions after which exactly these edges are stored."""
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
    """Commits as it goes: after a kill, the next run finds the rest by comparing again.

    Raises:
        LeaseLost, DatabaseError: as `Writer.commit`.
    """
    for statement, rows in (("systems/serag/unlink", changes.gone), ("systems/serag/link", changes.new)):
        commit_rows(writer, NAME, statement, rows, progress)
