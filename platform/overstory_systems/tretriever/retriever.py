"""T-Retriever's retriever: finds sets of vertices near the question, on all levels, and the subgraph that they form."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from overstory.display import counted, shortened
from overstory.graph import Corpus, Transaction, schema
from overstory.graph.client import Row
from overstory.graph.generations import slot_of
from overstory.model import Evidence, Reason, ShareKind
from overstory.model.documents import PLURAL, SINGULAR, Unit
from overstory.protocols import Vectors, question_vectors
from overstory.retrieve.hits import (
    LONGEST_REASON_TITLE_CHARACTERS,
    NEAREST,
    best_of,
    chunk_rows,
    hits_by_cosine,
    listed,
    ranked_hits,
    sources_of,
)
from overstory.retrieve.question import read_question
from overstory.retrieve.vector_search import nearest_chunk_cosines, with_index
from overstory.systems.state import IndexState, require_state
from overstory.systems.system_retriever import SystemRetriever
from overstory.systems.vector_indexes import SCANNED
from overstory.text.questions.asked_words import AskedWords
from overstory_systems.tretriever.names import NODE
from overstory_systems.tretriever.parts import (
    PASSAGES_OF_A_SUMMARY,
    FoundEdge,
    FoundSet,
    Member,
    SearchedPassages,
    Subgraph,
    SubgraphEdge,
    SubgraphPart,
    SubgraphVertex,
    divided,
    subgraph_parts,
)
from overstory_systems.tretriever.settings import TRetrieverIndexSettings, TRetrieverRetrieverSettings

_NODE_SEARCH_DEPTH = 100
"""Number of nodes requested from the vector index, so that the best few are exact (`retrieve.vector_search`)."""
_NODES_FOR_A_SUBGRAPH = 5
"""Number of nodes requested per subgraph, because some may be sets when only single vertices are searched."""
_LEAVES_OF_A_SET = 1_000
"""Maximum number of a set's vertices that are compared with the question."""
_MOST_SUBGRAPH_VERTICES = 300
"""Maximum number of vertices of all sets together."""
PASSAGES: Mapping[Unit, int] = {"document": 32, "entity": 5}
"""Maximum number of passages of a document that are compared; for an entity, number of passages of each kind."""
_SUBGRAPH_PASSAGES_OF_ONE = 2
"""Number of passages of a vertex or edge that are returned."""
_EDGES_TRIED_OF_A_VERTEX = 5_000
"""Maximum number of edges of a vertex that are examined."""
_MOST_SUBGRAPH_EDGES = 200
"""Maximum number of edges between the vertices that are returned. The strongest are selected."""
READERS: Mapping[Unit, str] = {
    "document": "systems/tretriever/subgraph_of_documents",
    "entity": "systems/tretriever/subgraph_of_entities",
}


@dataclass(frozen=True, slots=True)
class NearestSets:
    """The tree nodes nearest to the question.

    Attributes:
        unit: What the vertices represent.
        sets: The nodes, the nearest first.
    """

    unit: Unit
    sets: Sequence[FoundSet]

    @property
    def cosines(self) -> dict[str, float]:
        """Cosines between vertices and the question, by document or entity id."""
        return {member.id: member.cosine for each in self.sets for member in each.members}

    @property
    def names(self) -> dict[str, str]:
        return {member.id: member.name for each in self.sets for member in each.members}


@dataclass(frozen=True, slots=True)
class VertexDetails:
    """Passages of vertices, and the edges between the vertices.

    Attributes:
        passages: Ids of the passages about each vertex, the best first, by vertex id. Deleted vertices are missing.
        edges: Edges between the vertices, the strongest first.
        cosines: Cosines between passages and the question. Passages without a vector are missing.
    """

    passages: Mapping[str, Sequence[str]] = field(default_factory=dict[str, "Sequence[str]"])
    edges: Sequence[FoundEdge] = ()
    cosines: Mapping[str, float] = field(default_factory=dict[str, float])


