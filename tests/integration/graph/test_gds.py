"""Graph Data Science through its client, on one corpus."""

from __future__ import annotations

import pytest
from tests.passages import PASSAGES, OpenCorpus

from overstory.errors import StatementFailed
from overstory.graph import read_corpus
from overstory.graph.gds import projected


def test_leiden_runs_on_one_corpus_and_leaves_no_projection(open_corpus: OpenCorpus) -> None:
    knowledge, other = open_corpus(), open_corpus("other")
    for each in (knowledge, other):
        each.ingest_documents(PASSAGES)
        each.index()
    corpus = read_corpus(knowledge.graph, knowledge.corpus_name)
    entities = knowledge.status().counts["entities"]
    with projected(knowledge.graph, corpus, ["MENTIONS"], stage="test") as (gds, graph):
        assert entities < graph.node_count() <= entities + knowledge.status().counts["chunks"]
        communities = gds.leiden.stream(graph, random_seed=1, concurrency=1)
        assert len(communities) == graph.node_count()
        assert gds.graph.list()
        name = graph.name()
    with projected(knowledge.graph, corpus, ["MENTIONS"], stage="test") as (gds, graph):
        assert name not in {info.graph_name for info in gds.graph.list()}


def test_a_refusal_of_gds_is_an_error_of_ours_and_the_projection_is_dropped(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(PASSAGES)
    knowledge.index()
    corpus = read_corpus(knowledge.graph, knowledge.corpus_name)
    with projected(knowledge.graph, corpus, ["MENTIONS"], stage="test") as (gds, kept):
        before = {info.graph_name for info in gds.graph.list()}
        assert kept.name() in before
        with (
            pytest.raises(StatementFailed, match="concurrency"),
            projected(knowledge.graph, corpus, ["MENTIONS"], stage="test") as (_, refused),
        ):
            gds.leiden.stream(refused, concurrency=64)
        assert {info.graph_name for info in gds.graph.list()} == before
