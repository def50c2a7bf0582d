"""Overstory as a retriever of LlamaIndex, on a real Neo4j."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.schema import MetadataMode, QueryBundle, TextNode
from neo4j.exceptions import DriverError
from tests.passages import OpenCorpus

from overstory import HitStatement
from overstory.errors import CorpusNotFound, QuestionError
from overstory.knowledge import Knowledge
from overstory.llama_index import OverstoryNodeRetriever
from overstory.model import Document
from overstory.systems import retriever_names

QUESTION = "Where was Albert Einstein born?"


@pytest.fixture
def retriever(shared_corpus: Knowledge) -> Iterator[OverstoryNodeRetriever]:
    with OverstoryNodeRetriever("shared", settings=shared_corpus.settings, k=2) as retriever:
        yield retriever


def engine(retriever: OverstoryNodeRetriever) -> RetrieverQueryEngine:
    """With LlamaIndex's mock model, whose answer is the prompt."""
    return RetrieverQueryEngine(retriever, get_response_synthesizer(llm=MockLLM()))


@pytest.mark.parametrize("name", retriever_names())
async def test_any_retriever_of_ours_by_name(shared_corpus: Knowledge, name: str) -> None:
    with OverstoryNodeRetriever("shared", settings=shared_corpus.settings, retriever=name, k=2) as retriever:
        found, awaited = retriever.retrieve(QUESTION), await retriever.aretrieve(QueryBundle(QUESTION))
    hits = shared_corpus.search(QUESTION, 2, retriever=name).hits
    assert [(each.node_id, each.score, each.text) for each in found] == [(h.chunk_id, h.score, h.text) for h in hits]
    assert awaited == found
    assert {each.metadata["retriever"] for each in found} == {name}
    assert {type(value) for each in found for value in each.metadata.values()} <= {str, int, float}


def test_a_query_engine_answers_from_the_passages(retriever: OverstoryNodeRetriever, shared_corpus: Knowledge) -> None:
    response = engine(retriever).query(QUESTION)
    hits = shared_corpus.search(QUESTION, 2).hits
    assert [each.node_id for each in response.source_nodes] == [hit.chunk_id for hit in hits]
    assert all(hit.text in str(response) for hit in hits)
    assert QUESTION in str(response)


async def test_an_asynchronous_query_engine_does_too(retriever: OverstoryNodeRetriever) -> None:
    asked = engine(retriever)
    questions = [QUESTION, "Who discovered polonium?"] * 5
    responses = await asyncio.gather(*(asked.aquery(each) for each in questions))
    assert ["polonium" in response.source_nodes[0].text for response in responses] == [False, True] * 5


def test_a_model_reads_the_passage_and_where_it_is_from_and_no_figures(retriever: OverstoryNodeRetriever) -> None:
    (found, _) = retriever.retrieve(QUESTION)
    node = found.node
    assert isinstance(node, TextNode)
    read = node.get_content(MetadataMode.LLM)
    assert f"title: {node.metadata['title']}" in read
    assert node.text in read
    assert not any(f"{key}:" in read for key in ("figures", "score", "why", "document_id"))
    assert node.get_content(MetadataMode.EMBED) == read
    assert node.ref_doc_id == node.metadata["document_id"]
    assert (node.start_char_idx, node.end_char_idx) == (node.metadata["start_index"], node.metadata["end_index"])


def test_a_filter_and_a_statement(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(
        [
            Document("s", "1", "Ulm is on the Danube.", metadata={"author": "Ada", "score": "ours wins"}),
            Document("s", "2", "Bern is on the Aare.", metadata={"author": "Bob"}),
        ]
    )
    knowledge.index()
    of = HitStatement(
        "UNWIND $ids AS id RETURN id, $river AS river, [1, 2] AS list, 'mine' AS why", {"river": "Danube"}
    )
    with OverstoryNodeRetriever(
        knowledge.corpus_name, settings=knowledge.settings, filter={"author": "Ada"}, enrich=of, retriever="lexical"
    ) as retriever:
        (found,) = retriever.retrieve("What is on a river such as the Danube or the Aare?")
    assert found.metadata["author"] == "Ada"
    assert found.metadata["score"] == found.score
    assert (found.metadata["river"], found.metadata["list"], found.metadata["why"]) == ("Danube", [1, 2], "mine")
    assert "river: Danube" in found.node.get_content(MetadataMode.LLM)


def test_parts_are_nodes_of_their_own_on_request(shared_corpus: Knowledge) -> None:
    settings = shared_corpus.settings
    with OverstoryNodeRetriever("shared", settings=settings, retriever="tretriever", k=3, parts=True) as retriever:
        found = retriever.retrieve(QUESTION)
    evidence = shared_corpus.search(QUESTION, 3, retriever="tretriever")
    parts = found[len(evidence.hits) :]
    assert evidence.other_parts
    assert [(each.text, each.score) for each in parts] == [(part.text, part.score) for part in evidence.other_parts]
    assert [each.metadata["kind"] for each in parts] == [part.kind for part in evidence.other_parts]


def test_a_closed_retriever_has_no_connection_and_opens_one_for_the_next_question(shared_corpus: Knowledge) -> None:
    retriever = OverstoryNodeRetriever("shared", settings=shared_corpus.settings, k=1)
    with retriever:
        driver = retriever.knowledge.graph.native_driver()
        driver.verify_connectivity()
    with pytest.raises(DriverError, match="closed"):
        driver.verify_connectivity()
    assert retriever.retrieve(QUESTION)
    retriever.close()


def test_mistakes_are_answered_with_our_errors(shared_corpus: Knowledge, retriever: OverstoryNodeRetriever) -> None:
    with pytest.raises(QuestionError):
        retriever.retrieve(" ")
    with pytest.raises(CorpusNotFound):
        OverstoryNodeRetriever("nobody's", settings=shared_corpus.settings).retrieve(QUESTION)
