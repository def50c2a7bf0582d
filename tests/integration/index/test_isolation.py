"""Corpora share nothing but the server, and nothing that is not ours is ever touched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import neo4j
import pytest
from tests.commands import Run
from tests.kills import open_killable
from tests.passages import PASSAGES, OpenCorpus

from overstory import server
from overstory.doctor import check_deletions
from overstory.errors import CorpusDeleting
from overstory.graph import create_corpus
from overstory.graph.ids import corpus_label


@pytest.fixture
def driver(connection: server.Connection) -> Iterator[neo4j.Driver]:
    with neo4j.GraphDatabase.driver(connection.uri, auth=(connection.user, connection.password)) as opened:
        yield opened


FOREIGN = """
CREATE (d:Document:Foreign {id: 'd', source: 'mine', sha256: 'mine', text: 'Albert Einstein was born in Ulm.'})
CREATE (c:Chunk:Foreign {id: 'c', text: 'Albert Einstein was born in Ulm.', embedding: [1.0, 0.0]})
CREATE (e:Entity:Foreign {name: 'Albert Einstein'}), (corpus:Corpus:Foreign {name: 'mine'})
CREATE (c)-[:PART_OF]->(d)-[:IN]->(corpus), (c)-[:MENTIONS {by: 'me'}]->(e), (e)-[:RELATED {predicate: 'is'}]->(e)
"""
SNAPSHOT = """
MATCH (n:Foreign) OPTIONAL MATCH (n)-[r]-(m)
RETURN labels(n) AS labels, properties(n) AS properties, type(r) AS type, properties(r) AS more, labels(m) AS others
ORDER BY labels, type
"""


def snapshot(driver: neo4j.Driver) -> list[object]:
    return [record.data() for record in driver.execute_query(SNAPSHOT, database_="neo4j").records]


@pytest.mark.changes_schema
def test_a_users_own_graph_in_the_same_database_is_untouched(open_corpus: OpenCorpus, driver: neo4j.Driver) -> None:
    driver.execute_query(FOREIGN, database_="neo4j")
    driver.execute_query("CREATE (:Document:Foreign {id: 'd'})", database_="neo4j")  # no constraint of ours applies
    before = snapshot(driver)
    try:
        knowledge = open_corpus()
        knowledge.ingest_documents(PASSAGES)
        knowledge.index()
        assert all(hit.source != "mine" for hit in knowledge.search("Albert Einstein was born in Ulm", 100).hits)
        assert "mine" not in {size.corpus.name for size in knowledge.corpora()}
        lines: list[str] = []
        knowledge.export(lines.append)
        assert len(lines) == 1 + len(PASSAGES) + 1  # a header, and an end line
        knowledge.delete_documents([document.id for document in knowledge.documents()][:2])
        knowledge.delete_corpus()
        assert snapshot(driver) == before
    finally:
        driver.execute_query("MATCH (n:Foreign) DETACH DELETE n", database_="neo4j")


def test_a_users_node_that_is_tied_to_ours_is_untouched(open_corpus: OpenCorpus, driver: neo4j.Driver) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(PASSAGES)
    knowledge.index()
    label = knowledge.status().corpus.label
    tie = """
    MATCH (c:$($chunk)) CREATE (e:Entity:Foreign {name: 'mine'}), (f:Fact:Foreign {text: 'mine'})
    CREATE (c)-[:MENTIONS {by: 'ner'}]->(e), (f)-[:STATED_IN {by: 'ner'}]->(c)
    """
    driver.execute_query(tie, chunk=label + "_Chunk", database_="neo4j")
    try:
        knowledge.ingest_documents([replace(PASSAGES[0], text="Something else.")])
        knowledge.index()
        assert not knowledge.index().done
        rows = driver.execute_query("MATCH (n:Foreign) RETURN labels(n) AS labels", database_="neo4j").records
        assert {label for row in rows for label in row["labels"]} == {"Entity", "Fact", "Foreign"}
        assert len(rows) == 2 * len(PASSAGES)
    finally:
        driver.execute_query("MATCH (n:Foreign) DETACH DELETE n", database_="neo4j")


@pytest.mark.changes_schema
def test_two_corpora_with_the_same_documents_share_no_node(open_corpus: OpenCorpus, driver: neo4j.Driver) -> None:
    first, second = open_corpus("first"), open_corpus("second")
    for knowledge in (first, second):
        knowledge.ingest_documents(PASSAGES)
        knowledge.index()
    assert first.digest() == second.digest()
    labels = [knowledge.status().corpus.label for knowledge in (first, second)]
    crossing = driver.execute_query(
        "MATCH (a:$($first))-[r]-(b:$($second)) RETURN count(r) AS n",
        first=labels[0],
        second=labels[1],
        database_="neo4j",
    )
    assert crossing.records[0]["n"] == 0
    before = second.digest()
    first.delete_documents([document.id for document in second.documents()])  # ids of the other corpus
    assert first.status().counts["documents"] == len(PASSAGES)
    first.delete_corpus()
    assert second.digest() == before


@pytest.mark.changes_schema
def test_a_deleted_corpus_leaves_no_node_and_no_index(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(PASSAGES)
    knowledge.index()
    label = knowledge.status().corpus.label
    knowledge.delete_corpus()
    assert not [row for row in knowledge.graph.run("schema/index_names") if label in row["name"]]
    counts = knowledge.graph.run("corpus/counts", label)[0]
    assert set(counts.values()) == {0}
    create_corpus(knowledge.graph, knowledge.corpus_name)
    assert knowledge.ingest_documents(PASSAGES).added == len(PASSAGES)


@pytest.mark.changes_schema
def test_what_an_interrupted_deletion_leaves_can_only_be_deleted(open_corpus: OpenCorpus, overstory: Run) -> None:
    knowledge = open_killable(open_corpus)
    name = knowledge.corpus_name
    knowledge.ingest_documents(PASSAGES)
    knowledge.index()
    with knowledge.graph.killed_at(2, of="delete_contents"):
        knowledge.delete_corpus()
    for call in (
        lambda: knowledge.search("Where was Albert Einstein born?"),
        knowledge.index,
        knowledge.status,
        lambda: knowledge.ingest_documents(PASSAGES),
    ):
        with pytest.raises(CorpusDeleting, match="its deletion was interrupted") as caught:
            call()
        assert "overstory delete --all --corpus" in caught.value.remedy
    assert "If the deletion was interrupted, run: overstory delete --all" in overstory("corpora").out
    (check,) = check_deletions(knowledge.graph)
    assert check.detail == f"The deletion of corpus {name!r} was interrupted, and part of the corpus is left."
    assert overstory("delete", "--all", "--yes", "--corpus", name).code == 0
    assert set(knowledge.graph.run("corpus/counts", corpus_label(name))[0].values()) == {0}
    assert knowledge.ingest_documents(PASSAGES).added == len(PASSAGES)
