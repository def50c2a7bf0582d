"""Bodies of requests: read only with a good token, and never at the cost of other requests."""

from __future__ import annotations

import asyncio
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi import FastAPI
from starlette.routing import BaseRoute, Route
from starlette.types import Message, Scope

from overstory.settings import Places, Settings
from overstory_service import application as service
from overstory_service.application import create_application, server_options
from overstory_service.guards import _MOST_ARRIVING_BODIES
from overstory_service.settings import ServiceSettings
from overstory_service.tokens import TOKENS_FILE, TokenFile

OPEN = {
    ("GET", "/"),
    ("GET", "/openapi.json"),
    ("HEAD", "/openapi.json"),
    ("GET", "/page/{name:path}"),
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("POST", "/v1/session"),
    ("DELETE", "/v1/session"),
}
"""Routes that need no token."""
UNKNOWN = [("GET", "/v2"), ("POST", "/v1/corpora/x/files/"), ("POST", "/page"), ("PATCH", "/v1/jobs")]
PARAMETER = re.compile(r"\{[^}]*\}")
WAIT_SECONDS = 30.0


@pytest.fixture
def tokens(tmp_path: Path) -> TokenFile:
    return TokenFile(tmp_path / TOKENS_FILE)


@pytest.fixture
def application(tmp_path: Path, tokens: TokenFile) -> FastAPI:
    """One with a token, and without a database."""
    tokens.add("root", "admin")
    settings = Settings(places=Places(data=tmp_path, cache=tmp_path))
    return create_application(settings, ServiceSettings(), folder=tmp_path)


@pytest.fixture
def port(application: FastAPI) -> Iterator[int]:
    """Where the application is served, as the service does it."""
    options = server_options(application.state.host.settings)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(application, lifespan="off", **options))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield listener.getsockname()[1]
        server.should_exit = True
        thread.join()


def connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=WAIT_SECONDS)


def client_of(port: int, token: str = "") -> httpx.Client:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=WAIT_SECONDS, trust_env=False)


def routes(application: FastAPI) -> set[tuple[str, str]]:
    """The method and the path of each route, those of included routers too."""
    found: list[BaseRoute] = []
    for each in application.routes:
        included = getattr(each, "original_router", None)
        found += [each] if included is None else included.routes
    return {(method, each.path) for each in found if isinstance(each, Route) for method in each.methods or ()}


def asked(method: str, path: str, *headers: tuple[bytes, bytes], length: bytes = b"100") -> Scope:
    """A request whose body has not come yet."""
    own = [(b"host", b"localhost"), (b"content-length", length), (b"content-type", b"application/json")]
    return {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [*own, *headers],
    }


def status_without_body(application: FastAPI, scope: Scope) -> int:
    """The status of the answer; fails if the body is asked for."""
    sent: list[Message] = []

    async def receive() -> Message:
        raise AssertionError("the body is read")

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(application(scope, receive, send))
    return int(sent[0]["status"])


@pytest.mark.parametrize(
    "headers",
    [
        (),
        ((b"authorization", b"Bearer x"),),
        ((b"authorization", b"Basic eDp4"),),
        ((b"cookie", b"overstory_session=x"), (b"x-overstory-page", b"1")),
    ],
)
def test_no_route_reads_a_body_without_a_good_token(
    application: FastAPI, headers: tuple[tuple[bytes, bytes], ...]
) -> None:
    found = routes(application)
    assert found > OPEN
    assert found > {("POST", "/mcp"), ("POST", "/v1/chat/completions"), ("POST", "/v1/corpora/{corpus}/files")}
    for method, path in sorted(found - OPEN) + UNKNOWN:
        scope = asked(method, PARAMETER.sub("0" * 32, path), *headers)
        assert status_without_body(application, scope) == HTTPStatus.UNAUTHORIZED, (method, path)


def test_what_needs_no_token_reads_no_body_but_that_of_a_sign_in(application: FastAPI) -> None:
    for method, path in sorted(OPEN - {("POST", "/v1/session")}):
        scope = asked(method, PARAMETER.sub("js/words.js", path), (b"x-overstory-page", b"1"))
        assert status_without_body(application, scope) in {200, 204, 503}, (method, path)  # 503: there is no database
    large = asked("POST", "/v1/session", length=b"20000")
    assert status_without_body(application, large) == HTTPStatus.REQUEST_ENTITY_TOO_LARGE


@pytest.mark.parametrize("path", ["/v1/corpora/x/search", "/mcp", "/v1/corpora/x/files", "/v1/session"])
@pytest.mark.parametrize("rights", ["", "read", "write"])
def test_bodies_that_are_never_completed_take_no_place_from_others(
    port: int, tokens: TokenFile, path: str, rights: Any
) -> None:
    own = f"Authorization: Bearer {tokens.add('other', rights)}\r\n" if rights else ""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{own}Content-Type: multipart/form-data; boundary=b\r\n"
    with ExitStack() as stack:
        half = [stack.enter_context(connected(port)) for _ in range(70)]
        for each in half:
            each.sendall(f"{head}Content-Length: 100\r\n\r\n--b".encode())
        root = stack.enter_context(client_of(port, tokens.add("second root", "admin")))
        for _ in range(10):
            assert root.get("/v1/tokens").status_code == HTTPStatus.OK
            assert root.post("/v1/tokens", json={"name": ""}).status_code == HTTPStatus.UNPROCESSABLE_ENTITY
        if rights and path != "/v1/session" and not (rights == "read" and path.endswith("/files")):
            refused = half[_MOST_ARRIVING_BODIES:]
            assert all(each.recv(100).startswith(b"HTTP/1.1 429") for each in refused)


@pytest.mark.slow
@pytest.mark.parametrize("chunk", [b"1\r\nx\r\n", b"2;" + b"e" * 40 + b"\r\nab\r\n"])
@pytest.mark.parametrize("is_known", [True, False])
def test_a_body_in_tiny_chunks_is_refused_and_others_are_answered_meanwhile(
    port: int, tokens: TokenFile, chunk: bytes, is_known: bool
) -> None:
    token = tokens.add("other", "read") if is_known else "x"
    head = "POST /v1/corpora/x/search HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
    many = chunk * (1_000_000 // len(chunk))
    with client_of(port) as client, connected(port) as sender:
        sender.sendall(f"{head}Authorization: Bearer {token}\r\n\r\n".encode())
        with pytest.raises(ConnectionError):
            send_until_closed(sender, many, lambda: client.get("/healthz").raise_for_status())
        with suppress(ConnectionError):
            assert sender.recv(100).startswith(b"HTTP/1.1 400" if is_known else b"HTTP/1.1 401")


def send_until_closed(sender: socket.socket, piece: bytes, between: Callable[[], object]) -> None:
    end = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < end:
        sender.sendall(piece)
        between()


def test_a_body_in_small_chunks_is_read(port: int, tokens: TokenFile) -> None:
    text = '{"name": "' + " " * 30_000 + '", "rights": "read"}'
    with client_of(port, tokens.add("other", "admin")) as client:
        own = {"Content-Type": "application/json"}
        answer = client.post("/v1/tokens", content=(each.encode() for each in text), headers=own)
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "at most 64 characters" in answer.json()["detail"]


def test_a_connection_is_closed_on_which_a_refused_body_goes_on(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "_HEAD_SECONDS", 1.0)
    with connected(port) as sender:
        sender.sendall(b"POST /v1/corpora HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n")
        assert sender.recv(100).startswith(b"HTTP/1.1 401")
        with pytest.raises(ConnectionError):
            send_until_closed(sender, b"x", lambda: time.sleep(0.2))
