"""T-Retriever's retriever: sets of vertices near the question, of all sizes alike, and the graph that they make up."""

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
"""Nodes that the vector index is asked for, so that the best few are right (`retrieve.vector_search`)."""
_NODES_FOR_A_SUBGRAPH = 5
"""Nodes asked for, for each that is wanted: where single vertices are, sets are among the nodes."""
_LEAVES_OF_A_SET = 1_000
"""Vertices of a set that are looked at."""
_MOST_SUBGRAPH_VERTICES = 300
"""Of all sets."""
PASSAGES: Mapping[Unit, int] = {"document": 32, "entity": 5}
"""Of a document that are looked at; of an entity, those of each kind."""
_SUBGRAPH_PASSAGES_OF_ONE = 2
"""Of a vertex or an edge."""
_EDGES_TRIED_OF_A_VERTEX = 5_000
"""Edges of a vertex that are looked at."""
_MOST_SUBGRAPH_EDGES = 200
"""The strongest between the vertices."""
READERS: Mapping[Unit, str] = {
    "document": "systems/tretriever/subgraph_of_documents",
    "entity": "systems/tretriever/subgraph_of_entities",
}


@dataclass(frozen=True, slots=True)
class NearestSets:
    """The nodes of the tree nearest to the question.

    Attributes:
        unit: what a vertex is.
        sets: the nearest first.
    """

    unit: Unit
    sets: Sequence[FoundSet]

    @property
    def cosines(self) -> dict[str, float]:
        """Of the vertices to the question, by the ids of what they are."""
        return {member.id: member.cosine for each in self.sets for member in each.members}

    @property
    def names(self) -> dict[str, str]:
        return {member.id: member.name for each in self.sets for member in each.members}


@dataclass(frozen=True, slots=True)
class VertexDetails:
    """Passages of vertices, and the edges between these.

    Attributes:
        passages: by the id of a vertex those that say something of it, the best first; a vertex that was deleted
            meanwhile is not there.
        edges: those between the vertices, the strongest first.
        cosines: of passages to the question; without those that have no vector.
    """

    passages: Mapping[str, Sequence[str]] = field(default_factory=dict[str, "Sequence[str]"])
    edges: Sequence[FoundEdge] = ()
    cosines: Mapping[str, float] = field(default_factory=dict[str, float])


@dataclass(slots=True)
class SubgraphSearch:
    """One question in its transaction. Nodes may be gone between two statements: then less is found.

    Attributes:
        vector: the question's.
        notes: on searches, and on what was not looked at.
    """

    tx: Transaction
    corpus: Corpus
    state: IndexState[TRetrieverIndexSettings]
    vector: Vectors
    notes: list[str] = field(default_factory=list[str])

    def nearest(self, settings: TRetrieverRetrieverSettings) -> NearestSets:
        """The nodes of all levels nearest to the question (Eq. 12), with the best vertices of each."""
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
            self.notes.append(f"of {units} some passages or edges were not looked at: there are too many")
        if len(row["edges"]) == _MOST_SUBGRAPH_EDGES:
            self.notes.append(f"the {_MOST_SUBGRAPH_EDGES:,} strongest edges of the subgraphs were read")
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
            self.notes.append(f"of {which}, {_LEAVES_OF_A_SET:,} {PLURAL[found.unit]} each were looked at, not all")
        without_summary = sum(each.is_set and not each.title for each in found.sets)
        if without_summary:
            self.notes.append(
                f"{without_summary} of the {len(found.sets)} subgraphs lost their summaries with a passage: "
                "the next run of overstory index writes new ones"
            )


def _found_set(values: Sequence[Any]) -> FoundSet:
    id_, is_set, level, size, cosine, title, summary, chunks, seen, members = values
    return FoundSet(id_, is_set, level, size, cosine, title, summary, chunks, seen, [Member(*each) for each in members])


