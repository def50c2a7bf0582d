"""Questions are embedded while the graph is asked: how often, what happens if it fails, and many at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.passages import EINSTEIN, ULM, OpenCorpus

from overstory.errors import CorpusNotFound, ModelError
from overstory.knowledge import Knowledge
from overstory.model import Evidence
from overstory.protocols import Embedder, Vectors

RETRIEVERS = ("dense", "hybrid", "canopy", "serag", "slimrag")
QUESTIONS = ("Where was Albert Einstein born?", "Who discovered polonium?", "how do I ignore an exception?")


class RecordingEmbedder:
    """An embedder that records its texts, and fails on request."""

    def __init__(self, embedder: Embedder) -> None:
        self.fingerprint = embedder.fingerprint
        self.dimension = embedder.dimension
        self.token_limit = embedder.token_limit
        self.count_tokens = embedder.count_tokens
        self.embedded: list[str] = []
        self.fails = False
        self._embedder = embedder

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.fails:
            raise ModelError("The endpoint does not answer.", remedy="Start it.")
        self.embedded += texts
        return self._embedder.embed(texts)


@pytest.fixture
def recorded(shared_corpus: Knowledge) -> Iterator[RecordingEmbedder]:
    embedder = shared_corpus.embedder
    recording = RecordingEmbedder(embedder)
    shared_corpus.use(embedder=recording)
    yield recording
    shared_corpus.use(embedder=embedder)


def test_a_question_that_names_nothing_is_embedded_once(shared_corpus: Knowledge, recorded: RecordingEmbedder) -> None:
    shared_corpus.search("how do I ignore an exception?", retriever="canopy")
    assert recorded.embedded == ["how do I ignore an exception?"]


def test_a_question_is_embedded_once_more_without_its_names(
    shared_corpus: Knowledge, recorded: RecordingEmbedder
) -> None:
    shared_corpus.search("Where was Albert Einstein born?", retriever="canopy")
    assert recorded.embedded == ["Where was Albert Einstein born?", "Where was born?"]


@pytest.mark.parametrize("retriever", RETRIEVERS)
def test_an_embedder_that_fails_is_told_and_the_next_question_answered(
    shared_corpus: Knowledge, recorded: RecordingEmbedder, retriever: str
) -> None:
    recorded.fails = True
    with pytest.raises(ModelError, match="does not answer"):
        shared_corpus.search("Where was Albert Einstein born?", retriever=retriever)
    recorded.fails = False
    assert shared_corpus.search("Where was Albert Einstein born?", retriever=retriever).hits


@pytest.mark.parametrize("retriever", RETRIEVERS)
def test_many_callers_get_what_one_gets(shared_corpus: Knowledge, retriever: str) -> None:
    def ask(question: str) -> Evidence:
        return shared_corpus.search(question, retriever=retriever)

    alone = [ask(question) for question in QUESTIONS]
    with ThreadPoolExecutor(10) as callers:
        assert list(callers.map(ask, QUESTIONS * 10)) == alone * 10


@pytest.mark.slow
@pytest.mark.changes_schema
def test_a_corpus_that_is_deleted_and_made_again_is_asked_as_it_is_now(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    for document in (EINSTEIN, ULM):
        knowledge.ingest_documents(document)
        knowledge.index()
        for retriever in ("dense", "hybrid", "canopy"):
            hits = knowledge.search("Where was Albert Einstein born?", retriever=retriever).hits
            assert [hit.source_key for hit in hits] == [document.source_key]
        knowledge.delete_corpus()
        with pytest.raises(CorpusNotFound):
            knowledge.search("Where was Albert Einstein born?", retriever="canopy")
