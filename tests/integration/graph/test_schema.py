"""The schema: made once, migrated forwards, refused when it is newer; what its indexes are for."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, LiteralString

import pytest
from tests.lending import Lending, empty
from tests.passages import PASSAGES, OpenCorpus

from overstory.errors import SchemaTooNew, SchemaTooOld, StatementFailed
from overstory.graph import GraphClient, create_corpus, read_corpus, schema
from overstory.graph.ids import corpus_label
from overstory.graph.statements import statement
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


def test_an_index_that_is_not_there_is_not_waited_for(graph: GraphClient) -> None:
    with pytest.raises(StatementFailed, match="The index nowhere did not come online"):
        schema.await_index(graph, "nowhere")


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


def test_a_graph_of_an_earlier_version_is_refused_with_the_way_to_move_it(
    graph: GraphClient, open_corpus: OpenCorpus
) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(PASSAGES)
    newest = schema.MIGRATIONS[-1].to
    graph.run("schema/write_version", version=1)
    try:
        for call in (
            knowledge.index,
            knowledge.status,
            lambda: knowledge.search("Ulm"),
            knowledge.delete_corpus,
            knowledge.corpora,
            lambda: read_corpus(graph, "nobody finds it where earlier versions have it"),
        ):
            with pytest.raises(SchemaTooOld, match="schema 1") as refused:
                call()
            assert "overstory export" in refused.value.remedy
    finally:
        graph.run("schema/write_version", version=newest)
    assert knowledge.status().counts["documents"] == len(PASSAGES)


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


def plan_of(graph: GraphClient, name: str, **parameters: object) -> Iterator[dict[str, Any]]:
    """The operators of a statement that is run, the last one first."""
    text: LiteralString = "PROFILE " + statement(name, LABEL)  # pyright: ignore[reportAssignmentType] # read from a file
    result = graph.native_driver().execute_query(text, {"corpus": LABEL, **parameters}, database_=graph.database)
    below = [result.summary.profile]
    while below:
        operator = below.pop()
        assert operator is not None
        yield operator
        below += operator.get("children", [])


LABEL = corpus_label("pages")
PAGES: dict[str, dict[str, Any]] = {
    "corpus/document_pages": {},
    "ingest/chunks_without_vector": {"property": "embedding"},
    "ingest/chunks_to_extract": {"fingerprint": "a"},
    "systems/serag/chunks": {"property": "text", "read_to": -1},
}


@pytest.fixture(scope="module")
def pages(settings: Settings, lending: Lending) -> Iterator[GraphClient]:  # it creates the indexes
    """A corpus of 300 documents, as many chunks and entities, and nodes of a user's just as these."""
    with GraphClient.open(settings) as graph:
        create_corpus(graph, "pages")
        ask = functools.partial(graph.native_driver().execute_query, label=LABEL, database_=graph.database)
        for labels in (("Overstory", LABEL), ("TheirOwn",)):
            ask(
                "UNWIND range(100, 399) AS n "
                "CREATE (d:Document:$($labels) {id: $labels[0] + 'd' + n, corpus: $label, sha256: '', source: 's', "
                "source_key: toString(n)}) "
                "CREATE (c:Chunk:$($labels) {id: $labels[0] + 'c' + n, corpus: $label, token_count: 1, text: ''}) "
                "CREATE (c)-[:HAS_VECTOR]->(:PassageVector:$($labels):$($of_vectors) "
                "{id: $labels[0] + 'v' + n, corpus: $label, text: ''}) "
                "CREATE (e:Entity:$($labels) {id: $labels[0] + 'e' + n, corpus: $label, key: ''})"
                "CREATE (c)-[:PART_OF]->(d)",
                labels=labels,
                of_vectors=f"{labels[-1]}_PassageVector",
            )
        yield graph
        empty(graph, ["pages"])
        ask("MATCH (n:TheirOwn) DETACH DELETE n")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_read_from_an_index_in_order_and_nothing_else(pages: GraphClient, name: str) -> None:
    after = "Overstoryd100" if name == "corpus/document_pages" else "Overstoryc100"
    rows = pages.run(name, LABEL, read=True, after=after, limit=7, **PAGES[name])
    ids = [row["document"]["id"] if "document" in row and name != "systems/serag/chunks" else row["id"] for row in rows]
    assert ids == [f"{after[:-3]}{number}" for number in range(101, 108)]
    assert_reads_in_order(list(plan_of(pages, name, after=after, limit=7, **PAGES[name])))


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("corpus/documents_from", {"least": "s", "before": "t"}),
        ("corpus/documents_of_source", {"source": "s", "least": "100"}),
    ],
)
def test_a_page_of_sources_is_read_from_an_index_in_order_and_nothing_else(
    pages: GraphClient, name: str, parameters: dict[str, str]
) -> None:
    rows = pages.run(name, LABEL, read=True, limit=7, **parameters)
    assert [row["document"]["id"] for row in rows] == [f"Overstoryd{number}" for number in range(100, 107)]
    assert_reads_in_order(list(plan_of(pages, name, limit=7, **parameters)))


def assert_reads_in_order(operators: list[dict[str, Any]]) -> None:
    (seek,) = [operator for operator in operators if "Index" in operator["operatorType"]]
    assert seek["operatorType"].startswith("NodeIndexSeek")
    assert seek["rows"] <= 2 * 7
    assert not [operator for operator in operators if "Scan" in operator["operatorType"]]


def test_a_document_is_found_by_its_key_in_an_index(pages: GraphClient) -> None:
    rows = [{"source": "", "source_key": "none", "id": ""}]
    operators = [operator["operatorType"] for operator in plan_of(pages, "ingest/chunks_to_annotate", rows=rows)]
    assert not [operator for operator in operators if "Scan" in operator]
