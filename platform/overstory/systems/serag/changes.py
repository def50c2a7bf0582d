"""Writes SeRAG's edges to the graph, as differences from the stored ones."""

from __future__ import annotations

from dataclasses import dataclass

from overstory.graph import Writer
from overstory.graph.client import Row
from overstory.protocols import Progress
from overstory.systems.serag.graph_reads import LinkWeights, Weights
from overstory.systems.serag.index_settings import NAME
from overstory.systems.tree.changes import commit_rows

SAME_WEIGHT = 1e-5
"""Cosines come in steps of 2⁻²⁰; what differs by less is the same edge."""


@dataclass(frozen=True, slots=True)
class Links:
    """The strongest edges, ready to be stored: pairs of chunks, ids ascending, and their weights and parts."""

    pairs: list[tuple[str, str]]
    weights: list[Weights]
    similar: list[float]
    shared: list[float]
    near: list[float]


@dataclass(frozen=True, slots=True)
class LinkChanges:
    """Rows of `systems/serag/link` and `systems/serag/unlink`; an edge with another weight is in both."""

    new: list[Row]
    gone: list[Row]


def link_changes(links: Links, stored: LinkWeights) -> LinkChanges:
    """The writes and deletions after which exactly these edges are stored."""
    parts = zip(links.similar, links.shared, links.near, strict=True)
    wanted = set(links.pairs)
    new: list[Row] = []
    gone: list[Row] = [{"one": one, "other": other} for one, other in stored if (one, other) not in wanted]
    for (one, other), weights, (similar, shared, near) in zip(links.pairs, links.weights, parts, strict=True):
        before = stored.get((one, other))
        if before is not None and all(map(_same, before, weights)):
            continue
        if before is not None:
            gone.append({"one": one, "other": other})
        named = {"weight": weights.fused, "semantic_weight": weights.semantic}
        row: Row = {"one": one, "other": other, "similar": similar, "shared": shared, "near": near}
        new.append(row | {name: weight for name, weight in named.items() if weight is not None})
    return LinkChanges(new, gone)


def _same(one: float | None, other: float | None) -> bool:
    return one == other if one is None or other is None else abs(one - other) <= SAME_WEIGHT


def write_links(writer: Writer, changes: LinkChanges, progress: Progress) -> None:
    """Commits as it goes: after a kill, the next run finds the rest by comparing again.

    Raises:
        LeaseLost, DatabaseError: as `Writer.commit`.
    """
    for statement, rows in (("systems/serag/unlink", changes.gone), ("systems/serag/link", changes.new)):
        commit_rows(writer, NAME, statement, rows, progress)
