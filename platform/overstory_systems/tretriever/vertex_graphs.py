"""The graph under a tree: documents with their links, or entities with their relations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from overstory.display import counted
from overstory.graph import Corpus, GraphClient, batches
from overstory.llm.digests import digest_of
from overstory.model import HEAVIEST_LINK
from overstory.model.documents import Unit
from overstory.model.passage_text import without_boilerplate
from overstory.protocols import Progress, Vectors
from overstory.systems.entity_graph.by_rules import EntityGraph, read_entity_graph
from overstory.vectors.packed import of_unit_length
from overstory_systems.tretriever.settings import Vertices

if TYPE_CHECKING:
    from overstory_entropy import Graph  # importing it takes a second


Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class VertexGraph:
    """Vertices with vectors of their texts, and edges. Vertices are identified by their position.

    Attributes:
        unit: What a vertex represents.
        ids: Ids of the n documents or entities, ascending.
        sources: Digest of each vertex's text.
        vectors: float32[n, d], unit vectors. The row of a vertex without a vector is zero.
        ends: Shape (m, 2), positions of each edge's vertices, the lower one first. Edges are distinct and sorted.
        weights: Shape (m,), greater than 0.
        chunks: For each edge, the ids of the passages that state it, the most important first. Empty for links.
        edge_texts: For a relation, the sentence that states it; for links, their types and texts. May be "".
        turned: Shape (m,), True if an edge leads only from the higher position to the lower one.
    """

    unit: Unit
    ids: list[str]
    sources: list[str]
    vectors: Vectors
    ends: Ints
    weights: Floats
    chunks: Sequence[tuple[str, ...]]
    edge_texts: Sequence[str]
    turned: NDArray[np.bool_]

    def as_graph(self, *, weighted: bool = True) -> Graph:
        """Convert to the entropy engine's graph. Without `weighted`, every edge has weight 1, as in the paper."""
        from overstory_entropy import Graph

        weights = self.weights if weighted else np.ones(len(self.weights))
        return Graph.from_edges(len(self.ids), self.ends, weights)

    def edge_at(self, one: int, other: int) -> int:
        """Return the position of the edge between two vertices. `one` must be the lower position."""
        start, end = np.searchsorted(self.ends[:, 0], [one, one + 1]).tolist()
        return int(start + np.searchsorted(self.ends[start:end, 1], other))


class VertexText(NamedTuple):
    """The text of a vertex.

    Attributes:
        name: Title of the document, or name of the entity.
        text: Text without the leading name. May be "".
        chunks: Ids of the passages that contain the text.
    """

    name: str
    text: str
    chunks: tuple[str, ...]


VertexTexts = Callable[[Sequence[int]], list[VertexText]]
"""Reads the texts of vertices, given their positions."""


_TRETRIEVER_DOCUMENTS_A_PAGE = 200
_MOST_AVERAGED_PASSAGES = 50
"""Maximum number of passages, from the beginning of a document, whose mean is the document's vector."""
_TRETRIEVER_TEXTS_A_PAGE = 500
_LONGEST_DOCUMENT_CHARACTERS = 2_000
"""Maximum number of characters of a document that are used for summaries."""

VectorsOf = Callable[[Sequence[str]], Vectors]
"""Returns the vectors of n texts, float32[n, d]."""


@dataclass(frozen=True, slots=True)
class ReadGraph:
    """A graph, the texts of its vertices, and notes for the user.

    Attributes:
        embedded: Text of each vertex whose vector is stored as a derived vector. Empty for documents.
    """

    over: Vertices
    graph: VertexGraph
    texts: VertexTexts
    embedded: Sequence[str] = ()
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    notes: tuple[str, ...] = ()


def read_documents(graph: GraphClient, corpus: Corpus, progress: Progress) -> ReadGraph:
    """Read documents as vertices and their links as undirected edges. Vectors are means over passages."""
    ids: list[str] = []
    sources: list[str] = []
    vectors: list[Vectors] = []
    links: list[_VertexLink] = []
    long = 0
    pages = graph.pages(
        "systems/tretriever/documents",
        corpus.label,
        size=_TRETRIEVER_DOCUMENTS_A_PAGE,
        property=corpus.embedding_property,
        most=_MOST_AVERAGED_PASSAGES,
    )
    for rows in pages:
        for row in rows:
            ids.append(row["id"])
            sources.append(digest_of(row["sha256"], row["boilerplate"])[:32])
            vectors.append(_mean_vector(row["vectors"], corpus.dimension))
            links.extend(_VertexLink(row["id"], *link) for link in row["links"])
            long += row["chunks"] > _MOST_AVERAGED_PASSAGES
        progress.advance(len(rows))
    ends, weights, edge_texts, turned = _edges_of_links(ids, links)
    notes = (
        (f"for {counted(long, 'document')} only the first {_MOST_AVERAGED_PASSAGES} passages were used",)
        if long
        else ()
    )
    found = VertexGraph(
        "document",
        ids,
        sources,
        np.stack(vectors) if vectors else np.zeros((0, corpus.dimension), dtype=np.float32),
        ends,
        weights,
        [()] * len(ends),
        edge_texts,
        turned,
    )
    return ReadGraph("documents", found, _DocumentTexts(graph, corpus.label, ids), notes=notes)


