"""Random damage to the bytes of whole requests never causes a fault or stops the service."""

from __future__ import annotations

import random
import socket
from datetime import UTC, datetime
from http import HTTPStatus

import pytest
from tests.fuzz.mutations import mutated
from tests.serving import Running

REQUESTS_A_MINUTE = 1_500
CONNECTION_SECONDS = 5.0
BODY = b'{"question": "Who?", "k": 3, "where": "year > 1815"}'
FORM = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\nSalt is up.\r\n--x--\r\n'
PING = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'


def _request(line: bytes, body: bytes = b"", kind: bytes = b"application/json") -> bytes:
    head = b"Host: 127.0.0.1\r\nConnection: close\r\nAccept: application/json, text/event-stream\r\n"
    return b"%s HTTP/1.1\r\n%sContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s" % (line, head, kind, len(body), body)


SEEDS = [
    _request(b"GET /v1/models"),
    _request(b"GET /corpora/none/documents?limit=3&where=year%3D1"),
    _request(b"POST /corpora/none/search", BODY),
    _request(b"POST /corpora/none/documents", FORM, b"multipart/form-data; boundary=x"),
    _request(b"POST /mcp", PING),
    b"POST /corpora/none/search HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY),
]


@pytest.mark.slow
def test_no_damaged_request_is_a_fault_of_ours(service: Running, pytestconfig: pytest.Config) -> None:
    chance = random.Random(datetime.now(UTC).toordinal())  # noqa: S311 # no secret
    for _ in range(int(float(pytestconfig.getoption("--fuzz-minutes") or 0) * REQUESTS_A_MINUTE)):
        request = mutated(chance.choice(SEEDS), SEEDS, chance)
        answer = _answer(service.port, request)
        assert not answer.startswith(b"HTTP/1.1 500"), request
    with service.client() as client:
        assert client.get("/readyz").status_code == HTTPStatus.OK


def _answer(port: int, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=CONNECTION_SECONDS) as connection:
        try:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
            return connection.recv(4_096)
        except OSError:  # closed on a request that cannot be read
            return b""
