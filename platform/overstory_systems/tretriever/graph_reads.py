"""Reads the graph that a tree is built over: documents with their links, or entities with their relations."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from overstory.display import counted
from overstory.graph import Corpus, GraphClient, batches
from overstory.graph.client import Row
from overstory.model import HEAVIEST_LINK
from overstory.model.boilerplate import without_boilerplate
from overstory.protocols import Progress, Vectors
from overstory.systems.entity_graph.by_rules import EntityGraph, read_entity_graph
from overstory.vectors.packed import of_unit_length
from overstory_systems.tretriever.index_settings import Vertices
from overstory_systems.tretriever.vertex_graph import Floats, Ints, VertexGraph, VertexText, VertexTexts

_TRETRIEVER_DOCUMENTS_A_PAGE = 200
MOST_AVERAGED_PASSAGES = 50
"""Of a document, that its vector is the mean of: the first ones."""
_TRETRIEVER_TEXTS_A_PAGE = 500
_LONGEST_DOCUMENT_CHARACTERS = 2_000
"""Characters of a document that summaries are made of."""

VectorsOf = Callable[[Sequence[str]], Vectors]
"""float32[n, d] of n texts."""


@dataclass(frozen=True, slots=True)
class ReadGraph:
    """The graph, what its vertices say, and what the user should know of it.

    Attributes:
        embedded: the text of each vertex whose vector is stored as that of a derived text; none over documents.
    """

    over: Vertices
    graph: VertexGraph
    texts: VertexTexts
    embedded: Sequence[str] = ()
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    notes: tuple[str, ...] = ()


def read_documents(graph: GraphClient, corpus: Corpus, progress: Progress) -> ReadGraph:
    """Documents with the mean vectors of their passages, and links in either direction as edges."""
    ids: list[str] = []
    sources: list[str] = []
    vectors: list[Vectors] = []
    links: list[VertexLink] = []
    long = 0
    pages = graph.pages(
        "systems/tretriever/documents",
        corpus.label,
        size=_TRETRIEVER_DOCUMENTS_A_PAGE,
        property=corpus.embedding_property,
        most=MOST_AVERAGED_PASSAGES,
    )
    for rows in pages:
        for row in rows:
            ids.append(row["id"])
            sources.append(document_source(row))
            vectors.append(mean_vector(row["vectors"], corpus.dimension))
            links.extend(VertexLink(row["id"], *link) for link in row["links"])
            long += row["chunks"] > MOST_AVERAGED_PASSAGES
        progress.advance(len(rows))
    ends, weights, says, turned = edges_of_links(ids, links)
    notes = (
        (f"of {counted(long, 'document')} the first {MOST_AVERAGED_PASSAGES} passages stand for the whole",)
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
        says,
        turned,
    )
    return ReadGraph("documents", found, DocumentTexts(graph, corpus.label, ids), notes=notes)


def document_source(row: Row) -> str:
    """A digest of what a document says, by a row of `systems/tretriever/documents`."""
    return hashlib.sha256(repr((row["sha256"], row["boilerplate"])).encode()).hexdigest()[:32]


def mean_vector(vectors: Sequence[Sequence[float]], dimension: int) -> Vectors:
    """float32[d] of unit length; zeros where there is none."""
    if not vectors:
        return np.zeros(dimension, dtype=np.float32)
    mean: Vectors = of_unit_length(np.array(vectors, dtype=np.float32).mean(axis=0, keepdims=True))[0]
    return mean


class VertexLink(NamedTuple):
    """A link between two documents, by their ids."""

    source: str
    target: str
    weight: float
    type: str
    text: str


def edges_of_links(
    ids: Sequence[str], links: Sequence[VertexLink]
) -> tuple[Ints, Floats, list[str], NDArray[np.bool_]]:
    """Ends (m, 2), weights (m,), texts, and whether all lead from the higher place to the lower: links between the
    same two summed up, those from a document to itself left out. None counts as heavier than `HEAVIEST_LINK`: versions
    before had no such limit."""
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
    says: list[set[str]] = [set() for _ in unique]
    for at, (*_, link) in zip(which.tolist(), found, strict=True):
        says[at].add(f"{link.type}: {link.text}" if link.text else link.type)
    return np.stack(np.divmod(unique, len(ids)), axis=1), weights, ["; ".join(sorted(each)) for each in says], turned


@dataclass(frozen=True, slots=True)
class DocumentTexts:
    """The title and the beginning of documents."""

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
    said = without_boilerplate(text, row["boilerplate"])[:_LONGEST_DOCUMENT_CHARACTERS] if isinstance(text, str) else ""  # type: ignore[arg-type]
    name = str(row["title"]) or str(row["key"])
    return VertexText(name, said.strip(), (str(chunk),) if chunk else ())


def read_entities(graph: GraphClient, corpus: Corpus, vectors_of: VectorsOf) -> ReadGraph:
    """Entities with the vectors of their descriptions, and relations as edges.

    Args:
        vectors_of: float32[n, d] of n texts.
    """
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
        [entity.source for entity in entities],
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
