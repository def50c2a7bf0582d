"""The edges of chunks that are new or changed, by look-ups around them: the layers of `chunk_graph`, chunk by chunk.

Exact but for these, which are near until the whole is clustered again: a new chunk that is nearer to another than the
last of its nearest makes an edge, and the edge to that last one stays; the limits on common entities do not reach back
to edges that there are; of a chunk that shares entities with more than are kept, its own strongest count alone. A
vector index finds nearly all of the nearest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import NamedTuple

import numpy as np

from overstory.graph import Corpus, Transaction
from overstory.graph.client import Row
from overstory.protocols import Vectors
from overstory.retrieve.vector_search import depth_for, with_index
from overstory.vectors.lengths import of_unit_length
from overstory.vectors.nearest import COSINE_STEPS
from overstory_systems.serag.chunk_graph import (
    LEAST_CHUNK_EDGE_WEIGHT,
    LEAST_NEARNESS,
    NEARNESS_SIGMA_CHUNKS,
    Shares,
    most_chunks_of_an_entity,
)
from overstory_systems.serag.index_settings import SeragIndexSettings

_REVERSE_SEARCH_FACTOR = 5
"""As many times the nearest are looked at, to find those that a new chunk is among the nearest of."""


class Parts(NamedTuple):
    """An edge by layer, 0 where a layer does not have it."""

    similar: float = 0.0
    shared: float = 0.0
    near: float = 0.0

    def weight(self, shares: Shares) -> float:
        """In the fusion of the layers."""
        return self.similar * shares.similar + self.shared * shares.shared + self.near * shares.near


@dataclass(frozen=True, slots=True)
class Changed:
    """Chunks that are new or changed, and what is around each.

    Attributes:
        ids: of those that have a vector.
        vectors: of each, of unit length.
        entities: of each.
        around: the nearest to each with their cosines, more than make edges, the nearest first.
        beside: those in its document, with their distance in places.
        sharers: those that mention an entity of its own which is not too common, and how many they share.
        notes: what the user should know of the search.
    """

    ids: list[str]
    vectors: Mapping[str, Vectors]
    entities: Mapping[str, frozenset[str]]
    around: Mapping[str, Sequence[tuple[str, float]]]
    beside: Mapping[str, Mapping[str, int]]
    sharers: Mapping[str, Mapping[str, int]]
    notes: tuple[str, ...] = ()

    def neighbours(self) -> set[str]:
        """All that may have an edge to one of them, and themselves."""
        found = set(self.ids)
        for id_ in self.ids:
            found.update(self.beside[id_], self.sharers[id_], (other for other, _ in self.around[id_]))
        return found


def read_changed(
    tx: Transaction, corpus: Corpus, settings: SeragIndexSettings, ids: Sequence[str], chunks: int
) -> Changed:
    """Reads some chunks and what is around them.

    Args:
        chunks: how many the corpus has.
    """
    rows = tx.run("systems/serag/changed", corpus.label, ids=list(ids), property=corpus.embedding_property)
    rows = [row for row in rows if row["vector"] is not None]
    there = [row["id"] for row in rows]
    entities = {row["id"]: frozenset[str](row["entities"]) for row in rows}
    around, notes = _around(tx, corpus, settings, there)
    beside = {
        row["id"]: {other: abs(seq - row["seq"]) for other, seq in row["others"]}
        for row in tx.run("systems/serag/beside", corpus.label, ids=there)
    }
    return Changed(
        ids=there,
        vectors=_vectors(rows),
        entities=entities,
        around=around,
        beside=beside,
        sharers=_sharers(tx, corpus, settings, entities, chunks),
        notes=notes,
    )


def edges_of(
    changed: Changed, settings: SeragIndexSettings, sizes: Mapping[str, int], reach: Mapping[str, float | None]
) -> dict[str, dict[str, Parts]]:
    """The edges of each changed chunk, by the other end, strongest sharers and nearest first. An edge between two of
    them is in both.

    Args:
        sizes: how many entities each neighbour mentions.
        reach: the cosine of the last of its nearest, None where it has fewer than wanted, of each neighbour that is in
            the tree.
    """
    edges: dict[str, dict[str, Parts]] = {id_: {} for id_ in changed.ids}

    def put(one: str, other: str, **part: float) -> None:
        if other not in edges and other not in reach:
            return  # it is placed later, and has this edge then
        edges[one][other] = edges[one].get(other, Parts())._replace(**part)
        if other in edges:
            edges[other][one] = edges[other].get(one, Parts())._replace(**part)

    for id_ in changed.ids:
        for place, (other, cosine) in enumerate(changed.around[id_]):
            is_nearest = place < settings.nearest
            if cosine > 0.0 and (is_nearest or _is_reached(other, cosine, edges, reach)):
                put(id_, other, similar=cosine)
        for other, shared in _strongest(changed, id_, sizes, settings.sharing):
            put(id_, other, shared=shared)
        for other, distance in changed.beside[id_].items():
            nearness = exp(-(distance**2) / (2.0 * NEARNESS_SIGMA_CHUNKS**2))
            if nearness >= LEAST_NEARNESS:
                put(id_, other, near=float(np.float32(nearness)))
    return edges


def weights(edges: Mapping[str, Parts], shares: Shares) -> dict[str, float]:
    """The edges of one chunk in one of the graphs."""
    found = {other: parts.weight(shares) for other, parts in edges.items()}
    return {other: weight for other, weight in found.items() if weight > LEAST_CHUNK_EDGE_WEIGHT}


def reach_of(changed: Changed, id_: str, nearest: int) -> float | None:
    """The cosine of the last of a changed chunk's nearest, None where there are fewer."""
    around = changed.around[id_]
    return around[nearest - 1][1] if len(around) >= nearest else None


