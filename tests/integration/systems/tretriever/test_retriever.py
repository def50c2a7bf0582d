"""T-Retriever's retriever on the real Neo4j: nodes of all levels, their subgraphs, and what of them is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, LiteralString

import numpy as np
import pytest
from tests.integration.systems.tretriever.films import films_near
from tests.integration.systems.tretriever.oracle import read, state_of
from tests.passages import OpenCorpus, hotpotqa

from overstory.errors import IndexMissing
from overstory.graph import Corpus, Transaction, schema
from overstory.graph.generations import slot_of
from overstory.knowledge import Knowledge
from overstory.model import Evidence
from overstory.retrieve import RetrievalContext
from overstory.retrieve.context import query_current_corpus
from overstory.systems.vector_indexes import SCANNED
from overstory_systems.tretriever import retriever
from overstory_systems.tretriever.names import NODE
from overstory_systems.tretriever.parts import SubgraphPart
from overstory_systems.tretriever.retriever import NOTHING_MATCHED, SHARES, NearestSets, SubgraphSearch
from overstory_systems.tretriever.settings import TRetrieverRetrieverSettings

FILMS = "Which actors played in films by Rob Reiner?"
DICE = "Who designed the dice game Demon Dice?"
PUBLISHED = TRetrieverRetrieverSettings(subgraphs=6, vertices=4, neighbours=False)

_NODES: LiteralString = """
    MATCH (t:TretrieverNode {corpus: $label, generation: $generation}) WHERE t.embedding IS NOT NULL
    RETURN t.id AS id, t.size AS size, t.embedding AS embedding
"""
_LEAVES: LiteralString = """
    MATCH (t:TretrieverNode {corpus: $label, generation: $generation})<-[:CHILD_OF*0..]-(leaf)-[:COVERS]->(unit)
    RETURN t.id AS id, collect([unit.id, leaf.embedding]) AS leaves
"""
_LINKS: LiteralString = """
    MATCH (a:Document {corpus: $label})-[l:LINKS]->(b:Document)
    WHERE $generation > 0
    RETURN a.id AS source, b.id AS target, l.type AS type, l.text AS text
"""
_EDGES: LiteralString = """
    MATCH (a:TretrieverNode {corpus: $label, generation: $generation})-[e:TRETRIEVER_EDGE]-(b)
    MATCH (a)-[:COVERS]->(one), (b)-[:COVERS]->(other)
    RETURN one.id AS source, other.id AS target, e.chunks AS chunks