_PASSAGES_OF_A_VERTEX = 2
"""Passages of a vertex that count: those that say most about it."""
_NEIGHBOUR_WEIGHT = 0.2  # of being on the neighbour of a vertex near the question
_NEAR_SET_WEIGHT = 0.2
"""Weights of being on the neighbour of a vertex near the question, and in a set near it; that of a passage's own cosine
is 1. Being on a near vertex itself brings nothing more: what was tried stands in docs/tretriever.md."""


class SubgraphStatement(NamedTuple):
    """A statement that passages make about the subgraphs.

    Attributes:
        kind: "edge" if it is beside a vertex near the question, "set" if it is in a set near it.
        what: the name of the vertex, or the title of the set.
        beside: of an edge, the name of the near vertex.
        relevance: to the question, from 0 to 1.
        chunks: ids, the most important first.
    """

    kind: Literal["edge", "set"]
    what: str
    near_vertex: str
    relevance: float
    chunks: Sequence[str]


@dataclass(frozen=True, slots=True)
class SubgraphScore:
    """The parts of a passage's score: of each kind the most relevant statement, None where it makes none."""

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
    """From 1 for the nearest to 0 for the farthest; 1 for all where they are equally near. All cosines to a question
    are much alike, and only their differences say something."""
    if not cosines:
        return {}
    best, least = max(cosines.values()), min(cosines.values())
    width = best - least
    return {id_: (cosine - least) / width if width > 0.0 else 1.0 for id_, cosine in cosines.items()}


def scores(cosines: Mapping[str, float], statements: Iterable[SubgraphStatement]) -> dict[str, SubgraphScore]:
    """The score of each passage that has a cosine."""
    found: dict[str, dict[str, SubgraphStatement]] = {}
    for each in sorted(statements, key=lambda one: (-one.relevance, one.what, one.near_vertex)):
        for chunk in each.chunks if each.relevance > 0.0 else ():
            found.setdefault(chunk, {}).setdefault(each.kind, each)
    return {id_: SubgraphScore(cosine, **found.get(id_, {})) for id_, cosine in cosines.items()}


SHARES: Mapping[ShareKind, float] = {"subgraph": 0.6, "passage": 0.4}
"""Of a context."""
_TRETRIEVER_NEAREST_CHUNKS = 20
"""Passages near the question that are ranked along with those of the subgraphs, where no more are asked for."""

NOTHING_MATCHED = "the T-Retriever index has no subgraph: these are the passages nearest to the question in meaning"


class TRetrieverRetriever(SystemRetriever[TRetrieverIndexSettings, TRetrieverRetrieverSettings]):
    """The union of the subgraphs near the question, and the passages that say something of it.

    Source: T-Retriever, Eq. 11 to 13. The subgraph becomes text; there is no graph neural network (Eq. 14 and 15).
    """

    def retrieve(self, question: str, k: int) -> Evidence:
        """The `k` best chunks, and the subgraphs."""
        asked = read_question(question)
        vector: Vectors = question_vectors(self._context.embedder, [asked.text])[0]

        def query(tx: Transaction, corpus: Corpus) -> Evidence:
            state = require_state(self._system, corpus)
            asking = SubgraphSearch(tx, corpus, state, vector)
            found = self._found(asking, question, k)
            return replace(found, notes=(*asked.notes, *self._stale.of(tx, corpus, state), *asking.notes))

        return self._query(query)

    def _found(self, asking: SubgraphSearch, question: str, k: int) -> Evidence:
        """The evidence, without notes."""
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
    """Statements of passages about neighbours of near vertices, and about sets."""
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
    """The passages that parts may carry."""
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
    is_on = "is from" if unit == "document" else "says something of"
    if score.edge:
        clause = f"{is_on} {listed([score.edge.what])}, linked with {listed([score.edge.near_vertex])}"
        yield Reason("edge", score.by_edge, f"relevance {score.edge.relevance:.3f}", clause)
    if score.set:
        clause = (
            f"belongs to {shortened(score.set.what, LONGEST_REASON_TITLE_CHARACTERS)}, close in meaning to the question"
        )
        yield Reason("set", score.by_set, f"relevance {score.set.relevance:.3f}", clause)