def _is_reached(other: str, cosine: float, changed: Mapping[str, object], reach: Mapping[str, float | None]) -> bool:
    """Whether a chunk so near is among the nearest of another. Of two that changed each has its own list."""
    if other in changed or other not in reach:
        return False
    farthest = reach[other]
    return farthest is None or cosine >= farthest


def _strongest(changed: Changed, id_: str, sizes: Mapping[str, int], most: int) -> Iterable[tuple[str, float]]:
    """|Ei ∩ Ej| / max(|Ei|, |Ej|), of equally strong ones the lower ids."""
    own = len(changed.entities[id_])
    found = [
        (other, float(np.float32(times / max(own, sizes[other]))))
        for other, times in changed.sharers[id_].items()
        if other in sizes
    ]
    return sorted(found, key=lambda each: (-each[1], each[0]))[:most]


def _around(
    tx: Transaction, corpus: Corpus, settings: SeragIndexSettings, ids: list[str]
) -> tuple[dict[str, list[tuple[str, float]]], tuple[str, ...]]:
    limit = _REVERSE_SEARCH_FACTOR * settings.nearest
    parameters = {"ids": ids, "property": corpus.embedding_property, "limit": limit}
    if not ids:
        return {}, ()
    found = with_index(
        tx,
        corpus,
        "systems/serag/nearest",
        index=corpus.vector_index,
        depth=depth_for(settings.nearest),
        parameters=parameters,
    )
    around: dict[str, list[tuple[str, float]]] = {}
    for row in found.rows:
        steps = [(-round(cosine * COSINE_STEPS), other) for other, cosine in row["others"]]
        around[row["id"]] = [(other, -step / COSINE_STEPS) for step, other in sorted(steps)]
    return around, found.notes


def _sharers(
    tx: Transaction,
    corpus: Corpus,
    settings: SeragIndexSettings,
    entities: Mapping[str, frozenset[str]],
    chunks: int,
) -> dict[str, Counter[str]]:
    named = sorted(set[str]().union(*entities.values()))
    most = most_chunks_of_an_entity(chunks, settings.common)
    rows = tx.run("systems/serag/holders", corpus.label, ids=named, most=most)
    holders = {row["id"]: row["chunks"] for row in rows if row["chunks"] is not None}
    sharers: dict[str, Counter[str]] = {}
    for id_, own in entities.items():
        sharers[id_] = Counter[str]()
        for entity in sorted(own & holders.keys()):
            sharers[id_].update(holders[entity])
        sharers[id_].pop(id_, None)
    return sharers


def _vectors(rows: Sequence[Row]) -> dict[str, Vectors]:
    if not rows:
        return {}
    vectors = of_unit_length(np.array([row["vector"] for row in rows], dtype=np.float32))
    return dict(zip((row["id"] for row in rows), vectors, strict=True))
