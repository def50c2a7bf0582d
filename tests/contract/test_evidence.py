"""The contract of the evidence of every installed retriever."""

from __future__ import annotations

import json
from typing import get_args

import pytest

from overstory.graph import read_corpus
from overstory.knowledge import Knowledge
from overstory.model import PART_KINDS, Evidence, Excerpt, ShareKind
from overstory.model.passage_text import count_at_most
from overstory.systems import retriever_names

KEYS = ["kind", "text", "score", "tokens", "chunks", "documents"]
WITH_PARTS = ("serag:paper", "slimrag:whole")
"""Options that give other parts than their retrievers do without."""
QUESTIONS = ("Where was Albert Einstein born?", "Which river flows through Vienna and Ulm?", "Who discovered polonium?")


@pytest.fixture(params=[*retriever_names(), *WITH_PARTS, "pagerank"])
def name(request: pytest.FixtureRequest, outside: None) -> str:
    return str(request.param)


@pytest.fixture(params=[1, 4])
def found(shared_corpus: Knowledge, name: str, request: pytest.FixtureRequest) -> list[Evidence]:
    """One hit leaves parts with passages that are none."""
    return [shared_corpus.search(question, request.param, retriever=name) for question in QUESTIONS]


def test_a_hit_says_where_its_passage_stands_and_in_words_why_it_was_found(
    shared_corpus: Knowledge, found: list[Evidence]
) -> None:
    for evidence in found:
        documents = shared_corpus.documents_of(evidence)
        for hit in evidence.hits:
            assert hit.start is not None
            assert hit.end == hit.start + len(hit.text)
            assert hit.metadata == documents[hit.document_id].metadata
            assert hit.in_words.startswith("It ")
            assert hit.in_words.endswith(".")
            assert hit.why.startswith(hit.in_words)


def test_a_part_stands_on_chunks_of_the_corpus_that_the_evidence_carries(
    shared_corpus: Knowledge, found: list[Evidence]
) -> None:
    corpus = read_corpus(shared_corpus.graph, shared_corpus.corpus_name)
    for evidence in found:
        ids = sorted({chunk for part in evidence.parts for chunk in part.chunks})
        (row,) = shared_corpus.graph.run("retrieve/chunks_by_id", corpus.label, read=True, ids=ids)
        document_of = {chunk["chunk_id"]: chunk["document_id"] for chunk in row["chunks"]}
        assert sorted(document_of) == ids
        for part in evidence.parts:
            assert [hit.chunk_id for hit in evidence.passages_of(part)] == list(part.chunks)
            assert set(part.documents) == {document_of[chunk] for chunk in part.chunks}
        assert not {hit.chunk_id for hit in evidence.sources} & {hit.chunk_id for hit in evidence.hits}
        assert {hit.score for hit in evidence.sources} <= {0.0}


def test_a_part_is_of_a_known_kind_and_its_json_has_the_same_keys(found: list[Evidence]) -> None:
    for part in (part for evidence in found for part in evidence.parts):
        as_json = part.as_json()
        assert part.kind in PART_KINDS
        assert isinstance(part, Excerpt) == (part.kind == "excerpt")  # others would not be read as their passages
        assert part.chunks
        assert part.title
        assert as_json["tokens"] == count_at_most(part.text)
        assert list(as_json) == [*KEYS, "details"] if part.details else KEYS
        assert json.loads(json.dumps(as_json)) == as_json


def test_shares_are_those_of_kinds_that_can_be_read(found: list[Evidence]) -> None:
    for shares in (evidence.shares for evidence in found):
        assert set(shares) <= set(get_args(ShareKind))
        assert all(share >= 0.0 for share in shares.values())
        assert not shares or sum(shares.values()) > 0.0
