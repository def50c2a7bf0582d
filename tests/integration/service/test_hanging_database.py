"""Neo4j stops answering while the service runs."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus

import pytest
from tests.serving import Running

from overstory import server
from overstory.knowledge import Knowledge
from overstory.settings import Settings

CLIENT_SECONDS = 15


@pytest.mark.slow
def test_requests_are_refused_soon_and_answered_again(
    service: Running, shared_corpus: Knowledge, settings: Settings
) -> None:
    pid = server.status(settings).pid
    assert pid is not None
    path = f"/v1/corpora/{shared_corpus.corpus_name}/search"
    with service.client() as client, ThreadPoolExecutor(40) as threads:
        client.timeout = CLIENT_SECONDS
        assert client.post(path, json={"question": "Who?"}).status_code == HTTPStatus.OK
        os.kill(pid, signal.SIGSTOP)
        try:
            asked = [threads.submit(client.post, path, json={"question": f"Who is {n}?"}) for n in range(40)]
            assert client.get("/healthz").status_code == HTTPStatus.OK
            refused = [each.result() for each in asked]
        finally:
            os.kill(pid, signal.SIGCONT)
        assert {each.status_code for each in refused} == {HTTPStatus.SERVICE_UNAVAILABLE}
        assert all(each.json()["remedy"] for each in refused)
        assert client.post(path, json={"question": "Who?"}).status_code == HTTPStatus.OK
