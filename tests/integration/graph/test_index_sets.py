"""Full-text indexes come in sets that corpora have one after the other."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from tests.fakes import HashingEmbedder
from tests.passages import PASSAGES, OpenCorpus, passage

from overstory.graph import GraphClient, create_corpus, schema
from overstory.knowledge import Knowledge
from overstory.settings import Settings


@pytest.fixture
def graph(settings: Settings) -> Iterator[GraphClient]:
    with GraphClient.open(settings) as client:
        yield client


def schema_of(graph: GraphClient) -> list[dict[str, Any]]:
    rows, _, _ = graph.native_driver().execute_query(
        "SHOW INDEXES YIELD id, name, state RETURN id, name, state ORDER BY id", database_=graph.database
    )
    return [row.data() for row in rows]


def scores(knowledge: Knowledge) -> list[tuple[str, float]]:
    found = knowledge.search("physics in Warsaw", retriever="lexical", k=20)
    return [(hit.text, hit.score) for hit in found.hits]


def test_neither_a_new_corpus_nor_its_deletion_changes_the_schema(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus(embedder=HashingEmbedder(8))
    before = schema_of(knowledge.graph)
    knowledge.ingest_documents(PASSAGES)
    knowledge.index()
    assert scores(knowledge)
    knowledge.delete_corpus()
    assert schema_of(knowledge.graph) == before


@contextmanager
def only(graph: GraphClient, index_set: int) -> Generator[None]:
    """No other set is free."""
    schema.create_sets(graph)
    driver, database = graph.native_driver(), graph.database
    take = "MATCH (i:IndexSet) WHERE i.lent_to IS NULL AND i.number <> $number SET i.lent_to = 'nobody'"
    driver.execute_query(take, number=index_set, database_=database)
    yield
    driver.execute_query("MATCH (i:IndexSet {lent_to: 'nobody'}) REMOVE i.lent_to", database_=database)


def test_scores_do_not_depend_on_what_a_set_held_before(open_corpus: OpenCorpus, graph: GraphClient) -> None:
    first, second, other = (open_corpus(name, embedder=HashingEmbedder(8)) for name in ("first", "second", "other"))
    first.ingest_documents(
        passage(str(number), "Warsaw", f"Physics {number} in Warsaw, and physics again.") for number in range(50)
    )
    first.index()
    held = first.status().corpus.index_set
    first.delete_corpus()
    with only(graph, held):
        second.ingest_documents(PASSAGES)
    other.ingest_documents(PASSAGES)
    for knowledge in (second, other):
        knowledge.index()
    assert second.status().corpus.index_set == held != other.status().corpus.index_set
    assert scores(second) == scores(other) != []


@pytest.mark.changes_schema
def test_sets_are_created_when_none_is_free(open_corpus: OpenCorpus, graph: GraphClient) -> None:
    knowledge = open_corpus()
    free = "MATCH (i:IndexSet) WHERE i.lent_to IS NULL SET i.lent_to = 'nobody' RETURN collect(i.number) AS numbers"
    ((numbers,),) = graph.native_driver().execute_query(free, database_=graph.database).records
    try:
        corpus = create_corpus(graph, knowledge.corpus_name)
        assert corpus.index_set > max(numbers)
        names = {schema.text_index(corpus.index_set), schema.word_index(corpus.index_set)}
        assert names <= {row["name"] for row in schema_of(graph) if row["state"] == "ONLINE"}
        assert create_corpus(graph, knowledge.corpus_name).index_set == corpus.index_set
    finally:
        graph.native_driver().execute_query(
            "MATCH (i:IndexSet {lent_to: 'nobody'}) REMOVE i.lent_to", database_=graph.database
        )


@pytest.mark.changes_schema
def test_a_set_that_was_given_back_without_an_index_gets_it_again(open_corpus: OpenCorpus, graph: GraphClient) -> None:
    first, second = (open_corpus(name, embedder=HashingEmbedder(8)) for name in ("first", "second"))
    first.ingest_documents(PASSAGES)
    held = first.status().corpus.index_set
    schema.drop_set_index(graph, "words", held)  # as a rebuild does that is killed
    first.delete_corpus()
    with only(graph, held):
        second.ingest_documents(PASSAGES)
    second.index()
    assert second.status().corpus.index_set == held
    assert scores(second)


@pytest.mark.changes_schema
def test_sets_that_somebody_began_to_create_are_finished(graph: GraphClient) -> None:
    (begun, *_) = [row["number"] for row in graph.run("schema/begin_index_sets", least=1, most=1)]
    schema.create_sets(graph)
    assert schema.text_index(begun) in {row["name"] for row in schema_of(graph)}
    unready = graph.native_driver().execute_query(
        "MATCH (i:IndexSet) WHERE NOT i.ready RETURN i.number", database_=graph.database
    )
    assert unready.records == []
