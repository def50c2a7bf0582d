"""Derived structures are built beside the ones in use, and switched at once."""

from __future__ import annotations

import neo4j
import pytest
from tests.passages import OpenCorpus

from overstory import server
from overstory.graph import Corpus, GraphClient, Writer, create_corpus, generations, writing


def write_nodes(connection: server.Connection, corpus: Corpus, generation: int, count: int) -> None:
    """What a stage that builds trees would write."""
    with neo4j.GraphDatabase.driver(connection.uri, auth=(connection.user, connection.password)) as driver:
        driver.execute_query(
            "UNWIND range(1, $count) AS i CREATE (n:Overstory:TreeNode {id: $corpus + $generation + '-' + i, "
            "derived: 'tree', generation: $generation}) SET n:$($label), n:$($label + '_Derived')",
            count=count,
            corpus=corpus.id,
            generation=generation,
            label=corpus.label,
            database_="neo4j",
        )


def used(graph: GraphClient, corpus: Corpus) -> list[int]:
    return [row["generation"] for row in graph.run("corpus/used_generations", corpus.label, name="tree")]


def build(writer: Writer, connection: server.Connection, count: int) -> int:
    generation = generations.begin(writer, "tree")
    write_nodes(connection, writer.corpus, generation, count)
    return generation


def test_readers_keep_the_old_generation_until_the_new_one_is_published(
    open_corpus: OpenCorpus, connection: server.Connection
) -> None:
    knowledge = open_corpus()
    corpus = create_corpus(knowledge.graph, knowledge.corpus_name)
    with writing(knowledge.graph, corpus, "test") as writer:
        assert generations.current(knowledge.graph, corpus, "tree") == 0
        first = build(writer, connection, 3)
        generations.publish(writer, "tree", first)
        second = build(writer, connection, 2500)
        assert generations.current(knowledge.graph, corpus, "tree") == first
        assert used(knowledge.graph, corpus) == [first, second]
        generations.publish(writer, "tree", second)
        assert generations.current(knowledge.graph, corpus, "tree") == second
        assert used(knowledge.graph, corpus) == [second]


def test_what_an_interrupted_build_left_is_not_mistaken_for_a_finished_one(
    open_corpus: OpenCorpus, connection: server.Connection
) -> None:
    knowledge = open_corpus()
    corpus = create_corpus(knowledge.graph, knowledge.corpus_name)
    with writing(knowledge.graph, corpus, "test") as writer:
        first = build(writer, connection, 3)
        generations.publish(writer, "tree", first)
        unfinished = build(writer, connection, 3)
        assert generations.begin(writer, "tree") > unfinished
        generations.discard_unpublished(writer, "tree")
        assert used(knowledge.graph, corpus) == [first]


def test_a_structure_has_a_plain_name(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    corpus = create_corpus(knowledge.graph, knowledge.corpus_name)
    with pytest.raises(ValueError, match="no name"):
        generations.current(knowledge.graph, corpus, "tree`} DELETE")
