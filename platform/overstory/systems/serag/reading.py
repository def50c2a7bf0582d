"""What SeRAG reads of the graph: chunks with their vectors and entities, and the tree and edges that it wrote."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from overstory.entropy.compile import Flags, Ints
from overstory.graph import Corpus, GraphClient
from overstory.graph.client import Row
from overstory.protocols import Progress, Vectors
from overstory.systems.serag.layers import Mentioned

CHUNKS_A_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class ReadChunks:
    """All chunks of a corpus that have a vector, in order of id.

    Attributes:
        ids: n of them.
        documents: shape (n,), the document of each by number.
        places: shape (n,), its place in there.
        vectors: float32[n, d], of unit length.
        mentioned: the entities of each.
        known: shape (n,), whether the stored tree has it as it is now.
    """

    ids: list[str]
    documents: Ints
    places: Ints
    vectors: Vectors
    mentioned: Mentioned
    known: Flags


def read_chunks(graph: GraphClient, corpus: Corpus, progress: Progress) -> ReadChunks:
    """
    Raises:
        DatabaseError: as `GraphClient.run`.
    """
    ids: list[str] = []
    documents: list[int] = []
    places: list[int] = []
    known: list[bool] = []
    sizes: list[int] = []
    entities: list[int] = []
    blocks: list[Vectors] = []
    document_numbers: dict[str, int] = {}
    entity_numbers: dict[str, int] = {}
    for rows in _pages(graph, corpus):
        for row in rows:
            ids.append(row["id"])
            documents.append(document_numbers.setdefault(row["document"], len(document_numbers)))
            places.append(row["seq"])
            known.append(row["known"])
            sizes.append(len(row["entities"]))
            entities.extend(entity_numbers.setdefault(entity, len(entity_numbers)) for entity in row["entities"])
        blocks.append(np.array([row["vector"] for row in rows], dtype=np.float32))
        progress.advance(len(rows))
    starts = np.zeros(len(ids) + 1, dtype=np.int64)
    np.cumsum(sizes, out=starts[1:])
    return ReadChunks(
        ids=ids,
        documents=np.array(documents, dtype=np.int64),
        places=np.array(places, dtype=np.int64),
        vectors=_of_unit_length(blocks, corpus.dimension),
        mentioned=Mentioned(starts, np.array(entities, dtype=np.int32)),
        known=np.array(known, dtype=np.bool_),
    )


def _of_unit_length(blocks: list[Vectors], dimension: int) -> Vectors:
    vectors = np.concatenate(blocks) if blocks else np.zeros((0, dimension), dtype=np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= np.where(lengths > 0.0, lengths, 1.0)
    return vectors


def _pages(graph: GraphClient, corpus: Corpus) -> Iterator[list[Row]]:
    after = ""
    while rows := graph.run(
        "ingest/serag_chunks",
        corpus.label,
        read=True,
        after=after,
        property=corpus.embedding_property,
        limit=CHUNKS_A_PAGE,
    ):
        yield rows
        after = rows[-1]["id"]


@dataclass(frozen=True, slots=True)
class StoredNode:
    """A node of a tree as the graph has it; `parent` is "" for the root, `chunk` "" for a community."""

    parent: str
    level: int
    size: int
    volume: float
    cut: float
    chunk: str
    vector: bytes


def read_tree(graph: GraphClient, corpus: Corpus, tree: str, generation: int) -> dict[str, StoredNode]:
    """The nodes of a tree by id.

    Raises:
        DatabaseError: as `GraphClient.stream`.
    """
    return {
        row["id"]: StoredNode(
            parent=row["parent"] or "",
            level=row["level"],
            size=row["size"],
            volume=row["volume"],
            cut=row["cut"],
            chunk=row["chunk"] or "",
            vector=row["vector"] or b"",
        )
        for row in graph.stream("ingest/serag_tree", corpus.label, tree=tree, generation=generation)
    }


def read_links(graph: GraphClient, corpus: Corpus) -> dict[tuple[str, str], float]:
    """The stored edges: the ids of two chunks, in the order in which they are stored, and the weight.

    Raises:
        DatabaseError: as `GraphClient.stream`.
    """
    return {(row["one"], row["other"]): row["weight"] for row in graph.stream("ingest/serag_links", corpus.label)}