@dataclass(slots=True)
class SubgraphSearch:
    """The search for one question in one transaction. Nodes that are deleted between two statements are skipped.

    Attributes:
        vector: Vector of the question.
        notes: Notes on searches and limits.
    """

    tx: Transaction
    corpus: Corpus
    state: IndexState[TRetrieverIndexSettings]
    vector: Vectors
    notes: list[str] = field(default_factory=list[str])

    def nearest(self, settings: TRetrieverRetrieverSettings) -> NearestSets:
        """Return the nodes of all levels nearest to the question (Eq. 12), with the best vertices of each."""
        generation = self.state.generation
        scanned = NODE in self.state.details.get(SCANNED, ())
        searched = with_index(
            self.tx,
            self.corpus,
            "systems/tretriever/nearest",
            index="" if scanned else schema.derived_index(self.corpus.label, NODE, slot_of(generation)),
            depth=max(_NODE_SEARCH_DEPTH, _NODES_FOR_A_SUBGRAPH * settings.subgraphs),
            parameters={
                "vector": self.vector.tolist(),
                "limit": settings.subgraphs,
                "sets": settings.sets,
                "neighbours": settings.neighbours,
                "generation": generation,
                "leaves": _LEAVES_OF_A_SET,
                "vertices": settings.vertices,
                "most": PASSAGES_OF_A_SUMMARY,
            },
        )
        self.notes += searched.notes
        (row,) = searched.rows
        unit: Unit = "entity" if self.state.details.get("over") == "entities" else "document"
        found = NearestSets(unit, [_found_set(each) for each in row["found"]])
        self._note_incomplete_sets(found)
        return found

    def read(self, found: NearestSets) -> VertexDetails:
        """Read the passages of the vertices, and the edges between them (Eq. 13)."""
        ids = list(found.cosines)
        if len(ids) > _MOST_SUBGRAPH_VERTICES:
            self.notes.append(
                f"{_MOST_SUBGRAPH_VERTICES:,} of {len(ids):,} {PLURAL[found.unit]} of the subgraphs were read"
            )
        parameters: Row = {
            "asked": {"ids": ids[:_MOST_SUBGRAPH_VERTICES]},
            "vector": self.vector.tolist(),
            "property": self.corpus.embedding_property,
            "passages": PASSAGES[found.unit],
            "most": _SUBGRAPH_PASSAGES_OF_ONE,
            "tried": _EDGES_TRIED_OF_A_VERTEX,
            "edges": _MOST_SUBGRAPH_EDGES,
        }
        if found.unit == "entity":
            parameters["generation"] = self.state.generation
        (row,) = self.tx.run(READERS[found.unit], self.corpus.label, **parameters)
        if capped := sum(capped for _, capped, _ in row["vertices"]):
            units = counted(capped, SINGULAR[found.unit], PLURAL[found.unit])
            self.notes.append(f"some passages or edges of {units} were not read: there are too many")
        if len(row["edges"]) == _MOST_SUBGRAPH_EDGES:
            self.notes.append(f"only the {_MOST_SUBGRAPH_EDGES:,} strongest edges of the subgraphs were read")
        edges = row["edges"]
        stated = (one for *_, chunks in (*row["vertices"], *edges) for one in chunks)
        return VertexDetails(
            {id_: [chunk for chunk, _ in chunks] for id_, _, chunks in row["vertices"]},
            [
                FoundEdge(source, target, type_, text, weight, tuple(chunk for chunk, _ in chunks))
                for source, target, type_, text, weight, chunks in edges
                if chunks or found.unit == "document"
            ],
            {chunk: cosine for chunk, cosine in stated if cosine is not None},
        )

    def _note_incomplete_sets(self, found: NearestSets) -> None:
        capped = [each for each in found.sets if each.seen >= _LEAVES_OF_A_SET and each.size > _LEAVES_OF_A_SET]
        if capped:
            which = f"{len(capped)} of the {len(found.sets)} subgraphs"
            self.notes.append(f"in {which}, only {_LEAVES_OF_A_SET:,} {PLURAL[found.unit]} each were compared")
        without_summary = sum(each.is_set and not each.title for each in found.sets)
        if without_summary:
            self.notes.append(
                f"{without_summary} of the {len(found.sets)} subgraphs lost their summaries with a deleted passage: "
                "run overstory index to write new ones"
            )


def _found_set(values: Sequence[Any]) -> FoundSet:
    id_, is_set, level, size, cosine, title, summary, chunks, seen, members = values
    return FoundSet(id_, is_set, level, size, cosine, title, summary, chunks, seen, [Member(*each) for each in members])


_PASSAGES_OF_A_VERTEX = 2
"""Number of a vertex's most important passages that count."""
_NEIGHBOUR_WEIGHT = 0.2  # weight of statements about neighbours of near vertices
_NEAR_SET_WEIGHT = 0.2
"""Weight of statements about near sets. The passage's own cosine has weight 1. Statements about a near vertex itself
add nothing (docs/tretriever.md)."""


