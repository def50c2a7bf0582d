"""LangChain's own suite for retrievers, and what it does not ask, on a real Neo4j."""

from __future__ import annotations

import asyncio
import gc
import pickle
import time
from typing import Any

import pytest
from langchain_core.documents import Document as LangChainDocument
from langchain_core.runnables import RunnableLambda
from langchain_tests.integration_tests import RetrieversIntegrationTests
from neo4j.exceptions import DriverError
from tests.passages import OpenCorpus

from overstory import HitStatement, server
from overstory.errors import CorpusNotFound, FilterError, QuestionError, SettingsError
from overstory.knowledge import Knowledge
from overstory.langchain import OverstoryRetriever
from overstory.model import Document as OurDocument
from overstory.settings import Settings
from overstory.systems import retriever_names
from overstory_loaders import from_langchain

QUESTION = "Where was Albert Einstein born?"


class TestOverstoryRetriever(RetrieversIntegrationTests):
    """LangChain's suite."""

    _settings: Settings

    @pytest.fixture(autouse=True)
    def _corpus(self, shared_corpus: Knowledge) -> None:
        self._settings = shared_corpus.settings

    @property
    def retriever_constructor(self) -> type[OverstoryRetriever]:
        return OverstoryRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"corpus": "shared", "settings": self._settings}

    @property
    def retriever_query_example(self) -> str:
        return QUESTION


@pytest.fixture
def retriever(shared_corpus: Knowledge) -> OverstoryRetriever:
    return OverstoryRetriever(corpus="shared", settings=shared_corpus.settings, k=2)


@pytest.mark.parametrize("name", retriever_names())
def test_any_retriever_of_ours_by_name(shared_corpus: Knowledge, name: str) -> None:
    retriever = OverstoryRetriever(corpus="shared", settings=shared_corpus.settings, retriever=name, k=2)
    found = retriever.invoke(QUESTION)
    assert [document.id for document in found] == [
        hit.chunk_id for hit in shared_corpus.search(QUESTION, 2, retriever=name).hits
    ]
    assert {document.metadata["retriever"] for document in found} == {name}


def test_a_document_says_where_it_comes_from_and_why_it_was_found(
    retriever: OverstoryRetriever, shared_corpus: Knowledge
) -> None:
    document, hit = retriever.invoke(QUESTION)[0], shared_corpus.search(QUESTION, 2).hits[0]
    assert document.page_content == hit.text
    assert document.metadata["source"] == "tests/passages"
    assert document.metadata["source_key"] == hit.source_key
    assert document.metadata["title"] == hit.title
    assert document.metadata["score"] == hit.score
    assert document.metadata["why"] == hit.why
    assert document.metadata["figures"] == hit.figures
    assert document.metadata["sentence"] in hit.text
    assert document.metadata["sentence"]
    assert (document.metadata["start_index"], document.metadata["end_index"]) == (hit.start, hit.end)


@pytest.mark.parametrize("name", retriever_names())
def test_metadata_of_ours_are_texts_and_numbers(shared_corpus: Knowledge, name: str) -> None:
    retriever = OverstoryRetriever(corpus="shared", settings=shared_corpus.settings, retriever=name, k=4)
    for document in retriever.invoke(QUESTION):
        assert {type(value) for value in document.metadata.values()} <= {str, int, float}


def test_a_document_has_the_parts_that_stand_on_it(shared_corpus: Knowledge) -> None:
    retriever = OverstoryRetriever(corpus="shared", settings=shared_corpus.settings, retriever="slimrag", k=2)
    evidence = shared_corpus.search(QUESTION, 2, retriever="slimrag")
    parts = [document.metadata["parts"] for document in retriever.invoke(QUESTION)]
    assert parts == ["\n\n".join(part.text for part in evidence.parts_on(hit)) for hit in evidence.hits]
    assert evidence.parts_on(evidence.hits[0])


@pytest.mark.parametrize("name", ["apr:memory", "hirag", "tretriever"])
def test_parts_are_documents_of_their_own_on_request(shared_corpus: Knowledge, name: str) -> None:
    options: dict[str, Any] = {"corpus": "shared", "settings": shared_corpus.settings, "retriever": name, "k": 3}
    with OverstoryRetriever(**options) as alone, OverstoryRetriever(**options, parts=True) as retriever:
        passages, found = alone.invoke(QUESTION), retriever.invoke(QUESTION)
    parts = shared_corpus.search(QUESTION, 3, retriever=name).other_parts
    assert parts
    assert found[: len(passages)] == passages
    assert [each.page_content for each in found[len(passages) :]] == [part.text for part in parts]
    assert [each.metadata["kind"] for each in found[len(passages) :]] == [part.kind for part in parts]
    assert {type(value) for each in found for value in each.metadata.values()} <= {str, int, float}


def test_what_the_reader_should_know_comes_with_the_documents(retriever: OverstoryRetriever) -> None:
    long, short = retriever.invoke(QUESTION + " why" * 10_000), retriever.invoke(QUESTION)
    assert "cut" in long[0].metadata["notes"]
    assert "notes" not in short[0].metadata


