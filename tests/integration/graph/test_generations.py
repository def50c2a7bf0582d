"""Derived structures are built next to those in use, and switched at once."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import neo4j
import numpy as np
import pytest
from tests.passages import OpenCorpus

from overstory import server
from overstory.errors import StatementFailed
from overstory.graph import Corpus, GraphClient, Transaction, Writer, create_corpus, generations, schema, writing
from overstory.graph.ids import derived_label

KINDS = ("Toy",)
NODES, DIMENSION, NEAREST = 1_500, 8, 10
QUESTION = [1.0, *[0.0] * (DIMENSION - 1)]


def write_nodes(connection: server.Connection, corpus: Corpus, generation: int, count: int) -> None:
    """Write nodes as a stage that builds trees would."""
    with neo4j.GraphDatabase.driver(connection.uri, auth=(connection.user, connection.password)) as driver:
        driver.execute_query(
            "UNWIND range(1, $count) AS i CREATE (n:Overstory:TreeNode {id: $corpus + $generation + '-' + i, "
            "derived: 'tree', generation: $generation}) SET n:$($label), n:$($label + '_Derived')",
            count=count,
            corpus=corpus.label,
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
        assert used(knowledge.graph, corpus) == [first]


def test_a_structure_has_a_plain_name(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    corpus = create_corpus(knowledge.graph, knowledge.corpus_name)
    with pytest.raises(ValueError, match="not a valid name"):
        generations.current(knowledge.graph, corpus, "tree`} DELETE")


def vectors_of(generation: int) -> dict[str, list[float]]:
    """Return the vectors of a generation's nodes, by the ends of their ids."""
    vectors = np.random.default_rng(generation).normal(size=(NODES, DIMENSION))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return {f"-{generation}-{number}": vector.tolist() for number, vector in enumerate(vectors)}


def right_answer(corpus: Corpus, generation: int) -> list[str]:
    """The nodes of a generation that are nearest to the question, by all cosines."""
    cosines = {end: vector[0] for end, vector in vectors_of(generation).items()}
    return [corpus.label + end for end in sorted(cosines, key=lambda end: -cosines[end])[:NEAREST]]


def fill(graph: GraphClient, corpus: Corpus, generation: int) -> None:
    slot = generations.slot_of(generation)
    graph.native_driver().execute_query(
        "UNWIND $rows AS row CREATE (n:Overstory {id: $corpus + row[0], corpus: $corpus, derived: 'toy', "
        "generation: $generation}) SET n:$($labels) "
        "WITH n, row CALL db.create.setNodeVectorProperty(n, 'embedding', row[1])",
        rows=list(vectors_of(generation).items()),
        corpus=corpus.label,
        generation=generation,
        labels=[corpus.label, f"{corpus.label}_Derived", derived_label(corpus.label, "Toy", slot)],
        database_=graph.database,
    )


def build_indexed(writer: Writer) -> int:
    generation = generations.begin(writer, "toy", KINDS)
    fill(writer.graph, writer.corpus, generation)
    slot = generations.slot_of(generation)
    schema.create_derived_index(writer.graph, writer.corpus.label, "Toy", dimension=DIMENSION, slot=slot)
    return generation


def nearest(tx: Transaction, corpus: Corpus, generation: int) -> list[str]:
    index = schema.derived_index(corpus.label, "Toy", generations.slot_of(generation))
    rows = tx.run("retrieve/nearest_nodes", corpus.label, index=index, vector=QUESTION, depth=NODES, limit=NEAREST)
    return [row["id"] for row in rows]


def derived_indexes(graph: GraphClient, corpus: Corpus) -> list[str]:
    names = [row["name"] for row in graph.run("schema/index_names")]
    return [name for name in names if name.startswith(f"overstory_derived_{corpus.label}")]


@pytest.fixture
def toy(open_corpus: OpenCorpus) -> Iterator[Writer]:
    """The writer of a corpus with nothing in it."""
    knowledge = open_corpus()
    corpus = create_corpus(knowledge.graph, knowledge.corpus_name)
    with writing(knowledge.graph, corpus, "test") as writer:
        yield writer


