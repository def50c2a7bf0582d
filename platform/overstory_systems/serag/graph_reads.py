"""SeRAG's reads from the graph: chunks with their vectors and entities, and the edges that it wrote."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from overstory.graph import Corpus, GraphClient
from overstory.graph.client import Row
from overstory.protocols import Progress, Vectors
from overstory.vectors.lengths import of_unit_length
from overstory_entropy.compile import Ints
from overstory_systems.serag.chunk_graph import Mentioned

SERAG_CHUNKS_A_PAGE = 1_000


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
        "systems/serag/chunks", corpus.label, size=SERAG_CHUNKS_A_PAGE, property=corpus.embedding_property
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


class Weights(NamedTuple):
    """What an edge weighs in the fused graph and in that of meaning alone; None where it is not among the strongest
    there."""

    fused: float | None
    semantic: float | None = None


LinkWeights = dict[tuple[str, str], Weights]
"""The ids of two chunks, in the order in which their edge is stored, and its weights."""


def read_links(graph: GraphClient, corpus: Corpus) -> LinkWeights:
    return {
        (row["one"], row["other"]): Weights(row["weight"], row["semantic_weight"])
        for row in graph.stream("systems/serag/links", corpus.label)
    }