def test_metadata_of_langchain_documents_come_back(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    pages = [
        LangChainDocument(page_content="Ulm is a city.", metadata={"source": "a.pdf", "page": 1}),
        LangChainDocument(
            page_content="Bern is a city.", metadata={"source": "a.pdf", "page": 2, "score": "ours wins"}
        ),
    ]
    knowledge.ingest_documents(from_langchain(pages))
    knowledge.index()
    found = OverstoryRetriever(corpus=knowledge.corpus_name, settings=knowledge.settings, k=1).invoke("Where is Bern?")
    assert found[0].page_content == "Bern is a city."
    assert found[0].metadata["source"] == "a.pdf"
    assert found[0].metadata["page"] == 2
    assert isinstance(found[0].metadata["score"], float)


def test_k_is_taken_from_the_call_in_every_way_of_calling(retriever: OverstoryRetriever) -> None:
    assert len(retriever.invoke(QUESTION)) == 2
    assert len(retriever.bind(k=1).invoke(QUESTION)) == 1
    assert [len(found) for found in retriever.batch([QUESTION, "Who discovered polonium?"], k=3)] == [3, 3]
    assert len(asyncio.run(retriever.ainvoke(QUESTION, k=1))) == 1


async def test_a_filter_is_given_once_or_in_a_call(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(
        [
            OurDocument("s", "1", "Ulm is on the Danube.", metadata={"author": "Ada"}),
            OurDocument("s", "2", "Bern is on the Aare.", metadata={"author": "Bob"}),
        ]
    )
    knowledge.index()
    settings = knowledge.settings
    with OverstoryRetriever(
        corpus=knowledge.corpus_name, settings=settings, filter={"author": "Ada"}, retriever="lexical"
    ) as retriever:
        question = "What is on a river such as the Danube or the Aare?"
        assert [each.metadata["author"] for each in retriever.invoke(question)] == ["Ada"]
        assert [each.metadata["author"] for each in await retriever.ainvoke(question, filter="author = 'Bob'")] == [
            "Bob"
        ]
        with pytest.raises(FilterError, match="character 8"):
            OverstoryRetriever(corpus=knowledge.corpus_name, settings=settings, filter="author Ada")


async def test_a_statement_adds_metadata(shared_corpus: Knowledge) -> None:
    enrich = HitStatement("UNWIND $ids AS id RETURN id, datetime('2024-02-29') AS moment, $why AS why", {"why": "mine"})
    retriever = OverstoryRetriever(corpus="shared", settings=shared_corpus.settings, k=1, enrich=enrich)
    (found,) = retriever.invoke(QUESTION)
    assert (found.metadata["moment"], found.metadata["why"]) == ("2024-02-29T00:00:00+00:00", "mine")
    assert await retriever.ainvoke(QUESTION) == [found]
    assert await pickle.loads(pickle.dumps(retriever)).ainvoke(QUESTION) == [found]  # noqa: S301 # dumped a moment ago


async def test_a_cancelled_question_ends_on_the_server(shared_corpus: Knowledge) -> None:
    endless = "UNWIND $ids AS id UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b RETURN id, sum(a * b) AS n"
    retriever = OverstoryRetriever(corpus="shared", settings=shared_corpus.settings, k=1, enrich=endless)

    async def runs() -> bool:
        shown = await asyncio.to_thread(
            shared_corpus.graph.native_driver().execute_query, "SHOW TRANSACTIONS YIELD metaData"
        )
        return any(row["metaData"].get("statement") == "retrieve/enrich" for row in shown.records)

    task = asyncio.create_task(retriever.ainvoke(QUESTION))
    while not await runs():
        await asyncio.sleep(0.05)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(task, 0.01)
    began = time.monotonic()
    while await runs():
        await asyncio.sleep(0.05)
    assert time.monotonic() - began < shared_corpus.settings.database.query_seconds / 2


@pytest.mark.slow
async def test_many_questions_at_once_get_each_its_own_answer(retriever: OverstoryRetriever) -> None:
    keys = ["polonium", "Danube", "polonium", "Danube"] * 5
    found = await retriever.abatch([f"What is said of {key}?" for key in keys], k=1)
    assert all(key in documents[0].page_content for key, documents in zip(keys, found, strict=True))


def test_it_is_a_part_of_a_chain(retriever: OverstoryRetriever) -> None:
    titles = RunnableLambda[list[LangChainDocument], list[str]](
        lambda found: [each.metadata["title"] for each in found]
    )
    assert (retriever | titles).invoke("Who discovered polonium?")[0] == "Marie Curie"


def test_a_server_is_named_in_code(shared_corpus: Knowledge, connection: server.Connection) -> None:
    with OverstoryRetriever.model_validate(
        {"corpus": "shared", "uri": connection.uri, "password": connection.password}
    ) as retriever:
        assert retriever.invoke(QUESTION)


def test_a_closed_retriever_has_no_connection_and_opens_one_for_the_next_question(shared_corpus: Knowledge) -> None:
    gc.collect()  # retrievers of other tests, which share the connection
    retriever = OverstoryRetriever(corpus="shared", settings=shared_corpus.settings, k=1)
    with retriever:
        driver = retriever.knowledge.graph.native_driver()
        driver.verify_connectivity()
    with pytest.raises(DriverError, match="closed"):
        driver.verify_connectivity()
    assert retriever.invoke(QUESTION)


@pytest.mark.parametrize("k", [0, 1_001])
def test_a_k_that_cannot_be_is_refused_in_a_call_too(retriever: OverstoryRetriever, k: int) -> None:
    with pytest.raises(QuestionError, match=str(k)):
        retriever.invoke(QUESTION, k=k)


def test_mistakes_are_answered_with_our_errors(shared_corpus: Knowledge) -> None:
    settings = shared_corpus.settings
    with pytest.raises(QuestionError):
        OverstoryRetriever(corpus="shared", settings=settings).invoke(" ")
    with pytest.raises(CorpusNotFound, match="shared"):
        OverstoryRetriever(corpus="nobody's", settings=settings).invoke(QUESTION)
    with pytest.raises(SettingsError, match="magic"):
        OverstoryRetriever(corpus="shared", settings=settings, retriever="magic").invoke(QUESTION)
