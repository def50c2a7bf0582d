"""The schema: made once, migrated forwards, refused when it is newer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, LiteralString

import pytest
from tests.passages import PASSAGES, OpenCorpus

from overstory.errors import SchemaTooNew
from overstory.graph import GraphClient, schema, writing
from overstory.index.ledger import recorded
from overstory.settings import Settings


@pytest.fixture
def graph(settings: Settings) -> Iterator[GraphClient]:
    with GraphClient.open(settings) as client:
        schema.prepare(client)
        yield client


def test_preparing_twice_changes_nothing(graph: GraphClient) -> None:
    before = graph.run("schema/index_names")
    assert schema.prepare(graph) == schema.MIGRATIONS[-1].to
    assert graph.run("schema/index_names") == before


def test_a_graph_of_a_later_version_is_refused(graph: GraphClient) -> None:
    newest = schema.MIGRATIONS[-1].to
    graph.run("schema/write_version", version=newest + 1)
    try:
        with pytest.raises(SchemaTooNew, match=str(newest + 1)):
            schema.prepare(graph)
    finally:
        graph.run("schema/write_version", version=newest)


def test_nothing_reads_or_writes_a_corpus_of_a_later_version(graph: GraphClient, open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(PASSAGES)
    newest = schema.MIGRATIONS[-1].to
    graph.run("schema/write_version", version=newest + 1)
    try:
        for call in (knowledge.index, knowledge.status, lambda: knowledge.search("Ulm"), knowledge.delete_corpus):
            with pytest.raises(SchemaTooNew):
                call()
    finally:
        graph.run("schema/write_version", version=newest)


def test_an_interrupted_migration_is_run_again_and_finished_ones_are_not(graph: GraphClient) -> None:
    newest = schema.MIGRATIONS[-1].to
    ran: list[int] = []

    def interrupted(_: GraphClient) -> None:
        ran.append(newest + 2)
        if ran.count(newest + 2) == 1:
            raise KeyboardInterrupt

    steps = (
        *schema.MIGRATIONS,
        schema.Migration(to=newest + 1, run=lambda _: ran.append(newest + 1)),
        schema.Migration(to=newest + 2, run=interrupted),
    )
    try:
        with pytest.raises(KeyboardInterrupt):
            schema.prepare(graph, steps)
        schema.prepare(graph, steps)
    finally:
        graph.run("schema/write_version", version=newest)
    assert ran == [newest + 1, newest + 2, newest + 2]


def ask(graph: GraphClient, query: LiteralString, **parameters: object) -> list[dict[str, Any]]:
    rows, _, _ = graph.native_driver().execute_query(query, parameters, database_=graph.database)
    return [row.data() for row in rows]


def test_vectors_of_sentences_that_an_earlier_version_wrote_are_removed(
    graph: GraphClient, open_corpus: OpenCorpus
) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(PASSAGES)
    knowledge.index()
    corpus = knowledge.status().corpus
    label, newest, digest = corpus.label, schema.MIGRATIONS[-1].to, knowledge.digest()
    with writing(graph, corpus, "index") as writer:
        writer.set(sentence_embedder=corpus.embedder)
        with recorded(writer, "sentences", corpus.embedder):
            ask(
                graph,
                "MATCH (c:Chunk {corpus: $label}) SET c.sentence_vectors = 600 WITH c UNWIND range(0, 599) AS seq "
                "CREATE (s:Overstory {id: c.id + '-' + seq, seq: seq, corpus: $label})-[:PART_OF]->(c) "
                "SET s:Sentence:$($label):$($label + '_Sentence') "
                "WITH s CALL db.create.setNodeVectorProperty(s, 'embedding', [0.6, 0.8])",
                label=label,
            )
    left: LiteralString = (
        "RETURN count { (n:Sentence {corpus: $label}) } AS sentences, "
        "count { MATCH (n:Chunk {corpus: $label}) WHERE n.sentence_vectors IS NOT NULL } AS chunks, "
        "count { MATCH (n:Corpus {corpus: $label}) WHERE n.sentence_embedder IS NOT NULL } AS corpora, "
        "count { (n:Stage {corpus: $label, name: 'sentences'}) } AS stages"
    )
    chunks = len(PASSAGES)
    written = {"sentences": 600 * chunks, "chunks": chunks, "corpora": 1, "stages": 1}
    assert ask(graph, left, label=label) == [written]
    ask(graph, "CREATE (:Sentence:Corpus:Chunk:TheirOwn {sentence_vectors: 1, sentence_embedder: 'theirs'})")
    try:
        for _ in range(2):  # as after an interruption
            graph.run("schema/write_version", version=1)
            assert schema.prepare(graph) == newest
            assert ask(graph, left, label=label) == [dict.fromkeys(written, 0)]
        assert ask(graph, "MATCH (n:TheirOwn) RETURN properties(n) AS kept") == [
            {"kept": {"sentence_vectors": 1, "sentence_embedder": "theirs"}}
        ]
    finally:
        graph.run("schema/write_version", version=newest)
        ask(graph, "MATCH (n:TheirOwn) DETACH DELETE n")
    assert knowledge.digest() == digest
    assert not knowledge.index().done
