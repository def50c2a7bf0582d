"""The schema: made once, migrated forwards, refused when it is newer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.passages import PASSAGES, OpenCorpus

from overstory.errors import SchemaTooNew, SchemaTooOld
from overstory.graph import GraphClient, schema
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


def test_a_graph_of_an_earlier_version_is_refused_with_the_way_to_move_it(
    graph: GraphClient, open_corpus: OpenCorpus
) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(PASSAGES)
    newest = schema.MIGRATIONS[-1].to
    graph.run("schema/write_version", version=1)
    try:
        for call in (knowledge.index, knowledge.status, lambda: knowledge.search("Ulm"), knowledge.delete_corpus):
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
