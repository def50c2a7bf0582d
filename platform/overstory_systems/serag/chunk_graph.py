"""The chunk graph: three layers of edges between chunks, and their fusion. Pure functions on arrays.

A layer consists of distinct pairs of chunks i < j and a weight for each pair. The key of a pair is i · n + j for n
chunks. Keys are ascending.

Source: SeRAG paper, Section 3.1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from overstory.vectors.nearest import Scores
from overstory_entropy import Graph
from overstory_entropy.compile import Floats, Ids, Ints, kernel

NEARNESS_SIGMA_CHUNKS = 5.0
"""Distance in chunks at which the weight of nearness in a document has fallen to exp(-1/2)."""
LEAST_NEARNESS = 0.1  # minimum nearness of an edge
LEAST_CHUNK_EDGE_WEIGHT = 1e-6
"""Edges with this weight or less are dropped."""


@dataclass(frozen=True, slots=True)
class Shares:
    """Weights of the layers in the fusion (SeRAG paper, Eq. 6)."""

    similar: float = 0.45
    shared: float = 0.45
    near: float = 0.10


FUSED = Shares()
MEANING_ALONE = Shares(similar=1.0, shared=0.0, near=0.0)


class Layer(NamedTuple):
    """Pairs of chunks and their weights.

    Attributes:
        keys: Shape (pairs,), the key i · n + j of each pair i < j, ascending.
        weights: Shape (pairs,).
    """

    keys: Ints
    weights: Scores


@dataclass(frozen=True, slots=True)
class Mentioned:
    """The distinct entities that each chunk mentions.

    Attributes:
        starts: Shape (n + 1,). The entities of chunk i are entities[starts[i] : starts[i + 1]].
        entities: Shape (mentions,), entity numbers from 0.
    """

    starts: Ints
    entities: Ids


@dataclass(frozen=True, slots=True)
class SharedEntities:
    """The layer SHARES_ENTITIES, and counts of what was dropped because of the limits.

    Attributes:
        too_common: Number of entities that create no pairs because too many chunks mention them.
        cut: Number of chunks that share entities with more chunks than were kept.
    """

    layer: Layer
    too_common: int
    cut: int


@dataclass(frozen=True, slots=True)
class ChunkGraph:
    """The fusion of the layers, which is stored as LINKED.

    Attributes:
        keys: Shape (pairs,), keys as in `Layer`.
        weights: Shape (pairs,), fused weights.
        similar, shared, near: Shape (pairs,), weights in each layer; 0 if the layer does not contain the pair.
    """

    chunks: int
    keys: Ints
    weights: Floats
    similar: Scores
    shared: Scores
    near: Scores

    def ends(self) -> Ints:
        """Return the two chunks of each pair, shape (pairs, 2)."""
        return ends_of_keys(self.keys, self.chunks)

    def as_graph(self) -> Graph:
        return Graph.from_edges(self.chunks, self.ends(), self.weights)


def ends_of_keys(keys: Ints, chunks: int) -> Ints:
    """Convert keys of shape (pairs,) to chunks of shape (pairs, 2)."""
    return np.stack(np.divmod(keys, max(chunks, 1)), axis=1)


def keys_of_ends(ends: Ints, chunks: int) -> Ints:
    """Convert chunks of shape (pairs, 2), the lower one first, to keys of shape (pairs,)."""
    return ends[:, 0] * chunks + ends[:, 1]


def most_chunks_of_an_entity(chunks: int, most: int) -> int:
    """Return min(max(50, 10 % of the chunks), most): an entity that more chunks mention creates no pairs."""
    return min(max(50, chunks // 10), most)


def shared_entities(mentioned: Mentioned, *, most_chunks: int, most_pairs: int) -> SharedEntities:
    """Return the pairs of chunks i, j that share entities.

    Weights are |Ei ∩ Ej| / max(|Ei|, |Ej|), where Ei are the entities of chunk i (SeRAG paper, Eq. 4). Takes O(Σ c²)
    time, for c chunks of each entity with c ≤ `most_chunks`. Returns at most n · `most_pairs` pairs.

    Args:
        most_chunks: Entities that more chunks mention are ignored.
        most_pairs: Keep pairs among this many strongest pairs of either chunk. On a tie, lower chunk numbers win.
    """
    n = len(mentioned.starts) - 1
    sizes = np.diff(mentioned.starts)
    chunks = np.repeat(np.arange(n), sizes)
    count = np.bincount(mentioned.entities, minlength=1)
    common = count > most_chunks
    counted = ~common[mentioned.entities]
    chunks, entities = chunks[counted], mentioned.entities[counted]
    order = np.argsort(entities, kind="stable")
    holders = chunks[order].astype(np.int32)
    holder_starts = _starts(entities, len(count))
    starts = _starts(chunks, n)
    degrees = _sharers(starts, entities, holder_starts, holders)
    ends = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.minimum(degrees, most_pairs), out=ends[1:])
    others, weights = _strongest_sharers((starts, entities, holder_starts, holders), sizes.astype(np.int64), ends)
    one = np.repeat(np.arange(n), np.diff(ends))
    keys, first = np.unique(np.minimum(one, others) * n + np.maximum(one, others), return_index=True)
    layer = Layer(keys, weights[first])
    return SharedEntities(layer, too_common=int(common.sum()), cut=int((degrees > most_pairs).sum()))


def near_in_documents(documents: Ints, places: Ints) -> Layer:
    """Return pairs of chunks of the same document, with weights exp(-(i - j)² / 2σ²) ≥ 0.1 (SeRAG paper, Eq. 5).

    Args:
        documents: Shape (n,), number of each chunk's document.
        places: Shape (n,), position i of each chunk in its document, distinct within a document.
    """
    n = len(documents)
    order = np.lexsort((places, documents))
    keys: list[Ints] = []
    weights: list[Scores] = []
    for apart in range(1, int(NEARNESS_SIGMA_CHUNKS * math.sqrt(-2.0 * math.log(LEAST_NEARNESS))) + 1):
        one, other = order[:-apart], order[apart:]
        distance = places[other] - places[one]
        nearness = np.exp(-(distance.astype(np.float64) ** 2) / (2.0 * NEARNESS_SIGMA_CHUNKS**2))
        there = (documents[one] == documents[other]) & (nearness >= LEAST_NEARNESS)
        one, other = one[there], other[there]
        keys.append(np.minimum(one, other) * n + np.maximum(one, other))
        weights.append(nearness[there].astype(np.float32))
    found = np.concatenate(keys)
    ascending = np.argsort(found)
    return Layer(found[ascending], np.concatenate(weights)[ascending])


def fused(chunks: int, similar: Layer, shared: Layer, near: Layer, shares: Shares = FUSED) -> ChunkGraph:
    """Return the weighted sum of the layers, dropping pairs with a weight of 1e-6 or less."""
    keys = np.unique(np.concatenate([similar.keys, shared.keys, near.keys]))
    parts = [_on(keys, layer) for layer in (similar, shared, near)]
    weights = sum(
        (part.astype(np.float64) * share for part, share in zip(parts, _as_tuple(shares), strict=True)),
        start=np.zeros(len(keys)),
    )
    kept = weights > LEAST_CHUNK_EDGE_WEIGHT
    return ChunkGraph(chunks, keys[kept], weights[kept], *(part[kept] for part in parts))


def strongest_pairs(graph: Graph, most: int) -> Ints:
    """Return the ascending keys of pairs that are among the `most` strongest pairs of either chunk."""
    degrees = np.diff(graph.indptr)
    ends = np.zeros(graph.vertices + 1, dtype=np.int64)
    np.cumsum(np.minimum(degrees, most), out=ends[1:])
    others = _strongest_neighbours(graph.indptr, graph.neighbours, graph.weights, ends)
    one = np.repeat(np.arange(graph.vertices), np.diff(ends))
    return np.unique(np.minimum(one, others) * graph.vertices + np.maximum(one, others))


def _as_tuple(shares: Shares) -> tuple[float, float, float]:
    return shares.similar, shares.shared, shares.near


def _on(keys: Ints, layer: Layer) -> Scores:
    part = np.zeros(len(keys), dtype=np.float32)
    part[np.searchsorted(keys, layer.keys)] = layer.weights
    return part


def _starts(groups: Ints | Ids, number: int) -> Ints:
    """Return the start of each of the groups 0, 1, … in an array sorted by group."""
    starts = np.zeros(number + 1, dtype=np.int64)
    np.cumsum(np.bincount(groups, minlength=number), out=starts[1:])
    return starts


@kernel
def _sharers(starts: Ints, entities: Ids, holder_starts: Ints, holders: Ids) -> Ints:
    """Count for each chunk how many other chunks share an entity with it, shape (n,)."""
    n = len(starts) - 1
    seen_by, degrees = np.full(n, -1, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for chunk in range(n):
        seen_by[chunk] = chunk
        for mention in range(starts[chunk], starts[chunk + 1]):
            entity = entities[mention]
            for place in range(holder_starts[entity], holder_starts[entity + 1]):
                other = holders[place]
                if seen_by[other] != chunk:
                    seen_by[other] = chunk
                    degrees[chunk] += 1
    return degrees


@kernel
def _strongest_sharers(lists: tuple[Ints, Ids, Ints, Ids], sizes: Ints, ends: Ints) -> tuple[Ints, Scores]:
    """Return the chunks that share most with each chunk, and their weights. Those of chunk c start at ends[c].

    Args:
        lists: The arguments of `_sharers`.
        sizes: Shape (n,), number of entities of each chunk, including too common entities.
    """
    starts, entities, holder_starts, holders = lists
    n = len(starts) - 1
    kept, kept_weights = np.empty(ends[-1], dtype=np.int64), np.empty(ends[-1], dtype=np.float32)
    times, sharers = np.zeros(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for chunk in range(n):
        found = 0
        for mention in range(starts[chunk], starts[chunk + 1]):
            entity = entities[mention]
            for place in range(holder_starts[entity], holder_starts[entity + 1]):
                other = holders[place]
                if other == chunk:
                    continue
                if times[other] == 0:
                    sharers[found] = other
                    found += 1
                times[other] += 1
        weights = np.empty(found, dtype=np.float32)
        for place in range(found):
            weights[place] = times[sharers[place]] / max(sizes[chunk], sizes[sharers[place]])
        room = ends[chunk + 1] - ends[chunk]
        if found > room:
            by_number = np.argsort(sharers[:found])
            order = by_number[np.argsort(-weights[by_number], kind="mergesort")]
        else:
            order = np.arange(found)
        for place in range(room):
            kept[ends[chunk] + place] = sharers[order[place]]
            kept_weights[ends[chunk] + place] = weights[order[place]]
        for place in range(found):
            times[sharers[place]] = 0
    return kept, kept_weights


@kernel
def _strongest_neighbours(indptr: Ints, neighbours: Ids, weights: Floats, ends: Ints) -> Ints:
    """Return the strongest neighbours of each vertex. Those of vertex v start at ends[v]."""
    kept = np.empty(ends[-1], dtype=np.int64)
    for vertex in range(len(indptr) - 1):
        row = weights[indptr[vertex] : indptr[vertex + 1]]
        order = np.argsort(-row, kind="mergesort")
        for place in range(ends[vertex + 1] - ends[vertex]):
            kept[ends[vertex] + place] = neighbours[indptr[vertex] + order[place]]
    return kept
