"""A question reads the node of its corpus once, however many steps it has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.counting_client import CountingKnowledge
from tests.passages import ULM, OpenCorpus

from overstory.knowledge import Knowledge

READ = "corpus/read"
QUESTION = "Where was Albert Einstein born?"
RETRIEVERS = ["canopy", "dense", "hybrid", "lexical"]


@pytest.fixture
def counting(shared_corpus: Knowledge) -> Iterator[CountingKnowledge]:
    with CountingKnowledge(shared_corpus.corpus_name, settings=shared_corpus.settings) as knowledge:
        knowledge.use(embedder=shared_corpus.embedder, extractor=shared_corpus.extractor)
        yield knowledge


@pytest.fixture(scope="module")
def towns(open_module_corpus: OpenCorpus) -> CountingKnowledge:
    knowledge = open_module_corpus(kind=CountingKnowledge)
    assert isinstance(knowledge, CountingKnowledge)
    knowledge.ingest_documents([replace(ULM, metadata={"kind": "town"})])
    knowledge.index()
    return knowledge


@pytest.mark.parametrize("retriever", RETRIEVERS)
def test_a_question_reads_its_corpus_once(counting: CountingKnowledge, retriever: str) -> None:
    for _ in range(2):  # each question by itself
        assert counting.count(READ, lambda: counting.search(QUESTION, 2, retriever=retriever)) == 1


@pytest.mark.parametrize("retriever", RETRIEVERS)
def test_a_filtered_question_reads_its_corpus_once(towns: CountingKnowledge, retriever: str) -> None:
    where = "kind = 'town'"
    assert towns.count(READ, lambda: towns.search(QUESTION, 2, retriever=retriever, where=where)) == 1


def test_an_answer_reads_its_corpus_once(counting: CountingKnowledge) -> None:
    assert counting.count(READ, lambda: counting.ask(QUESTION)) == 1


def test_a_retriever_reads_its_corpus_once_a_question(counting: CountingKnowledge) -> None:
    retriever = counting.retriever("hybrid", repeats=True)
    for _ in range(2):
        assert counting.count(READ, lambda: retriever.retrieve(QUESTION, 2)) == 1


def test_a_system_looks_again_whether_its_generation_is_there(counting: CountingKnowledge) -> None:
    assert counting.count(READ, lambda: counting.search(QUESTION, 2, retriever="serag")) == 2


def test_each_of_several_corpora_is_read_once(towns: CountingKnowledge, shared_corpus: Knowledge) -> None:
    both = Knowledge.over([towns, shared_corpus])
    assert towns.count(READ, lambda: both.search(QUESTION, 2)) == 1
