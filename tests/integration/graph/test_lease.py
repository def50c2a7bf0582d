"""One writer a corpus."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from tests.counting_client import CountingKnowledge
from tests.passages import PASSAGES, OpenCorpus

from overstory.errors import LeaseLost, WriterBusy
from overstory.graph import create_corpus, read_corpus, writing
from overstory.graph.lease import this_host
from overstory.index.ledger import recorded


def test_a_second_writer_is_told_who_writes(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    corpus = create_corpus(knowledge.graph, knowledge.corpus_name)
    with (
        writing(knowledge.graph, corpus, "index"),
        pytest.raises(
            WriterBusy, match=rf"index by .*process {os.getpid()} on .*, since \d{{4}}-\d\d-\d\dT[\d:]{{8}} UTC"
        ),
    ):
        knowledge.ingest_documents(PASSAGES)


def test_readers_go_on_while_somebody_writes(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(PASSAGES)
    knowledge.index()
    corpus = read_corpus(knowledge.graph, knowledge.corpus_name)
    with writing(knowledge.graph, corpus, "index"):
        assert knowledge.search("Where was Einstein born?").hits


def test_the_lease_of_a_dead_process_is_free_at_once(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    corpus = create_corpus(knowledge.graph, knowledge.corpus_name)
    process = subprocess.Popen([sys.executable, "-c", "pass"])
    process.wait()
    knowledge.graph.run(
        "corpus/acquire_lease",
        corpus.label,
        token="dead",
        holder="somebody",
        host=this_host(),
        pid=process.pid,
        started=0.0,
        doing="index",
        seconds=3600,
        abandoned="",
    )
    assert knowledge.ingest_documents(PASSAGES).added == len(PASSAGES)


def test_the_lease_of_another_machine_is_respected_until_it_runs_out(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    corpus = create_corpus(knowledge.graph, knowledge.corpus_name)
    knowledge.graph.run(
        "corpus/acquire_lease",
        corpus.label,
        token="far",
        holder="ann",
        host="elsewhere/1",
        pid=1,
        started=0.0,
        doing="index",
        seconds=3600,
        abandoned="",
    )
    with pytest.raises(WriterBusy, match="ann, process 1 on elsewhere"):
        knowledge.ingest_documents(PASSAGES)
    knowledge.graph.run("corpus/renew_lease", corpus.label, token="far", seconds=-1)
    assert knowledge.ingest_documents(PASSAGES).added == len(PASSAGES)


def test_a_writer_that_lost_its_lease_writes_nothing_more(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    corpus = create_corpus(knowledge.graph, knowledge.corpus_name)
    with writing(knowledge.graph, corpus, "index") as writer:
        knowledge.graph.run("corpus/release_lease", corpus.label, token=writer.token)
        with pytest.raises(LeaseLost):
            writer.set(dimension=7)
        other = "Corpus_" + 16 * "0"
        with pytest.raises(LeaseLost):
            writer.commit("test", lambda tx: tx.run("corpus/create", other, name="x", analyzer="x", sectioned_by="x"))
    assert read_corpus(knowledge.graph, knowledge.corpus_name).dimension == 0
    assert knowledge.graph.run("corpus/read", other) == []


def test_a_writer_that_lost_its_lease_does_not_write_to_the_ledger(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    corpus = create_corpus(knowledge.graph, knowledge.corpus_name)
    with writing(knowledge.graph, corpus, "index") as writer:
        knowledge.graph.run("corpus/release_lease", corpus.label, token=writer.token)
        with recorded(writer, "embed", "mine"):
            pass
    assert knowledge.status().stages == []


def test_a_dead_writer_is_not_shown_as_writing(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    corpus = create_corpus(knowledge.graph, knowledge.corpus_name)
    with writing(knowledge.graph, corpus, "index"):
        assert f"process {os.getpid()}" in knowledge.status().writer
    assert knowledge.status().writer == ""


def test_every_commit_raises_the_version(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    before = create_corpus(knowledge.graph, knowledge.corpus_name).version
    knowledge.ingest_documents(PASSAGES)
    assert read_corpus(knowledge.graph, knowledge.corpus_name).version > before


def test_a_writer_knows_its_corpus_without_reading_it(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus(kind=CountingKnowledge)
    assert isinstance(knowledge, CountingKnowledge)
    knowledge.ingest_documents(PASSAGES)
    assert knowledge.count("corpus/read", knowledge.index) == 1
    with writing(knowledge.graph, read_corpus(knowledge.graph, knowledge.corpus_name), "test") as writer:
        writer.set(dimension=7)
        writer.commit("test", lambda tx: tx.run("corpus/mark_unfinished", writer.corpus.label, document="one"))
        assert (writer.corpus.dimension, writer.corpus.unfinished) == (7, "one")
        assert writer.corpus == read_corpus(knowledge.graph, knowledge.corpus_name)
