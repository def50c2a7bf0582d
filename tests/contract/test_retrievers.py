"""The contract of every installed retriever."""

from __future__ import annotations

import re

import pytest
from tests.passages import CURIE, OpenCorpus, passage

from overstory.errors import CorpusNotFound, QuestionError
from overstory.knowledge import Knowledge
from overstory.systems import retriever_names

ODD_QUESTIONS = {
    "Lucene syntax": 'title:(+Ulm -"Bern"~2) AND NOT [a TO z] OR /x+/ ^4 {} && || ! ? * \\ "',
    "operators": "AND OR NOT",
    "only stop words": "the of and is a",
    "only punctuation": "?!… — «»",
    "Cypher": "'}) MATCH (n) DETACH DELETE n RETURN n //",
    "a parameter": "$corpus {{corpus}} `Chunk`",
    "emoji": "🧪 who 👩🏽‍🔬?",
    "null bytes": "Who\x00 was born\x00 in Ulm?",
    "a lone surrogate": "Who was \ud800 born in Ulm?",
    "another language": "Кто родился в Ульме? 谁出生在乌尔姆?",
    "Chinese": "".join(chr(0x4E00 + i) for i in range(1500)),
    "Hindi": "भारत की राजधानी क्या है?",
    "one word": "Ulm",
    "2,000 words": "Where was Einstein born? " * 500,
    "100 kB without a space": "x" * 100_000,
    "100 kB of different words": " ".join(f"word{i}" for i in range(12_000)),
}


@pytest.fixture(params=[*retriever_names(), "pagerank"])
def name(request: pytest.FixtureRequest, outside: None) -> str:
    return str(request.param)


def test_hits_are_the_best_first_at_most_k_each_once_with_reasons(shared_corpus: Knowledge, name: str) -> None:
    evidence = shared_corpus.search("Where was Albert Einstein born?", 3, retriever=name)
    scores = [hit.score for hit in evidence.hits]
    assert evidence.retriever == name
    assert evidence.hits[0].title in ("Albert Einstein", "Ulm")
    assert 0 < len(scores) <= 3
    assert scores == sorted(scores, reverse=True)
    assert len({hit.chunk_id for hit in evidence.hits}) == len(evidence.hits)
    assert all(hit.reasons and hit.source and hit.text for hit in evidence.hits)


def test_the_same_question_gets_the_same_answer(shared_corpus: Knowledge, name: str) -> None:
    first, second = (shared_corpus.search("Who discovered polonium?", 4, retriever=name) for _ in range(2))
    assert first == second


@pytest.fixture(scope="module")
def another_corpus(outside: None, open_module_corpus: OpenCorpus, systems: list[str]) -> Knowledge:
    """Return a second corpus that has a better answer and must not be found, indexed for all systems."""
    knowledge = open_module_corpus()
    knowledge.ingest_documents(
        [CURIE, passage("secret", "Secret", "Albert Einstein was born in Ulm, says the other corpus.")]
    )
    knowledge.index(systems=systems)
    return knowledge


@pytest.mark.usefixtures("another_corpus")
def test_nothing_of_another_corpus_is_found(shared_corpus: Knowledge, name: str) -> None:
    found = shared_corpus.search("Albert Einstein born in Ulm, says the other corpus", 100, retriever=name)
    own = {document.id for document in shared_corpus.documents()}
    assert {hit.document_id for hit in found.hits} <= own
    assert "secret" not in {hit.source_key for hit in found.hits}


def test_an_odd_question_is_data(shared_corpus: Knowledge, name: str, subtests: pytest.Subtests) -> None:
    before = shared_corpus.status().counts
    for kind, question in ODD_QUESTIONS.items():
        with subtests.test(kind):
            evidence = shared_corpus.search(question, 3, retriever=name)
            assert len(evidence.hits) <= 3
    assert shared_corpus.status().counts == before


@pytest.mark.parametrize("question", ["", " \n\t ", "\x00\x01"], ids=["empty", "white space", "control characters"])
def test_an_empty_question_is_refused(shared_corpus: Knowledge, name: str, question: str) -> None:
    with pytest.raises(QuestionError):
        shared_corpus.search(question, retriever=name)


def test_a_corpus_that_is_not_there_is_named(open_corpus: OpenCorpus, name: str) -> None:
    knowledge = open_corpus()
    with pytest.raises(CorpusNotFound, match=re.escape(repr(knowledge.corpus_name))):
        knowledge.search("Where was Einstein born?", retriever=name)