@pytest.mark.changes_schema
def test_the_nearest_nodes_are_all_of_one_generation_while_others_are_built_and_deleted(toy: Writer) -> None:
    graph, corpus = toy.graph, toy.corpus
    generations.publish(toy, "toy", build_indexed(toy), KINDS)
    ended = Event()
    answers: list[tuple[int, list[str]]] = []

    def ask(tx: Transaction, generation: int) -> tuple[int, list[str]]:
        return generation, nearest(tx, corpus, generation)

    def reader() -> None:
        while not ended.is_set():
            answers.append(generations.read(graph, corpus, "toy", "retrieve/toy", ask))

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(reader) for _ in range(2)]
        try:
            for _ in range(3):
                generations.publish(toy, "toy", build_indexed(toy), KINDS)
        finally:
            ended.set()
        for each in readers:
            each.result()
    asked = sorted({generation for generation, _ in answers})
    assert asked == [1, 2, 3, 4]
    right = {generation: right_answer(corpus, generation) for generation in asked}
    assert all(found == right[generation] for generation, found in answers)
    assert derived_indexes(graph, corpus) == [schema.derived_index(corpus.label, "Toy", "B")]


@pytest.mark.changes_schema
def test_a_reader_asks_again_where_its_generation_was_replaced_meanwhile(toy: Writer) -> None:
    graph, corpus = toy.graph, toy.corpus
    generations.publish(toy, "toy", build_indexed(toy), KINDS)
    asked: list[int] = []

    def ask(tx: Transaction, generation: int) -> list[str]:
        asked.append(generation)
        if len(asked) == 1:  # what was found before is thrown away
            generations.publish(toy, "toy", build_indexed(toy), KINDS)
            return []
        if len(asked) == 2:  # the index is gone, which the server refuses
            generations.publish(toy, "toy", build_indexed(toy), KINDS)
        return nearest(tx, corpus, generation)

    assert generations.read(graph, corpus, "toy", "retrieve/toy", ask) == right_answer(corpus, 3)
    assert asked == [1, 2, 3]


@pytest.mark.changes_schema
def test_a_reader_that_is_wrong_by_itself_is_told_so_at_once(toy: Writer) -> None:
    asked: list[int] = []

    def ask(tx: Transaction, generation: int) -> list[str]:
        asked.append(generation)
        return nearest(tx, toy.corpus, generation)  # there is no index

    with pytest.raises(StatementFailed, match="overstory_derived"):
        generations.read(toy.graph, toy.corpus, "toy", "retrieve/toy", ask)
    assert asked == [0]


@pytest.mark.changes_schema
def test_a_slot_is_empty_when_it_is_built_in_again(toy: Writer) -> None:
    graph, corpus = toy.graph, toy.corpus
    generations.publish(toy, "toy", build_indexed(toy), KINDS)
    build_indexed(toy)  # killed before it was published
    again = generations.begin(toy, "toy", KINDS)
    assert generations.slot_of(again) == "B"
    assert again > 2
    assert derived_indexes(graph, corpus) == [schema.derived_index(corpus.label, "Toy", "A")]
    used = graph.run("corpus/used_generations", corpus.label, name="toy")
    assert [row["generation"] for row in used] == [1]
    generations.publish(toy, "toy", 0, KINDS)
    assert derived_indexes(graph, corpus) == []


@pytest.mark.changes_schema
def test_an_index_over_a_kind_of_nodes_is_made_again_for_another_dimension_and_goes_with_its_corpus(
    toy: Writer,
) -> None:
    graph, label = toy.graph, toy.corpus.label
    plain = schema.create_derived_index(graph, label, "Toy", dimension=8)
    assert schema.create_derived_index(graph, label, "Toy", dimension=8) == plain == schema.derived_index(label, "Toy")
    schema.create_derived_index(graph, label, "Toy", dimension=4)
    assert graph.run("schema/index_state", name=plain) == [{"state": "ONLINE", "percent": 100.0, "dimension": 4}]
    in_slots = [schema.create_derived_index(graph, label, "Toy", dimension=8, slot=slot) for slot in ("A", "B")]
    other = schema.create_derived_index(graph, label, "Other", dimension=8)
    assert derived_indexes(graph, toy.corpus) == sorted([plain, *in_slots, other])
    schema.drop_derived_index(graph, label, "Toy", slot="A")
    assert derived_indexes(graph, toy.corpus) == sorted([plain, in_slots[1], other])
    schema.drop_derived_index(graph, label, "Toy")
    assert derived_indexes(graph, toy.corpus) == [other]
    schema.drop_indexes(graph, label)
    assert derived_indexes(graph, toy.corpus) == []
