"""SeRAG's reads from the graph: chunks with their vectors and entities, and the edges that it wrote."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from overstory.graph import Corpus, GraphClient, batches
from overstory.graph.client import Row
from overstory.protocols import Progress, Vectors
from overstory.vectors.lengths import of_unit_length
from overstory_entropy.compile import Floats, Ints
from overstory_systems.serag.chunk_graph import Mentioned

_SERAG_CHUNKS_A_PAGE = 1_000
_LINKS_READ_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class ReadChunks:
    """All chunks of a corpus that have a vector, in order of id.

    Attributes:
        ids: n of them.
        documents: the document of each.
        places: shape (n,), its place in there.
        vectors: float32[n, d], of unit length.
        entities: the ids of those that each mentions.
    """

    ids: list[str]
    documents: list[str]
    places: Ints
    vectors: Vectors
    entities: list[tuple[str, ...]]

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


def read_chunks(graph: GraphClient, corpus: Corpus, progress: Progress) -> ReadChunks:
    pages = graph.pages(
        "systems/serag/chunks", corpus.label, size=_SERAG_CHUNKS_A_PAGE, property=corpus.embedding_property
    )
    return _joined([_chunks_of(rows) for rows in _advancing(pages, progress)], corpus)


def _advancing(pages: Iterator[list[Row]], progress: Progress) -> Iterator[list[Row]]:
    for rows in pages:
        yield rows
        progress.advance(len(rows))


def _chunks_of(rows: Sequence[Row]) -> ReadChunks:
    vectors = np.array([row["vector"] for row in rows], dtype=np.float32)
    return ReadChunks(
        ids=[row["id"] for row in rows],
        documents=[row["document"] for row in rows],
        places=np.array([row["seq"] for row in rows], dtype=np.int64),
        vectors=of_unit_length(vectors),
        entities=[tuple(map(sys.intern, row["entities"])) for row in rows],  # an id is in many rows
    )


def _joined(parts: Sequence[ReadChunks], corpus: Corpus) -> ReadChunks:
    nothing = np.zeros((0, corpus.dimension), dtype=np.float32)
    return ReadChunks(
        ids=[id_ for part in parts for id_ in part.ids],
        documents=[document for part in parts for document in part.documents],
        places=np.concatenate([np.zeros(0, dtype=np.int64), *(part.places for part in parts)]),
        vectors=np.concatenate([nothing, *(part.vectors for part in parts)]),
        entities=[entities for part in parts for entities in part.entities],
    )


@dataclass(frozen=True, slots=True)
class StoredLinks:
    """The stored edges, as arrays: as Python's objects a million of them take .4 GB.

    Attributes:
        ends: shape (edges, 2), their chunks by number, in the order in which each is stored.
        weights: float64[edges, 2], in the fused graph and in that of meaning alone, NaN where an edge is not among the
            strongest there.
        others: the ids of the two chunks of each edge of a chunk that has no number.
    """

    ends: Ints
    weights: Floats
    others: list[tuple[str, str]]


def read_links(graph: GraphClient, corpus: Corpus, ids: Sequence[str]) -> StoredLinks:
    """The edges that are stored now.

    Args:
        ids: of the chunks, whose places here are their numbers.
    """
    number = {id_: place for place, id_ in enumerate(ids)}
    ends, weights = [np.zeros((0, 2), dtype=np.int64)], [np.zeros((0, 2))]
    others: list[tuple[str, str]] = []
    for rows in batches(graph.stream("systems/serag/links", corpus.label), _LINKS_READ_AT_ONCE):
        places = np.array([(number.get(row["one"], -1), number.get(row["other"], -1)) for row in rows], dtype=np.int64)
        both = np.array([(row["weight"], row["semantic_weight"]) for row in rows], dtype=np.float64)  # NaN for None
        known = (places >= 0).all(axis=1)
        ends.append(places[known])
        weights.append(both[known])
        others += [(rows[place]["one"], rows[place]["other"]) for place in np.flatnonzero(~known)]
    return StoredLinks(np.concatenate(ends), np.concatenate(weights), others)
