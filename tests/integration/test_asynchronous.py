"""Asynchronous calls on a real Neo4j: their results, and what cancelling ends."""

from __future__ import annotations

import asyncio
import gc
import inspect
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.chat_endpoint import Endpoint, hung, streaming
from tests.fakes import HashingEmbedder
from tests.passages import EINSTEIN, OpenCorpus

from overstory.errors import CorpusNotFound, LlmError, QuestionError
from overstory.index.stages.embed import _EMBEDDED_CHUNKS_A_BATCH
from overstory.knowledge import Knowledge
from overstory.protocols import Vectors

QUESTION = "Where was Albert Einstein born?"
ENDLESS = "UNWIND $ids AS id UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b RETURN id, sum(a * b) AS n"


@pytest.fixture
def knowledge(shared_corpus: Knowledge) -> Iterator[Knowledge]:
    """The shared corpus, with threads of its own."""
    knowledge = Knowledge("shared", settings=shared_corpus.settings)
    knowledge.use(embedder=shared_corpus.embedder, extractor=shared_corpus.extractor)
    with knowledge:
        yield knowledge


@pytest.fixture
def asked(shared_corpus: Knowledge, endpoint: Endpoint, tmp_path: Path) -> Iterator[Knowledge]:
    """The shared corpus, with a language model at the endpoint."""
    settings = shared_corpus.settings
    llm = replace(settings.llm, llm="openai", model="m", base_url=endpoint.url, retries=0, cache_megabytes=0)
    places = replace(settings.places, cache=tmp_path)
    with Knowledge("shared", settings=replace(settings, llm=llm, places=places)) as knowledge:
        knowledge.use(embedder=shared_corpus.embedder, extractor=shared_corpus.extractor)
        yield knowledge


async def until(holds: Callable[[], object]) -> None:
    """Returns when it holds; the test ends with its own time limit if it never does."""
    while not await asyncio.to_thread(holds):
        await asyncio.sleep(0.02)


def statements(knowledge: Knowledge) -> list[str]:
    """The statements that the server runs now, but for this one."""
    driver = knowledge.graph.native_driver()
    shown = driver.execute_query("SHOW TRANSACTIONS YIELD currentQuery, metaData").records
    return [row["metaData"].get("statement", "") for row in shown if "SHOW TRANSACTIONS" not in row["currentQuery"]]


def ours() -> set[threading.Thread]:
    """Threads of asynchronous calls, and those that end what they wait for."""
    names = ("overstory-async", "overstory-terminate", "overstory-close", "overstory-lease")
    return {each for each in threading.enumerate() if each.name.startswith(names)}


async def test_asynchronous_calls_give_what_the_others_give(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ulm is on the Danube.")
    async with open_corpus() as knowledge:
        assert (await knowledge.aingest(tmp_path)).added == 1
        assert (await knowledge.aingest_documents([EINSTEIN])).added == 1
        assert "embed" in (await knowledge.aindex()).done
        assert await knowledge.asearch(QUESTION, 1) == knowledge.search(QUESTION, 1)
        answer = await knowledge.aask(QUESTION, k=2)
        assert answer == replace(knowledge.ask(QUESTION, k=2), usage=answer.usage)
        questions = [QUESTION, "What is Ulm on?"] * 15
        found = await asyncio.gather(*(knowledge.asearch(each, 1, retriever="lexical") for each in questions))
        assert [each.question for each in found] == questions
    with pytest.raises(CorpusNotFound):
        await Knowledge("nobody's", settings=knowledge.settings).asearch(QUESTION)


def test_they_take_what_the_others_take() -> None:
    for name in ("search", "ingest", "ingest_documents", "index"):
        method, awaited = getattr(Knowledge, name), getattr(Knowledge, f"a{name}")
        assert inspect.signature(awaited) == inspect.signature(method)
        assert inspect.iscoroutinefunction(awaited)
        assert awaited.__name__ == f"a{name}"
        assert str(inspect.getdoc(method)) in str(inspect.getdoc(awaited))


async def test_they_call_the_methods_of_a_subclass(shared_corpus: Knowledge) -> None:
    class Shouting(Knowledge):
        def search(self, question: str, k: int = 5) -> str:  # type: ignore[override] # pyright: ignore
            return question.upper() * k

    async with Shouting("shared", settings=shared_corpus.settings) as shouting:
        assert str(await shouting.asearch("why?", 1)) == "WHY?"


async def test_a_cancelled_search_ends_on_the_server(knowledge: Knowledge) -> None:
    await knowledge.asearch(QUESTION, 1)
    task = asyncio.create_task(knowledge.asearch(QUESTION, 1, enrich=ENDLESS))
    await until(lambda: "retrieve/enrich" in statements(knowledge))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(task, 0.01)
    began = time.monotonic()
    await until(lambda: "retrieve/enrich" not in statements(knowledge))
    assert time.monotonic() - began < knowledge.settings.database.query_seconds / 2  # nor was it the time limit
    assert (await knowledge.asearch(QUESTION, 1)).hits


async def test_only_the_cancelled_search_ends(knowledge: Knowledge) -> None:
    two = [asyncio.create_task(knowledge.asearch(QUESTION, 1, enrich=ENDLESS)) for _ in range(2)]
    await until(lambda: statements(knowledge).count("retrieve/enrich") == 2)
    two[0].cancel()
    await until(lambda: statements(knowledge).count("retrieve/enrich") == 1)
    await asyncio.sleep(0.3)
    assert not two[1].done()
    assert statements(knowledge).count("retrieve/enrich") == 1
    two[1].cancel()
    await asyncio.wait(two)


@pytest.mark.slow
async def test_closing_ends_all_and_leaves_no_thread(shared_corpus: Knowledge) -> None:
    gc.collect()
    before = ours()
    async with Knowledge("shared", settings=shared_corpus.settings) as knowledge:
        knowledge.use(embedder=shared_corpus.embedder, extractor=shared_corpus.extractor)
        task = asyncio.create_task(knowledge.asearch(QUESTION, 1, enrich=ENDLESS))
        await until(lambda: "retrieve/enrich" in statements(shared_corpus))
        assert ours() > before
    assert "retrieve/enrich" not in statements(shared_corpus)
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: ours() <= before)


