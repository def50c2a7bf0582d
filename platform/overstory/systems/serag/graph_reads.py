"""SeRAG's reads from the graph: chunks with their vectors and entities, and the edges that it wrote."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from overstory.entropy.compile import Flags, Ints
from overstory.graph import Corpus, GraphClient, batches
from overstory.graph.client import Row
from overstory.protocols import Progress, Vectors
from overstory.systems.serag.chunk_graph import Mentioned
from overstory.vectors.lengths import of_unit_length

CHUNKS_A_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class ReadChunks:
    """All chunks of a corpus that have a vector, in order of id.

    Attributes:
        ids: n of them.
        documents: the document of each.
        places: shape (n,), its place in there.
        vectors: float32[n, d], of unit length.
        entities: the ids of those that each mentions.
        known: shape (n,), whether the stored tree has it as it is now.
    """

    ids: list[str]
    documents: list[str]
    places: Ints
    vectors: Vectors
    entities: list[tuple[str, ...]]
    known: Flags

    def document_numbers(self) -> Ints:
        """Shape (n,): the document of each chunk, by number."""
        numbers: dict[str, int] = {}
        return np.array([numbers.setdefault(document, len(numbers)) for document in self.documents], dtype=np.int64)

    def mentioned(self) -> Mentioned:
        """The entities of each chunk, by number."""
        numbers: dict[str, int] = {}
        starts = np.zeros(len(self.ids) + 1, dtype=np.int64)
        np.cumsum([len(entities) for entities in self.entities], out=starts[1:])
        found = [numbers.setdefault(entity, len(numbers)) for entities in self.entities for entity in entities]
        return Mentioned(starts, np.array(found, dtype=np.int32))


def read_chunks(
    graph: GraphClient, corpus: Corpus, read_to: int, progress: Progress, before: ReadChunks | None = None
) -> ReadChunks:
    """
    Args:
        read_to: the version of the corpus up to which the stored tree has read it; −1 without a tree.
        before: what was read for the stored tree: chunks that it has as they are now are taken from there.

    Raises:
        DatabaseError: as `GraphClient.run`.
    """
    where = corpus.embedding_property
    if before is None:
        pages = graph.pages("systems/serag/chunks", corpus.label, size=CHUNKS_A_PAGE, property=where, read_to=read_to)
        return _joined([_chunks_of(rows) for rows in _advancing(pages, progress)], corpus)
    there = {
        row["id"]: row["known"]
        for row in graph.stream("systems/serag/known", corpus.label, property=where, read_to=read_to)
    }
    kept = [place for place, id_ in enumerate(before.ids) if there.get(id_, False)]
    known = {before.ids[place] for place in kept}
    progress.advance(len(kept))
    changed = _advancing(_changed(graph, corpus, sorted(there.keys() - known)), progress)
    return _joined([_taken(before, kept), *(_chunks_of(rows) for rows in changed)], corpus)


def _advancing(pages: Iterator[list[Row]], progress: Progress) -> Iterator[list[Row]]:
    for rows in pages:
        yield rows
        progress.advance(len(rows))


def _changed(graph: GraphClient, corpus: Corpus, ids: Sequence[str]) -> Iterator[list[Row]]:
    for some in batches(ids, CHUNKS_A_PAGE):
        yield graph.run("systems/serag/changed", corpus.label, read=True, ids=some, property=corpus.embedding_property)


def _chunks_of(rows: Sequence[Row]) -> ReadChunks:
    vectors = np.array([row["vector"] for row in rows], dtype=np.float32)
    return ReadChunks(
        ids=[row["id"] for row in rows],
        documents=[row["document"] for row in rows],
        places=np.array([row["seq"] for row in rows], dtype=np.int64),
        vectors=of_unit_length(vectors),
        entities=[tuple(map(sys.intern, row["entities"])) for row in rows],  # an id is in many rows
        known=np.array([row.get("known", False) for row in rows], dtype=np.bool_),
    )


def _taken(chunks: ReadChunks, places: Sequence[int]) -> ReadChunks:
    at = np.array(places, dtype=np.int64)
    return ReadChunks(
        ids=[chunks.ids[place] for place in places],
        documents=[chunks.documents[place] for place in places],
        places=chunks.places[at],
        vectors=chunks.vectors[at],
        entities=[chunks.entities[place] for place in places],
        known=np.ones(len(places), dtype=np.bool_),
    )


def _joined(parts: Sequence[ReadChunks], corpus: Corpus) -> ReadChunks:
    """The chunks of all parts, in order of id."""
    ids = [id_ for part in parts for id_ in part.ids]
    nothing = np.zeros((0, corpus.dimension), dtype=np.float32)
    joined = ReadChunks(
        ids=ids,
        documents=[document for part in parts for document in part.documents],
        places=np.concatenate([np.zeros(0, dtype=np.int64), *(part.places for part in parts)]),
        vectors=np.concatenate([nothing, *(part.vectors for part in parts)]),
        entities=[entities for part in parts for entities in part.entities],
        known=np.concatenate([np.zeros(0, dtype=np.bool_), *(part.known for part in parts)]),
    )
    order = sorted(range(len(ids)), key=ids.__getitem__)
    if order == list(range(len(ids))):
        return joined
    known = joined.known[np.array(order, dtype=np.int64)]
    ordered = _taken(joined, order)
    ordered.known[:] = known
    return ordered


class Weights(NamedTuple):
    """What an edge weighs in the fused graph and in that of meaning alone; None where it is not among the strongest
    there."""

    fused: float | None
    semantic: float | None = None


LinkWeights = dict[tuple[str, str], Weights]
"""The ids of two chunks, in the order in which their edge is stored, and its weights."""


def read_links(graph: GraphClient, corpus: Corpus) -> LinkWeights:
    """
    Raises:
        DatabaseError: as `GraphClient.stream`.
    """
    return {
        (row["one"], row["other"]): Weights(row["weight"], row["semantic_weight"])
        for row in graph.stream("systems/serag/links", corpus.label)
    }


def numbers_before(before: Sequence[str], now: ReadChunks) -> Ints:
    """Shape (n,): the place that each chunk had before, −1 for one that is new or changed."""
    place = {id_: number for number, id_ in enumerate(before)}
    return np.array(
        [place.get(id_, -1) if known else -1 for id_, known in zip(now.ids, now.known.tolist(), strict=True)],
        dtype=np.int64,
    )