def _mean_vector(vectors: Sequence[Sequence[float]], dimension: int) -> Vectors:
    """Return the mean as a unit vector, float32[d]; zeros if there are no vectors."""
    if not vectors:
        return np.zeros(dimension, dtype=np.float32)
    mean: Vectors = of_unit_length(np.array(vectors, dtype=np.float32).mean(axis=0, keepdims=True))[0]
    return mean


class _VertexLink(NamedTuple):
    source: str
    target: str
    weight: float
    type: str
    text: str


def _edges_of_links(
    ids: Sequence[str], links: Sequence[_VertexLink]
) -> tuple[Ints, Floats, list[str], NDArray[np.bool_]]:
    """Combine all links between the same two documents into one edge, and sum their weights.

    Returns ends (m, 2), weights (m,), texts, and True for edges that lead only from the higher position to the lower
    one. Links from a document to itself are skipped. The weight of a link is capped at `HEAVIEST_LINK`, because earlier
    versions did not enforce this limit.
    """
    place = {id_: number for number, id_ in enumerate(ids)}
    found = [
        (min(one, other), max(one, other), link)
        for link in links
        if (one := place[link.source]) != (other := place.get(link.target, -1)) and other >= 0 and link.weight > 0.0
    ]
    if not found:
        return np.zeros((0, 2), dtype=np.int64), np.zeros(0), [], np.zeros(0, dtype=np.bool_)
    keys = np.array([one * len(ids) + other for one, other, _ in found], dtype=np.int64)
    unique, which = np.unique(keys, return_inverse=True)
    weights = np.bincount(which, weights=[min(link.weight, HEAVIEST_LINK) for *_, link in found]).astype(np.float64)
    turned = np.ones(len(unique), dtype=np.bool_)
    turned[which[[place[link.source] == one for one, _, link in found]]] = False
    edge_texts: list[set[str]] = [set() for _ in unique]
    for at, (*_, link) in zip(which.tolist(), found, strict=True):
        edge_texts[at].add(f"{link.type}: {link.text}" if link.text else link.type)
    return (
        np.stack(np.divmod(unique, len(ids)), axis=1),
        weights,
        ["; ".join(sorted(each)) for each in edge_texts],
        turned,
    )


@dataclass(frozen=True, slots=True)
class _DocumentTexts:
    client: GraphClient
    label: str
    ids: Sequence[str]

    def __call__(self, places: Sequence[int]) -> list[VertexText]:
        found: dict[str, VertexText] = {}
        wanted = dict.fromkeys(self.ids[place] for place in places)
        for some in batches(wanted, _TRETRIEVER_TEXTS_A_PAGE):
            for row in self.client.run("systems/tretriever/document_texts", self.label, read=True, ids=some):
                found[row["id"]] = _document_text(row)
        return [found.get(self.ids[place], VertexText("", "", ())) for place in places]


def _document_text(row: Mapping[str, object]) -> VertexText:
    text, chunk = row["text"], row["chunk"]
    body = without_boilerplate(text, row["boilerplate"])[:_LONGEST_DOCUMENT_CHARACTERS] if isinstance(text, str) else ""  # type: ignore[arg-type]
    name = str(row["title"]) or str(row["key"])
    return VertexText(name, body.strip(), (str(chunk),) if chunk else ())


def read_entities(graph: GraphClient, corpus: Corpus, vectors_of: VectorsOf) -> ReadGraph:
    """Read entities with the vectors of their descriptions as vertices, and relations as edges."""
    found: EntityGraph = read_entity_graph(graph, corpus.label)
    entities = sorted(found.entities, key=lambda entity: entity.id)
    place = {entity.key: number for number, entity in enumerate(entities)}
    ends = np.array([(place[each.source], place[each.target]) for each in found.relations], dtype=np.int64)
    ends = np.sort(ends.reshape(-1, 2), axis=1)
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    weights = np.array([each.weight for each in found.relations], dtype=np.float64)
    embedded = [entity.embedded for entity in entities]
    read = VertexGraph(
        "entity",
        [entity.id for entity in entities],
        [digest_of(each.name, each.description, *each.chunks)[:32] for each in entities],
        of_unit_length(vectors_of(embedded)),
        ends[order],
        weights[order],
        [found.relations[at].chunks for at in order.tolist()],
        [found.relations[at].description for at in order.tolist()],
        np.zeros(len(order), dtype=np.bool_),
    )

    def texts(places: Sequence[int]) -> list[VertexText]:
        chosen = (entities[at] for at in places)
        return [VertexText(each.name, each.description, each.chunks) for each in chosen]

    return ReadGraph("entities", read, texts, embedded, found.counts, found.notes)
