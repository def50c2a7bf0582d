"""`overstory mcp` as programs of agents start it: a process that speaks on standard input and output."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest
from mcp import MCPError
from tests.agents import on_stdio, structure, talk, text
from tests.chat_endpoint import hung, running_chat_endpoint
from tests.commands import PROGRAM, Run, environment
from tests.passages import OpenCorpus

from overstory.examples import agent_skill
from overstory.knowledge import Knowledge
from overstory.settings import Settings
from overstory_service.tokens import TOKENS_FILE, TokenFile, service_folder

QUESTION = "Where was Albert Einstein born?"
READING = {"ask", "search", "path", "entity", "tree", "report", "read_document", "corpora"}
WRITING = {"store_text", "delete_document", "index", "job"}
END_SECONDS = 30


@pytest.mark.parametrize("mode", ["auto", pytest.param("legacy", marks=pytest.mark.slow)])
def test_an_agent_asks_a_process_that_it_started(settings: Settings, shared_corpus: Knowledge, mode: str) -> None:
    async def work() -> None:
        async with on_stdio(settings, "--corpus", shared_corpus.corpus_name, mode=mode) as client:
            tools = (await client.list_tools()).tools
            assert {tool.name for tool in tools} == READING
            found = structure(await client.call_tool("search", {"question": QUESTION, "k": 2}))
            expected = shared_corpus.search(QUESTION, 2).hits
            assert [each["chunk_id"] for each in found["hits"]] == [hit.chunk_id for hit in expected]
            assert structure(await client.call_tool("ask", {"question": QUESTION}))["state"] == "answered"
            assert structure(await client.call_tool("path", {"start": "Danube", "end": "Ulm"}))["paths"]
            (only,) = structure(await client.call_tool("corpora", {}))["corpora"]
            assert only["name"] == shared_corpus.corpus_name
            other = await client.call_tool("search", {"question": QUESTION, "corpus": "another"})
            assert "There is no corpus 'another'" in text(other)
            with pytest.raises(MCPError, match="Unknown tool"):
                await client.call_tool("store_text", {})

    talk(work)


@pytest.mark.slow
def test_it_changes_corpora_only_if_it_was_started_so(settings: Settings, open_corpus: OpenCorpus) -> None:
    name = open_corpus().corpus_name

    async def work() -> None:
        async with on_stdio(settings, "--write", "--corpus", name) as client:
            assert {tool.name for tool in (await client.list_tools()).tools} == READING | WRITING
            given = {"corpus": name, "text": "Zog Quark lives in Leith.", "source": "notes"}
            assert structure(await client.call_tool("store_text", given))["added"] == 1
            job = structure(await client.call_tool("index", {}))
            end = time.monotonic() + 90
            while job["state"] in ("queued", "running") and time.monotonic() < end:
                await asyncio.sleep(0.2)
                job = structure(await client.call_tool("job", {"job": job["id"]}))
            assert job["state"] == "done", job
            found = structure(await client.call_tool("search", {"question": "Who lives in Leith?"}))
            assert len(found["hits"]) == 1

    talk(work)


@pytest.mark.slow
def test_a_token_gives_it_the_rights_of_the_token(
    settings: Settings, shared_corpus: Knowledge, open_corpus: OpenCorpus
) -> None:
    hidden = open_corpus()
    tokens = TokenFile(service_folder(settings) / TOKENS_FILE)
    name = f"agent of {shared_corpus.corpus_name}"
    variables = {"OVERSTORY_TOKEN": tokens.add(name, "read", corpora=[shared_corpus.corpus_name])}

    async def work() -> None:
        async with on_stdio(settings, "--write", variables=variables) as client:
            assert {tool.name for tool in (await client.list_tools()).tools} == READING
            listed = structure(await client.call_tool("corpora", {}))["corpora"]
            assert [each["name"] for each in listed] == [shared_corpus.corpus_name]
            refused = await client.call_tool("search", {"question": QUESTION, "corpus": hidden.corpus_name})
            assert text(refused).startswith("There is no corpus")
            tokens.revoke(name)
            late = await client.call_tool("search", {"question": QUESTION})
            assert "revoked" in text(late)

    try:
        talk(work)
        ended = run_mcp(settings, variables=variables)
        assert ended.returncode == 3
        assert ended.stdout == b""
        assert b"OVERSTORY_TOKEN" in ended.stderr
        assert b"overstory tokens add" in ended.stderr
    finally:
        (service_folder(settings) / TOKENS_FILE).unlink()  # or the service of other tests would ask for tokens


@pytest.mark.slow
def test_nothing_but_the_protocol_is_on_standard_output(settings: Settings, shared_corpus: Knowledge) -> None:
    with started(settings, "-v", "--corpus", shared_corpus.corpus_name) as process:
        answers = [initialize(process)]
        process.stdin.write(b'this is no JSON\n\n[]\n{"jsonrpc": "2.0"}\n')
        calls: list[dict[str, Any]] = [{"question": QUESTION}, {"k": 0}, {"question": "x" * 5_000_000}]
        for number, given in enumerate(calls, start=2):
            answers.append(call(process, number, "search", given))
        process.stdin.close()
        rest = process.stdout.read()
        assert process.wait(END_SECONDS) == 0
        errors = process.stderr.read().decode()
    assert [answer["id"] for answer in answers] == [1, 2, 3, 4]
    assert answers[1]["result"]["structuredContent"]["hits"]
    assert answers[2]["result"]["isError"]
    assert "at most 10000 characters" in answers[3]["result"]["content"][0]["text"]
    assert len(str(answers[3])) < 1_000
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in rest.splitlines())
    assert "Traceback" not in errors


@pytest.mark.slow
def test_a_cancelled_request_ends_its_work_and_the_process_goes_on(
    settings: Settings, shared_corpus: Knowledge
) -> None:
    with running_chat_endpoint() as endpoint:
        endpoint.then = hung
        with started(settings, "--corpus", shared_corpus.corpus_name, variables=llm_at(endpoint.url)) as process:
            initialize(process)
            send(
                process,
                {"id": 2, "method": "tools/call", "params": {"name": "ask", "arguments": {"question": QUESTION}}},
            )
            assert endpoint.hanging.wait(60)
            send(process, {"method": "notifications/cancelled", "params": {"requestId": 2}})
            assert endpoint.left.wait(END_SECONDS)
            assert call(process, 3, "search", {"question": QUESTION})["result"]["structuredContent"]["hits"]
            process.stdin.close()
            assert process.wait(END_SECONDS) == 0


@pytest.mark.slow
def test_it_ends_with_its_client_whatever_is_going_on(settings: Settings, shared_corpus: Knowledge) -> None:
    codes = {}
    for end in ("input", "pipes", "terminated", "interrupted"):
        with running_chat_endpoint() as endpoint:
            endpoint.then = hung
            with started(settings, "--corpus", shared_corpus.corpus_name, variables=llm_at(endpoint.url)) as process:
                initialize(process)
                asked = {"name": "ask", "arguments": {"question": QUESTION}}
                send(process, {"id": 2, "method": "tools/call", "params": asked})
                assert endpoint.hanging.wait(60)
                if end == "pipes":
                    process.stdout.close()
                if end in ("input", "pipes"):
                    process.stdin.close()
                else:
                    process.send_signal(signal.SIGTERM if end == "terminated" else signal.SIGINT)
                codes[end] = process.wait(END_SECONDS)
                assert endpoint.left.wait(END_SECONDS)
                assert b"Traceback" not in process.stderr.read(), end
    assert codes == {"input": 0, "pipes": 0, "terminated": 143, "interrupted": 130}


@pytest.mark.slow
def test_a_database_that_is_not_there_is_said_with_the_remedy(settings: Settings) -> None:
    nowhere = {"OVERSTORY_NEO4J_URI": "bolt://127.0.0.1:9", "OVERSTORY_NEO4J_PASSWORD": "x"}

    async def work() -> str:
        async with on_stdio(settings, variables=nowhere) as client:
            assert {tool.name for tool in (await client.list_tools()).tools} == READING
            return text(await client.call_tool("search", {"question": QUESTION}))

    said = talk(work)
    assert "127.0.0.1:9" in said
    assert "OVERSTORY_NEO4J_URI" in said


def test_the_skill_is_printed(overstory: Run) -> None:
    assert overstory("mcp", "--skill").out == agent_skill().read_text(encoding="utf-8")


def llm_at(url: str) -> dict[str, str]:
    return {
        "OVERSTORY_LLM": "openai",
        "OVERSTORY_LLM_MODEL": "m",
        "OVERSTORY_LLM_BASE_URL": url,
        "OVERSTORY_LLM_API_KEY": "x",
        "OVERSTORY_LLM_CACHE_MB": "0",
    }


@contextmanager
def started(
    settings: Settings, *options: str, variables: dict[str, str] | None = None
) -> Generator[Any]:  # a Popen, whose pipes are there
    """Run the command as a process, and end it completely."""
    with subprocess.Popen(
        [PROGRAM, "mcp", *options],
        env=environment(settings) | (variables or {}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def run_mcp(settings: Settings, *, variables: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [PROGRAM, "mcp"],
        env=environment(settings) | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=60,
    )


def send(process: Any, message: dict[str, Any]) -> None:
    process.stdin.write(json.dumps({"jsonrpc": "2.0"} | message).encode() + b"\n")
    process.stdin.flush()


def answer_to(process: Any, number: int) -> dict[str, Any]:
    """The answer with this id; notifications and answers to garbage before it must be of the protocol, too."""
    while True:
        line = process.stdout.readline()
        assert line, process.stderr.read()
        found: dict[str, Any] = json.loads(line)
        assert found["jsonrpc"] == "2.0"
        if found.get("id") == number:
            return found


def initialize(process: Any) -> dict[str, Any]:
    client = {"name": "test", "version": "1"}
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    send(process, {"id": 1, "method": "initialize", "params": params})
    found = answer_to(process, 1)
    send(process, {"method": "notifications/initialized"})
    return found


def call(process: Any, number: int, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    send(process, {"id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
    return answer_to(process, number)
