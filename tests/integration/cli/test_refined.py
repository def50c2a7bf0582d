"""`overstory search`, `ask` and `bench` with a reranker and with a language model that finds other ways to ask."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.chat_endpoint import Endpoint as ChatEndpoint
from tests.chat_endpoint import failing, running_chat_endpoint, saying
from tests.commands import Run
from tests.embeddings_endpoint import Endpoint, running_endpoint
from tests.embeddings_endpoint import saying as answering

from overstory.knowledge import Knowledge

QUESTION = "Where was Albert Einstein born?"


@pytest.fixture
def reranker(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with running_endpoint() as endpoint:
        monkeypatch.setenv("OVERSTORY_RERANK_BASE_URL", endpoint.url)
        monkeypatch.setenv("OVERSTORY_RERANK_PASSAGES", "3")
        yield endpoint


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatEndpoint]:
    with running_chat_endpoint() as endpoint:
        for name, value in (("BASE_URL", endpoint.url), ("MODEL", "m"), ("CACHE_MB", "0"), ("RETRIES", "0")):
            monkeypatch.setenv(f"OVERSTORY_LLM_{name}", value)
        yield endpoint


def hits(said: dict[str, Any]) -> list[Any]:
    return list(said["hits"])


def test_a_search_is_reranked(overstory: Run, shared_corpus: Knowledge, reranker: Endpoint) -> None:
    ran = overstory("search", QUESTION, "--corpus", shared_corpus.corpus_name, "-k", "2", "--rerank", "--json")
    assert ran.code == 0
    said = ran.json()
    assert said["retriever"] == "canopy+rerank"
    assert [hit["reasons"][0]["kind"] for hit in hits(said)] == ["rerank", "rerank"]
    [request] = reranker.requests
    assert (request["query"], len(request["documents"])) == (QUESTION, 3)
    assert request["documents"][0].partition("\n")[0] in ("Albert Einstein", "Ulm")


def test_a_reranker_that_fails_ends_the_search_and_says_why(
    overstory: Run, shared_corpus: Knowledge, reranker: Endpoint
) -> None:
    reranker.answers = [answering(400, {"message": "no such model"})]
    ran = overstory("search", QUESTION, "--corpus", shared_corpus.corpus_name, "--rerank")
    assert (ran.code, ran.out) == (9, "")
    assert "no such model" in ran.err
    assert "OVERSTORY_RERANK_MODEL" in ran.err


@pytest.mark.parametrize("command", ["search", "ask"])
def test_without_a_reranker_the_command_says_how_to_set_one(
    overstory: Run, shared_corpus: Knowledge, command: str
) -> None:
    ran = overstory(command, QUESTION, "--corpus", shared_corpus.corpus_name, "--rerank")
    assert (ran.code, ran.out) == (9, "")
    assert "Set OVERSTORY_RERANK_BASE_URL" in ran.err


@pytest.mark.parametrize(("command", "option"), [("search", "--decompose"), ("ask", "--hypothetical")])
def test_without_a_language_model_the_command_says_how_to_set_one(
    overstory: Run, shared_corpus: Knowledge, command: str, option: str
) -> None:
    ran = overstory(command, QUESTION, "--corpus", shared_corpus.corpus_name, option, "--model", "none")
    assert (ran.code, ran.out) == (14, "")
    assert "No language model is set" in ran.err


def test_a_question_is_asked_in_parts(overstory: Run, shared_corpus: Knowledge, chat: ChatEndpoint) -> None:
    chat.then = saying(json.dumps({"questions": ["Who worked in Bern?", "What is on the Danube?"]}))
    ran = overstory("search", QUESTION, "--corpus", shared_corpus.corpus_name, "--decompose")
    assert ran.code == 0
    assert 'also searched for: "Who worked in Bern?"; "What is on the Danube?"' in ran.out + ran.err
    assert chat.requests[0]["response_format"]["json_schema"]["schema"]["required"] == ["questions"]


def test_an_answer_says_how_else_was_searched(overstory: Run, shared_corpus: Knowledge, chat: ChatEndpoint) -> None:
    chat.then = failing(400, "no more")
    chat.acts = [saying(json.dumps({"passage": "He was born in Ulm, a city on the Danube."}))]
    ran = overstory("ask", QUESTION, "--corpus", shared_corpus.corpus_name, "--hypothetical", "--json")
    said = ran.json()
    evidence: Any = said["evidence"]
    assert ran.code == 0
    assert said["short"] == "Ulm"
    assert 'also searched for a hypothetical answer: "He was born in Ulm, a city on the Danube."' in evidence["notes"]


def test_a_model_that_cannot_be_asked_ends_the_search(
    overstory: Run, shared_corpus: Knowledge, chat: ChatEndpoint
) -> None:
    chat.then = failing(401, "who are you")
    ran = overstory("search", QUESTION, "--corpus", shared_corpus.corpus_name, "--decompose")
    assert (ran.code, ran.out) == (14, "")