class SubgraphStatement(NamedTuple):
    """A statement that passages make about a subgraph.

    Attributes:
        kind: "edge" for a neighbour of a vertex near the question, "set" for a member of a set near the question.
        what: Name of the neighbour, or title of the set.
        near_vertex: For an edge, the name of the near vertex.
        relevance: Relevance to the question, from 0 to 1.
        chunks: Ids of the passages, the most important first.
    """

    kind: Literal["edge", "set"]
    what: str
    near_vertex: str
    relevance: float
    chunks: Sequence[str]


@dataclass(frozen=True, slots=True)
class SubgraphScore:
    """The terms of a passage's score: its cosine, and the most relevant statement of each kind, or None."""

    cosine: float
    edge: SubgraphStatement | None = None
    set: SubgraphStatement | None = None

    @property
    def by_edge(self) -> float:
        return _NEIGHBOUR_WEIGHT * self.edge.relevance if self.edge else 0.0

    @property
    def by_set(self) -> float:
        return _NEAR_SET_WEIGHT * self.set.relevance if self.set else 0.0

    @property
    def total(self) -> float:
        return self.cosine + self.by_edge + self.by_set


def relevance(cosines: Mapping[str, float]) -> dict[str, float]:
    """Scale cosines linearly to the range 0 to 1. If all cosines are equal, each becomes 1.

    All cosines with a question are similar, and only their differences are informative.
    """
    if not cosines:
        return {}
    best, least = max(cosines.values()), min(cosines.values())
    width = best - least
    return {id_: (cosine - least) / width if width > 0.0 else 1.0 for id_, cosine in cosines.items()}


def scores(cosines: Mapping[str, float], statements: Iterable[SubgraphStatement]) -> dict[str, SubgraphScore]:
    """Score each passage in `cosines`."""
    found: dict[str, dict[str, SubgraphStatement]] = {}
    for each in sorted(statements, key=lambda one: (-one.relevance, one.what, one.near_vertex)):
        for chunk in each.chunks if each.relevance > 0.0 else ():
            found.setdefault(chunk, {}).setdefault(each.kind, each)
    return {id_: SubgraphScore(cosine, **found.get(id_, {})) for id_, cosine in cosines.items()}


SHARES: Mapping[ShareKind, float] = {"subgraph": 0.6, "passage": 0.4}
"""Fractions of the context by kind of part."""
_TRETRIEVER_NEAREST_CHUNKS = 20
"""Minimum number of nearest passages that are ranked together with the subgraphs' passages."""

NOTHING_MATCHED = "the T-Retriever index has no subgraphs: the passages nearest in meaning are returned"


class TRetrieverRetriever(SystemRetriever[TRetrieverIndexSettings, TRetrieverRetrieverSettings]):
    """Retrieves subgraphs near the question, and the passages about them.

    The subgraphs are returned as text. There is no graph neural network (Eq. 14 and 15).

    Source: T-Retriever paper, Eq. 11 to 13.
    """

    def retrieve(self, question: str, k: int) -> Evidence:
        asked = read_question(question)
        vector: Vectors = question_vectors(self._context.embedder, [asked.text])[0]

        def query(tx: Transaction, corpus: Corpus) -> Evidence:
            state = require_state(self._system, corpus)
            asking = SubgraphSearch(tx, corpus, state, vector)
            found = self._found(asking, question, k)
            return replace(found, notes=(*asked.notes, *self._stale.of(tx, corpus, state), *asking.notes))

        return self._query(query)

    def _found(self, asking: SubgraphSearch, question: str, k: int) -> Evidence:
        """Return the evidence, but without notes."""
        found = asking.nearest(self._settings)
        if not found.sets:
            asking.notes.append(NOTHING_MATCHED)
            cosines = nearest_chunk_cosines(asking.tx, asking.corpus, asking.vector, k, asking.notes)
            return Evidence(question, self.name, hits_by_cosine(chunk_rows(asking.tx, asking.corpus, cosines), cosines))
        read = asking.read(found)
        subgraphs = divided(found.sets, read.edges, AskedWords.of(question))
        limit = max(k, _TRETRIEVER_NEAREST_CHUNKS)
        nearest = nearest_chunk_cosines(asking.tx, asking.corpus, asking.vector, limit, asking.notes)
        ranked = scores({**read.cosines, **nearest}, _statements(found, read))
        kept = best_of({id_: score.total for id_, score in ranked.items()}, k)
        rows = chunk_rows(asking.tx, asking.corpus, [*kept, *_shown(subgraphs, read)])
        parts = _parts(subgraphs, found, read, rows)
        hits = ranked_hits(
            rows, {id_: ranked[id_].total for id_ in kept}, lambda id_: _reasons(ranked[id_], found.unit)
        )
        sources = sources_of(parts, hits, rows)
        return Evidence(question, self.name, hits, parts=tuple(parts), sources=sources, shares=SHARES)


