"""One question in its transaction: what T-Retriever's index and the corpus say to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from overstory.display import counted
from overstory.graph import Corpus, Transaction, schema
from overstory.graph.client import Row
from overstory.graph.generations import slot_of
from overstory.model.documents import PLURAL, SINGULAR, Unit
from overstory.protocols import Vectors
from overstory.retrieve.vector_search import nearest_chunks, with_index
from overstory.systems.state import IndexState
from overstory.systems.vector_indexes import SCANNED
from overstory_systems.tretriever.index_settings import TRetrieverIndexSettings
from overstory_systems.tretriever.names import NODE
from overstory_systems.tretriever.parts import PASSAGES_OF_A_SUMMARY, FoundEdge, FoundSet, Member
from overstory_systems.tretriever.retriever_settings import TRetrieverRetrieverSettings

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
    """What is known of vertices.

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
        self._tell_of_sets(found)
        return found

    def read(self, found: NearestSets) -> VertexDetails:
        """What is said of the vertices, and the edges between them (Eq. 13)."""
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

    def nearest_chunks(self, limit: int) -> dict[str, float]:
        """The cosines to the question of the `limit` chunks nearest to it."""
        found = nearest_chunks(self.tx, self.corpus, self.vector, limit)
        self.notes += found.notes
        return found.cosines

    def _tell_of_sets(self, found: NearestSets) -> None:
        capped = [each for each in found.sets if each.seen >= _LEAVES_OF_A_SET and each.size > _LEAVES_OF_A_SET]
        if capped:
            which = f"{len(capped)} of the {len(found.sets)} subgraphs"
            self.notes.append(f"of {which}, {_LEAVES_OF_A_SET:,} {PLURAL[found.unit]} each were looked at, not all")
        untold = sum(each.is_set and not each.title for each in found.sets)
        if untold:
            self.notes.append(
                f"{untold} of the {len(found.sets)} subgraphs lost their summaries with a passage: "
                "the next run of overstory index writes new ones"
            )


def _found_set(values: Sequence[Any]) -> FoundSet:
    id_, is_set, level, size, cosine, title, summary, chunks, seen, members = values
    return FoundSet(id_, is_set, level, size, cosine, title, summary, chunks, seen, [Member(*each) for each in members])
