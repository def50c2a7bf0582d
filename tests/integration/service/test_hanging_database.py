"""While the database's process is stopped, requests that need it are 503 and the others answered."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http import HTTPStatus

import httpx
import psutil
import pytest
from tests.serving import Running

from overstory.graph import GraphClient
from overstory.knowledge import Knowledge
from overstory_service import request_limits

QUESTION = {"question": "Where was Albert Einstein born?", "k": 1}


@contextmanager
def frozen(graph: GraphClient) -> Generator[None]:
    """The process of the server is stopped."""
    port = int(graph.uri.rpartition(":")[2])
    (pid,) = {
        each.pid
        for each in psutil.net_connections("tcp")
        if each.status == psutil.CONN_LISTEN and each.laddr and each.laddr.port == port and each.pid
    }
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@pytest.fixture(params=[True, False], ids=["eager", "as it is"])
def _greets_soon(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param:
        monkeypatch.setattr(request_limits, "UNWATCHED_SECONDS", 0.5)
        monkeypatch.setattr(request_limits, "_GREETING_SECONDS", 1.0)


@pytest.mark.slow
@pytest.mark.usefixtures("_greets_soon")
def test_requests_are_503_while_the_database_is_frozen_and_answered_afterwards(
    service: Running, shared_corpus: Knowledge
) -> None:
    place = f"/v1/corpora/{shared_corpus.corpus_name}"
    chat = {"model": shared_corpus.corpus_name, "messages": [{"role": "user", "content": QUESTION["question"]}]}
    with service.client() as client, ThreadPoolExecutor(60) as threads:
        asked = {
            "corpora": lambda: client.get("/v1/corpora"),
            "status": lambda: client.get(place),
            "search": lambda: client.post(f"{place}/search", json=QUESTION),
            "ask": lambda: client.post(f"{place}/ask", json=QUESTION),
            "stream": lambda: client.post(f"{place}/ask", json=QUESTION | {"stream": True}),
            "chat": lambda: client.post("/v1/chat/completions", json=chat),
            "jobs": lambda: client.get("/v1/jobs"),
            "index": lambda: client.post(f"{place}/index"),
            "upload": lambda: client.post(f"{place}/files", files={"files": ("a.exe", b"nothing that is read")}),
        }
        for each in ("search", "chat"):
            assert asked[each]().status_code == HTTPStatus.OK
        with frozen(shared_corpus.graph):
            for _ in range(2):
                sent = {name: threads.submit(ask) for name, ask in asked.items()}
                more = [threads.submit(asked["search"]) for _ in range(40)]  # more than there are threads
                assert client.get("/healthz").status_code == HTTPStatus.OK
                for name, answer in sent.items():
                    found: httpx.Response = answer.result()
                    assert found.status_code == HTTPStatus.SERVICE_UNAVAILABLE, name
                    assert "operator of the service" in found.json()["remedy"]
                    assert "retry-after" in found.headers
                assert {each.result().status_code for each in more} == {HTTPStatus.SERVICE_UNAVAILABLE}
            assert client.get("/readyz").status_code == HTTPStatus.SERVICE_UNAVAILABLE
        for each in ("corpora", "status", "search", "ask", "stream", "chat", "jobs"):
            assert asked[each]().status_code == HTTPStatus.OK, each
        assert client.get("/readyz").status_code == HTTPStatus.OK