def _statements(found: NearestSets, read: VertexDetails) -> Iterator[SubgraphStatement]:
    """Yield the statements of passages about neighbours of near vertices, and about near sets."""
    names = found.names
    near = relevance(found.cosines)
    of_sets = relevance({each.id: each.cosine for each in found.sets})
    ways = [(end, other, edge) for edge in read.edges for end, other in (edge.ends, edge.ends[::-1])]
    strongest: dict[str, float] = {}
    for near_vertex, _, edge in ways:
        strongest[near_vertex] = max(edge.weight, strongest.get(near_vertex, 0.0))
    for near_vertex, other, edge in ways:
        value = near[near_vertex] * math.sqrt(edge.weight / strongest[near_vertex])
        chunks = (*edge.chunks, *read.passages.get(other, ())[:_PASSAGES_OF_A_VERTEX])
        yield SubgraphStatement("edge", names[other], names[near_vertex], value, chunks)
    for each in found.sets:
        if each.size > 1:
            what = each.heading if each.is_set else f"the neighbourhood of {each.heading}"
            for member in each.members:
                yield SubgraphStatement(
                    "set", what, "", of_sets[each.id], read.passages.get(member.id, ())[:_PASSAGES_OF_A_VERTEX]
                )


def _shown(subgraphs: Sequence[Subgraph], read: VertexDetails) -> Iterator[str]:
    """Yield the ids of the passages that parts may cite."""
    for each in subgraphs:
        for member in each.members:
            yield from read.passages.get(member.id, ())[:1]
        for edge in each.edges:
            yield from edge.chunks
        yield from each.of.chunks


def _parts(
    subgraphs: Sequence[Subgraph], found: NearestSets, read: VertexDetails, rows: Mapping[str, Row]
) -> list[SubgraphPart]:
    documents = {id_: row["document_id"] for id_, row in rows.items()}
    passages = SearchedPassages(rows)
    vertices = {
        member.id: _vertex(member.id, member.name, read.passages[member.id], passages, found.unit)
        for each in subgraphs
        for member in each.members
        if member.id in read.passages
    }
    edges = {
        edge: _edge(edge, vertices, passages)
        for each in subgraphs
        for edge in each.edges
        if edge.source in vertices and edge.target in vertices
    }
    return list(subgraph_parts(subgraphs, vertices, edges, documents, found.unit))


def _vertex(id_: str, name: str, chunks: Sequence[str], passages: SearchedPassages, unit: Unit) -> SubgraphVertex:
    there = next((chunk for chunk in chunks if chunk in passages.rows), None)
    if there is None:
        return SubgraphVertex(id_, name, "", ())
    text = passages.beginning(there) if unit == "document" else passages.on(name, there)
    return SubgraphVertex(id_, name, text, (there,))


def _edge(edge: FoundEdge, vertices: Mapping[str, SubgraphVertex], passages: SearchedPassages) -> SubgraphEdge:
    source, target = vertices[edge.source].name, vertices[edge.target].name
    text, chunk = passages.between(source, target, edge.chunks) if edge.chunks else (edge.text, "")
    chunks = (chunk,) if chunk else ()
    return SubgraphEdge(edge.source, edge.target, source, target, edge.type, text, chunks)


def _reasons(score: SubgraphScore, unit: Unit) -> Iterator[Reason]:
    plain = not (score.edge or score.set)
    yield Reason("dense", score.cosine, "cosine similarity to the question", NEAREST if plain else "")
    is_on = "is from" if unit == "document" else "mentions"
    if score.edge:
        clause = f"{is_on} {listed([score.edge.what])}, linked with {listed([score.edge.near_vertex])}"
        yield Reason("edge", score.by_edge, f"relevance {score.edge.relevance:.3f}", clause)
    if score.set:
        clause = (
            f"belongs to {shortened(score.set.what, LONGEST_REASON_TITLE_CHARACTERS)}, close in meaning to the question"
        )
        yield Reason("set", score.by_set, f"relevance {score.set.relevance:.3f}", clause)
