"""Hostile clients and files do little harm, and other clients are answered."""

from __future__ import annotations

import io
import json
import os
import socket
import time
import zipfile
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http import HTTPStatus

import httpx
import psutil
import pytest
from tests.passages import OpenCorpus
from tests.serving import Running

from overstory.knowledge import Knowledge
from overstory_service import application

TINY_REQUESTS = int(os.environ.get("OVERSTORY_TEST_TINY_REQUESTS", "1000"))
"""A multiple of 50; 10,000 of them take a minute."""
PATIENCE_SECONDS = 60.0
MEGABYTE = 2**20


def eventually(holds: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE_SECONDS
    while not (held := holds()) and time.monotonic() < end:
        time.sleep(0.1)
    return held


def working(client: httpx.Client) -> float:
    """Return the number of running requests, without the one that asks."""
    (line,) = [
        each for each in client.get("/metrics").text.splitlines() if each.startswith("overstory_requests_working")
    ]
    return float(line.rpartition(" ")[2]) - 1


def test_files_that_unpack_without_end_are_named_and_the_others_loaded(
    client: httpx.Client, open_corpus: OpenCorpus
) -> None:
    before = psutil.Process().memory_info().rss
    files = {
        "good.md": b"Bram Stoker wrote the novel Dracula.",
        "bomb.docx": docx_bomb(megabytes=300),
        "page.pdf": pdf_bomb(megabytes=256),
    }
    sent = [("files", (name, content)) for name, content in files.items()]
    job = client.post(f"/v1/corpora/{open_corpus().corpus_name}/files", files=sent).json()["id"]
    assert eventually(lambda: client.get(f"/v1/jobs/{job}").json()["state"] == "done")
    loaded = client.get(f"/v1/jobs/{job}").json()["result"]["loaded"]
    assert loaded["added"] == 1
    assert {each.partition(":")[0] for each in loaded["broken"]} == {"bomb.docx", "page.pdf"}
    assert psutil.Process().memory_info().rss - before < 300 * MEGABYTE


def docx_bomb(megabytes: int) -> bytes:
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("word/document.xml", "w", force_zip64=True) as member,
    ):
        for _ in range(megabytes):
            member.write(b"a" * MEGABYTE)
    return buffer.getvalue()


def pdf_bomb(megabytes: int) -> bytes:
    """One page, whose content unpacks to so much."""
    packed = zlib.compress(b"\0" * megabytes * MEGABYTE, 9)
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%b\nendstream" % (len(packed), packed),
    ]
    out, places = b"%PDF-1.4\n", list[int]()
    for number, body in enumerate(bodies, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"xref\n0 5\n0000000000 65535 f \n%btrailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        table,
        len(out),
    )


def test_a_client_that_does_not_take_its_answers_is_left(
    service: Running, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(application, "_HEAD_SECONDS", 1.0)
    answer = client.get("/openapi.json").content
    count = 400
    with socket.socket() as greedy:
        greedy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        greedy.connect(("127.0.0.1", service.port))
        port = greedy.getsockname()[1]
        greedy.settimeout(PATIENCE_SECONDS)
        greedy.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * count)
        assert eventually(lambda: port not in connections(service.port))
    assert len(answer) * count > 16 * MEGABYTE  # more than a system keeps for a connection
    assert eventually(lambda: working(client) == 0)


def connections(port: int) -> set[int]:
    """The ports of clients to which this process still has the service's end of a connection."""
    found = psutil.Process().net_connections("tcp")
    return {each.raddr.port for each in found if each.laddr.port == port and each.raddr}


def test_clients_that_leave_stop_costing_anything(
    service: Running, client: httpx.Client, shared_corpus: Knowledge
) -> None:
    body = json.dumps({"question": "Where was Albert Einstein born?", "k": 5}).encode()
    place = f"/v1/corpora/{shared_corpus.corpus_name}/ask"
    head = f"POST {place} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
    for stream in ("", "Accept: text/event-stream\r\n"):
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", service.port)) as left:
                left.sendall(f"{head}Content-Type: application/json\r\n{stream}\r\n".encode() + body)
    assert eventually(lambda: working(client) == 0)
    assert client.post(place, json={"question": "Where was Albert Einstein born?"}).status_code == HTTPStatus.OK


def test_thousands_of_tiny_requests_are_answered_and_leave_nothing(service: Running, client: httpx.Client) -> None:
    with ThreadPoolExecutor(20) as threads:
        counts = [50] * (TINY_REQUESTS // 50)
        answered = sum(threads.map(partial(pipelined, service.port), counts))
    assert answered == TINY_REQUESTS
    assert eventually(lambda: working(client) == 0)
    client.close()
    assert eventually(lambda: not connections(service.port))


def pipelined(port: int, count: int) -> int:
    """Send `count` requests at once on one connection, and count the responses 200 and 429."""
    one = b"GET /v1/corpora/none/entities HTTP/1.1\r\nHost: localhost\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS) as connection:
        connection.sendall((one + b"\r\n") * (count - 1) + one + b"Connection: close\r\n\r\n")
        answer = b""
        while piece := connection.recv(65_536):
            answer += piece
    return answer.count(b"HTTP/1.1 404") + answer.count(b"HTTP/1.1 429")
