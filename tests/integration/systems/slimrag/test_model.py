"""SlimRAG with a real language model: read by it, killed, resumed, and asked."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.chat_endpoint import Endpoint, Handler, hung, running_chat_endpoint, saying, sending
from tests.local_model import WHY_NOT, local_model_is_there, local_settings
from tests.passages import PASSAGES, OpenCorpus

from overstory import server
from overstory.errors import LlmError
from overstory.knowledge import Knowledge
from overstory.llm.local import LocalChat, LocalServer
from overstory.settings import LlmSettings

pytestmark = pytest.mark.skipif(not local_model_is_there(), reason=WHY_NOT)

DOCUMENTS = PASSAGES
QUESTIONS = ("Where was Albert Einstein born?", "Which river flows through the city where Albert Einstein was born?")


class Counting:
    """Forwards requests to the real model, and counts the answers.

    Attributes:
        hangs_after: number of answers; the next request gets none.
    """

    def __init__(self, model: LocalServer) -> None:
        self._model = model
        self._client = httpx.Client(timeout=120.0, trust_env=False)
        self._lock = threading.Lock()
        self.answered: Counter[str] = Counter()
        self.hangs_after: int | None = None

    def close(self) -> None:
        self._client.close()

    def __call__(self, handler: Handler, request: dict[str, Any]) -> None:
        if self.answered.total() == self.hangs_after:
            hung(handler, request)
            return
        headers = {"Authorization": f"Bearer {self._model.key}"}
        answer = self._client.post(f"{self._model.url}/chat/completions", json=request, headers=headers)
        with self._lock:  # before it is sent: the next request may be here before this function has ended
            self.answered[json.dumps(request, sort_keys=True)] += 1
        sending(answer.status_code, answer.json())(handler, request)


@pytest.fixture(scope="module")
def endpoint() -> Iterator[tuple[Endpoint, Counting]]:
    settings = local_settings(context=2_048)
    model = LocalServer(LocalChat(settings).file, context=2_048, threads=1, at_once=1)
    with running_chat_endpoint() as running:
        counting = Counting(model)
        running.then = counting
        yield running, counting
        counting.close()
    model.close()


def overstory(corpus: Knowledge, connection: server.Connection, url: str, home: Path, *arguments: str) -> list[str]:
    """The command, and the environment that it is to have, as `env` takes it."""
    environment = {
        "PYTHONPATH": ":".join(sys.path),
        "OVERSTORY_HOME": str(home),
        "OVERSTORY_NEO4J_URI": connection.uri,
        "OVERSTORY_NEO4J_PASSWORD": connection.password,
        "OVERSTORY_LLM_BASE_URL": url,
        "OVERSTORY_LLM_MODEL": "smollm2",
        "OVERSTORY_LLM_MAX_TOKENS": "80",
        "OVERSTORY_LLM_AT_ONCE": "1",
    }
    names = [f"{name}={value}" for name, value in environment.items()]
    command = [sys.executable, "-m", "overstory", *arguments, "--corpus", corpus.corpus_name]
    return ["env", *names, *command]


@pytest.mark.slow
def test_after_a_kill_nothing_that_was_answered_is_asked_again_and_the_index_answers_questions(
    open_corpus: OpenCorpus, connection: server.Connection, endpoint: tuple[Endpoint, Counting], tmp_path: Path
) -> None:
    running, counting = endpoint
    knowledge = open_corpus()
    knowledge.ingest_documents(DOCUMENTS)
    knowledge.index()
    arguments = ("index", "--system", "slimrag", "--model", "smollm2")
    command = overstory(knowledge, connection, running.url, tmp_path, *arguments)
    counting.hangs_after = len(DOCUMENTS) // 2
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=os.environ) as run:
        assert running.hanging.wait(timeout=120.0)
        run.kill()
    assert counting.answered.total() == counting.hangs_after
    counting.hangs_after = None
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr

    assert set(counting.answered.values()) == {1}
    assert len(counting.answered) >= len(DOCUMENTS)
    (report,) = knowledge.system_reports()
    assert (report.pending, report.how) == (0, "read by smollm2, with coreference")
    assert report.figures["LLM-RITU"] > 0

    assert "Note: smollm2 took" in result.stderr
    sent = counting.answered.total()
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "is up to date" in again.stdout
    assert counting.answered.total() == sent
    llm = LlmSettings(llm="openai", model="smollm2", base_url=running.url, max_tokens=80, at_once=1)
    with Knowledge(knowledge.corpus_name, settings=replace(knowledge.settings, llm=llm)) as asking:
        asking.use(embedder=knowledge.embedder)
        for question in QUESTIONS:
            evidence = asking.search(question, retriever="slimrag")
            assert evidence.hits
            assert evidence.excerpts
        chat = asking.chat()
    assert chat is not None
    assert set(chat.usage.by_question) == set(QUESTIONS)


@pytest.mark.slow
def test_a_budget_ends_a_run_cleanly_and_an_estimate_sends_nothing(
    open_corpus: OpenCorpus, connection: server.Connection, endpoint: tuple[Endpoint, Counting], tmp_path: Path
) -> None:
    running, counting = endpoint
    knowledge = open_corpus()
    knowledge.ingest_documents(DOCUMENTS[:2])
    knowledge.index()
    sent = counting.answered.total()
    arguments = ("index", "--system", "slimrag", "--model", "smollm2")
    command = overstory(knowledge, connection, running.url, tmp_path, *arguments)
    estimate = subprocess.run([*command, "--estimate", "--json"], capture_output=True, text=True, check=True)
    assert json.loads(estimate.stdout)["requests"] == 2
    stopped = subprocess.run([*command, "--budget-tokens", "10"], capture_output=True, text=True, check=False)
    assert stopped.returncode == 15
    assert "--budget-tokens" in stopped.stderr
    assert counting.answered.total() == sent
    assert knowledge.status().pending["slimrag"] == 2


@pytest.mark.slow
def test_a_model_that_is_gone_is_named_with_the_way_out_and_bad_answers_are_told(
    open_corpus: OpenCorpus, endpoint: tuple[Endpoint, Counting]
) -> None:
    running, _ = endpoint
    running.acts = [saying('{"nonsense": true}')] * 2
    knowledge = open_corpus()
    knowledge.ingest_documents(DOCUMENTS[:1])
    llm = LlmSettings(llm="openai", model="smollm2", base_url=running.url, cache_megabytes=0)
    with Knowledge(knowledge.corpus_name, settings=replace(knowledge.settings, llm=llm)) as reading:
        reading.use(embedder=knowledge.embedder, extractor=knowledge.extractor)
        took, by_rules = reading.index(systems=["slimrag"], model="smollm2").notes
        (report,) = reading.system_reports()
    assert took == "smollm2 took 2 requests, 24 tokens, 24 of them wasted"
    assert by_rules.startswith("1 of 1 window ")
    assert (report.figures["prompt_tokens"], report.figures["completion_tokens"]) == (20, 4)

    assert not {"slimrag"} & set(knowledge.index().done)  # nothing to read: the model need not be there
    knowledge.ingest_documents(DOCUMENTS[1:2])
    with pytest.raises(LlmError) as caught:  # its settings name no endpoint
        knowledge.index()
    assert f"--system slimrag --model none --corpus {shlex.quote(knowledge.corpus_name)}" in caught.value.remedy
    assert knowledge.index(model="none").done == ("slimrag",)