"""


@pytest.fixture(scope="module")
def movies(open_module_corpus: OpenCorpus, tmp_path_factory: pytest.TempPathFactory) -> Knowledge:
    """The graph of films, a tree over its documents; no test may change it."""
    knowledge = open_module_corpus()
    knowledge.ingest(films_near(tmp_path_factory.mktemp("films")))
    knowledge.index(systems=["tretriever"])
    return knowledge


@pytest.fixture(scope="module")
def names(open_module_corpus: OpenCorpus) -> Knowledge:
    """Twelve passages, a tree over their names; no test may change it."""
    knowledge = open_module_corpus("names")
    knowledge.ingest_documents(hotpotqa(0, 12))
    knowledge.index(systems=["tretriever"])
    return knowledge


def subgraphs(evidence: Evidence) -> list[SubgraphPart]:
    return [part for part in evidence.parts if isinstance(part, SubgraphPart)]


def ask(knowledge: Knowledge, question: str, query: Callable[[SubgraphSearch], Any], *, index: bool = False) -> Any:
    """Return the rows of the index for a question.

    Args:
        index: use the vector index, which must exist; otherwise the few nodes are scanned.
    """
    state = state_of(knowledge)
    if index:
        state = replace(state, details={**state.details, SCANNED: []})
    vector = knowledge.embedder.embed([question])[0]
    context = RetrievalContext(knowledge.graph, knowledge.corpus_name, knowledge.embedder)

    def in_transaction(tx: Transaction, corpus: Corpus) -> tuple[Any, list[str]]:
        asked = SubgraphSearch(tx, corpus, state, vector)
        return query(asked), asked.notes

    return query_current_corpus(context, "retrieve/test", in_transaction)


def cosine(one: list[float], other: Any) -> float:
    vector = np.asarray(one, dtype=np.float64)
    return float(vector @ other / np.linalg.norm(vector) / np.linalg.norm(other))


@pytest.mark.parametrize("question", [FILMS, DICE])
def test_what_is_found_are_the_nearest_nodes_of_all_levels_with_their_nearest_vertices(
    question: str, movies: Knowledge, names: Knowledge
) -> None:
    knowledge = {FILMS: movies, DICE: names}[question]
    found, notes = ask(knowledge, question, lambda asked: asked.nearest(PUBLISHED))
    vector = knowledge.embedder.embed([question])[0]
    near = {row["id"]: cosine(row["embedding"], vector) for row in read(knowledge, _NODES)}
    assert notes == []
    assert [each.cosine for each in found.sets] == pytest.approx(sorted(near.values(), reverse=True)[:6], abs=1e-3)
    leaves = {row["id"]: row["leaves"] for row in read(knowledge, _LEAVES)}
    for each in found.sets:
        assert each.cosine == pytest.approx(near[each.id], abs=1e-3)
        below = {unit: cosine(embedding, vector) for unit, embedding in leaves[each.id]}
        assert (each.size, each.seen) == (len(below), len(below))
        assert [member.cosine for member in each.members] == pytest.approx(
            sorted(below.values(), reverse=True)[:4], abs=1e-3
        )
        assert {member.id for member in each.members} <= set(below)
        assert bool(each.summary) == bool(each.chunks) == each.is_set == (each.size > 1)
        assert each.title


@pytest.mark.changes_schema
def test_the_vector_index_finds_what_a_scan_finds(movies: Knowledge) -> None:
    corpus, generation = movies.status().corpus, state_of(movies).generation
    slot = slot_of(generation)
    name = schema.create_derived_index(movies.graph, corpus.label, NODE, dimension=corpus.dimension, slot=slot)
    try:
        by_index: NearestSets
        by_index, notes = ask(movies, FILMS, lambda asked: asked.nearest(TRetrieverRetrieverSettings()), index=True)
    finally:
        schema.drop_index(movies.graph, name)
    scanned, _ = ask(movies, FILMS, lambda asked: asked.nearest(TRetrieverRetrieverSettings()))
    assert notes == []
    assert [each.id for each in by_index.sets] == [each.id for each in scanned.sets]
    assert [each.members for each in by_index.sets] == [each.members for each in scanned.sets]


def test_the_evidence_is_the_union_of_subgraphs_of_documents(movies: Knowledge) -> None:
    evidence = movies.search(FILMS, 5, retriever="tretriever")
    parts = subgraphs(evidence)
    assert (len(evidence.hits), evidence.notes, evidence.shares) == (5, (), SHARES)
    assert "Rob Reiner" in {hit.title for hit in evidence.hits}
    for hit in evidence.hits:
        assert hit.score == pytest.approx(sum(reason.score for reason in hit.reasons), abs=1e-6)
    assert {bool(part.community) for part in parts} == {True, False}
    assert [part.score for part in parts] == sorted((part.score for part in parts), reverse=True)
    ids = [vertex.id for part in parts for vertex in part.vertices]
    assert len(ids) == len(set(ids))
    links = {(row["source"], row["target"], row["type"], row["text"]) for row in read(movies, _LINKS)}
    shown = [(edge.source_id, edge.target_id, edge.type, edge.text) for part in parts for edge in part.edges]
    union = {link for link in links if link[0] in ids and link[1] in ids}
    assert set(shown) <= union
    assert len(shown) == len(set(shown))
    assert len(shown) + sum(part.more_edges for part in parts) == len(union)
    assert any("Rob Reiner → When Harry Met Sally: DIRECTED" in part.text for part in parts)
    for part in parts:
        assert part.text.startswith(part.heading)
        assert bool(part.community) == bool(part.summary)
        assert {hit.chunk_id for hit in evidence.passages_of(part)} == set(part.chunks) != set()


def test_the_evidence_is_the_union_of_subgraphs_of_names_told_by_their_passages(names: Knowledge) -> None:
    evidence = names.search(DICE, 5, retriever="tretriever")
    parts = subgraphs(evidence)
    assert (evidence.hits[0].title, len(evidence.hits), evidence.notes) == ("Demon Dice", 5, ())
    texts = {hit.chunk_id: hit.content for hit in (*evidence.hits, *evidence.sources)}
    stated = {(row["source"], row["target"]): row["chunks"] for row in read(names, _EDGES)}
    assert any(part.edges for part in parts)
    for part in parts:
        for vertex in part.vertices:
            (chunk,) = vertex.chunks
            assert vertex.text.strip("… ") in " ".join(texts[chunk].split())
        for edge in part.edges:
            assert set(edge.chunks) <= set(stated[edge.source_id, edge.target_id])
            assert edge.text.strip("… ") in " ".join(texts[edge.chunks[0]].split())
            assert edge.source in edge.text or edge.target in edge.text


def test_few_subgraphs_and_vertices_are_read_where_few_are_asked_for(movies: Knowledge) -> None:
    parts = subgraphs(movies.search(FILMS, retriever="tretriever:subgraphs=3,vertices=2"))
    assert len(parts) <= 3
    assert max(len(part.vertices) for part in parts) <= 2
    assert any(f" of {part.size} documents:" in part.text for part in parts if part.size > 2)


def test_sets_too_large_to_look_at_whole_and_vertices_too_many_to_read_are_noted(
    movies: Knowledge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retriever, "_LEAVES_OF_A_SET", 3)
    monkeypatch.setattr(retriever, "_MOST_SUBGRAPH_VERTICES", 2)
    monkeypatch.setattr(retriever, "_EDGES_TRIED_OF_A_VERTEX", 0)
    notes = movies.search(FILMS, retriever="tretriever").notes
    assert [note for note in notes if "only 3 documents each were compared" in note]
    assert [
        note for note in notes if note.startswith("2 of ") and note.endswith(" documents of the subgraphs were read")
    ]
    assert [note for note in notes if "some passages or edges of" in note]


@pytest.mark.slow
def test_what_stood_on_a_deleted_document_is_not_shown_and_the_rest_is(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    knowledge = open_corpus()
    knowledge.ingest(films_near(tmp_path))
    knowledge.index(systems=["tretriever"])
    before = knowledge.search(FILMS, 5, retriever="tretriever")
    known = {hit.title: hit for hit in (*before.hits, *before.sources)}
    film = known["When Harry Met Sally"]
    knowledge.delete_documents(film.document_id)
    after = knowledge.search(FILMS, 5, retriever="tretriever")
    assert after.hits
    assert film.chunk_id not in {chunk for part in after.parts for chunk in part.chunks}
    assert any("When Harry Met Sally" in part.text for part in before.parts)
    assert not any("When Harry Met Sally" in part.text for part in after.parts)
    more = knowledge.search("When Harry Met Sally, Nora Ephron, Carrie Fisher", 5, retriever="tretriever")
    assert any("lost their summaries" in note for note in more.notes)
    assert any(
        "were deleted since" in note or "changed since the T-Retriever index was" in note for note in after.notes
    )
    knowledge.index(systems=["tretriever"])
    assert knowledge.search(FILMS, 5, retriever="tretriever").notes == ()


def test_a_corpus_without_the_index_or_without_a_vertex_says_so(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents("rain falls on the hills and runs down to the sea")
    knowledge.index()
    with pytest.raises(IndexMissing, match="has no T-Retriever index") as refused:
        knowledge.search(DICE, retriever="tretriever")
    assert "--system tretriever" in refused.value.remedy
    knowledge.index(systems=["tretriever"])
    evidence = knowledge.search(DICE, 1, retriever="tretriever")
    assert (len(evidence.hits), evidence.parts, evidence.notes) == (1, (), (NOTHING_MATCHED,))
