"""A user's own nodes that hang on ours by relationships of our types are never read as ours."""

from __future__ import annotations

from collections.abc import Iterator

import neo4j
import pytest
from tests.passages import PASSAGES, OpenCorpus, passage

from overstory import server
from overstory.knowledge import Knowledge

TIES = """
MATCH (c:$($label + '_Chunk'))
CREATE (c)-[:PART_OF]->(:Document:Foreign {id: 'foreign', source: 'foreign', title: 'foreign'}),
  (c)-[:LINKED {weight: 9.0}]->(:Chunk:Foreign {id: 'foreign'}),
  (c)-[:NEXT]->(:Chunk:Foreign {id: 'foreign'}),
  (c)-[:MENTIONS {by: 'ner', count: 1, types: ['PERSON'], surfaces: ['foreign'], sentences: [0]}]->
    (:Entity:Foreign {id: 'foreign', key: 'foreign', name: 'foreign', subject: true, dictionary_df: 2, df: 2})
WITH count(*) AS chunks
MATCH (t:$($label + '_TreeNode'))
CREATE (t)-[:CHILD_OF]->(:TreeNode:Foreign {id: 'foreign', cut: 1.0, volume: 1.0, level: 1}),
  (t)-[:COVERS]->(:Chunk:Foreign {id: 'foreign'})
"""
MORE = [passage(f"more-{n}", f"River {n}", f"The river number {n} flows through Ulm and Vienna.") for n in range(20)]
SYSTEMS = ["serag", "slimrag"]


@pytest.fixture
def driver(connection: server.Connection) -> Iterator[neo4j.Driver]:
    with neo4j.GraphDatabase.driver(connection.uri, auth=(connection.user, connection.password)) as opened:
        yield opened
        opened.execute_query("MATCH (n:Foreign) DETACH DELETE n", database_="neo4j")


def found(knowledge: Knowledge) -> dict[str, list[str]]:
    """The sources and ids of all hits, by retriever."""
    return {
        name: sorted(
            f"{hit.source} {hit.source_key}" for hit in knowledge.search("Where is Ulm?", 50, retriever=name).hits
        )
        for name in ["canopy", "dense", "lexical", "hybrid", *SYSTEMS]
    }


@pytest.mark.slow
def test_ties_to_a_users_own_nodes_change_neither_answers_nor_builds(
    open_corpus: OpenCorpus, driver: neo4j.Driver
) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([*PASSAGES, *MORE])
    knowledge.index(systems=SYSTEMS)
    before = found(knowledge)
    driver.execute_query(TIES, label=knowledge.status().corpus.label, database_="neo4j")
    assert found(knowledge) == before
    assert [size.documents for size in knowledge.corpora() if size.corpus.name == knowledge.corpus_name] == [24]
    knowledge = open_corpus()  # which has kept nothing of the last build
    for _ in range(2):  # a build from the graph, and one from what that kept
        knowledge.delete_documents([next(iter(knowledge.documents())).id])
        knowledge.index(systems=SYSTEMS)
    assert knowledge.tree().size == 22
    assert all(hits == sorted(set(hits)) and len(hits) <= 22 for hits in found(knowledge).values())