async def test_an_answer_comes_in_pieces(asked: Knowledge, endpoint: Endpoint) -> None:
    endpoint.then = streaming("He was ", "born in Ulm ", "[1].")
    stream = asked.astream(QUESTION, k=2)
    assert not endpoint.requests
    pieces = [piece async for piece in stream]
    assert [piece async for piece in stream] == []
    assert "".join(pieces) == (await stream.answer()).text
    assert len(pieces) > 1
    heard, thread = list[str](), list[int]()

    async def hear(piece: str) -> None:
        await asyncio.sleep(0)
        thread.append(threading.get_ident())
        heard.append(piece)

    answer = await asked.aask(QUESTION, k=2, on_text=hear)
    assert "".join(heard) == answer.text
    assert set(thread) == {threading.get_ident()}
    assert (await asked.aask(QUESTION, k=2, on_text=lambda piece: heard.append(piece))).text == answer.text


async def test_what_a_listener_raises_ends_the_question(asked: Knowledge, endpoint: Endpoint) -> None:
    endpoint.then = streaming("He was ", then=hung)
    with pytest.raises(ZeroDivisionError):
        await asked.aask(QUESTION, on_text=lambda _: 1 // 0)
    await until(endpoint.left.is_set)


async def test_an_error_comes_after_the_pieces(asked: Knowledge, endpoint: Endpoint) -> None:
    endpoint.then = streaming("He was ", finish=None)
    stream = asked.astream(QUESTION, strict=True)
    assert (await anext(stream)).startswith("He was")
    with pytest.raises(LlmError):
        await anext(stream)
    with pytest.raises(LlmError):
        await stream.answer()
    with pytest.raises(QuestionError):
        await asked.astream(" ").answer()
    with pytest.raises(QuestionError, match="on_text"):
        asked.astream(QUESTION, on_text=print)


@pytest.mark.parametrize("streamed", [True, False], ids=["streamed", "whole"])
async def test_a_cancelled_question_ends_its_request_and_no_other(
    asked: Knowledge, endpoint: Endpoint, streamed: bool
) -> None:
    endpoint.acts = [streaming("He was ", then=hung) if streamed else hung]
    endpoint.then = streaming("Ulm [1].")
    task = asyncio.create_task(asked.aask(QUESTION, on_text=(lambda _: None) if streamed else None))
    await until(endpoint.hanging.is_set)
    other = asyncio.create_task(asked.aask(QUESTION))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(endpoint.left.is_set)
    assert (await other).state == "answered"


@pytest.mark.parametrize("how", ["closed", "left", "forgotten"])
async def test_a_stream_that_nobody_reads_on_ends_its_request(asked: Knowledge, endpoint: Endpoint, how: str) -> None:
    endpoint.then = streaming("He was ", "born ", then=hung)
    if how == "left":
        async with asked.astream(QUESTION) as stream:
            assert await anext(stream)
    else:
        stream = asked.astream(QUESTION)
        assert await anext(stream)
        if how == "closed":
            await stream.aclose()
        else:
            del stream
            gc.collect()
    await until(endpoint.left.is_set)


class WaitingEmbedder(HashingEmbedder):
    """Embeds no second batch of passages before it may."""

    def __init__(self) -> None:
        super().__init__(16)
        self.waiting, self.going_on = threading.Event(), threading.Event()

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.embedded:
            self.waiting.set()
            assert self.going_on.wait(60)
        return super().embed(texts)


@pytest.mark.slow
async def test_a_cancelled_index_keeps_what_is_done_and_the_next_one_waits_for_it_and_goes_on(
    open_corpus: OpenCorpus,
) -> None:
    embedder = WaitingEmbedder()
    knowledge = open_corpus(embedder=embedder)
    await knowledge.aingest_documents([replace(EINSTEIN, source_key=str(n), text=f"Text {n}.") for n in range(400)])
    task = asyncio.create_task(knowledge.aindex())
    await until(embedder.waiting.is_set)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    again = asyncio.create_task(knowledge.aindex())
    assert await knowledge.asearch("What is text 7?", 1, retriever="lexical")  # while the batch is not over
    embedder.going_on.set()
    await again
    times = Counter(embedder.embedded).values()
    assert sum(times) == 400 + (400 - _EMBEDDED_CHUNKS_A_BATCH)  # what was embedded, but not stored yet, once more
    assert {each.status for each in knowledge.status().stages} == {"done"}


async def test_a_cancelled_ingest_keeps_what_is_stored(open_corpus: OpenCorpus) -> None:
    reading, going_on, read = threading.Event(), threading.Event(), 0

    def documents() -> Iterator[str]:
        nonlocal read
        for read in range(1, 601):
            if read == 350:
                reading.set()
                assert going_on.wait(60)
            yield f"Text {read}."

    knowledge = open_corpus()
    task = asyncio.create_task(knowledge.aingest_documents(documents()))
    await until(reading.is_set)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    going_on.set()
    report = await knowledge.aingest_documents(f"Text {n}." for n in range(1, 601))
    assert read < 600
    assert report.unchanged
    assert report.in_corpus == 600
