"""A web server on this machine that speaks OpenAI's chat API and fails on request, in ways that no real model does."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.web_server import web_server

Act = Callable[["Handler", dict[str, Any]], None]
"""Answers a request with this JSON body, or does something worse."""


def completion(text: object = "Dublin", *, finish: str = "stop", **more: object) -> dict[str, object]:
    """The body of an answer."""
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "m-2026",
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12},
    } | more


def saying(text: object = "Dublin", **more: Any) -> Act:
    """A good answer."""
    return sending(200, completion(text, **more))


def sending(status: int, body: object, headers: Mapping[str, str] | None = None) -> Act:
    """A status with a body; one that is a string goes as a web page."""

    def act(handler: Handler, request: dict[str, Any]) -> None:
        content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", "text/html" if isinstance(body, str) else "application/json")
        handler.send_header("Content-Length", str(len(content)))
        for name, value in (headers or {}).items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(content)

    return act


def failing(status: int, message: str = "no", headers: Mapping[str, str] | None = None, **more: object) -> Act:
    """An error in OpenAI's form."""
    return sending(status, {"error": {"message": message} | more}, headers)


def obedient(handler: Handler, request: dict[str, Any]) -> None:
    """JSON where a schema is given, else some words, and no more of them than asked for."""
    words = '{"city": "Dublin"}' if "response_format" in request else "He was born in Dublin by the sea"
    given = words.split()[: request["max_tokens"]]
    finish = "stop" if len(given) == len(words.split()) else "length"
    usage = {"prompt_tokens": 10, "completion_tokens": len(given)}
    if request.get("stream"):
        streaming(*(f"{word} " for word in given), finish=finish)(handler, request)
        return
    saying(" ".join(given), finish=finish, usage=usage)(handler, request)


def streaming(
    *pieces: object, finish: str | None = "stop", usage: bool = True, then: Act | None = None, **more: object
) -> Act:
    """An answer in pieces, as server-sent events.

    Args:
        finish: None leaves its end out.
        usage: the last event counts the tokens, if that is asked for.
        then: what happens after the pieces, instead of an end.
    """

    def act(handler: Handler, request: dict[str, Any]) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m-2026"}
        for piece in pieces:
            _event(handler, head | {"choices": [{"index": 0, "delta": {"content": piece}}]} | more)
        if then is not None:
            then(handler, request)
            return
        if finish is not None:
            _event(handler, head | {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
        if usage and "stream_options" in request:
            _event(handler, head | {"choices": [], "usage": completion()["usage"]})
        _chunk(handler, b"data: [DONE]\n\n")
        _chunk(handler, b"")

    return act


def _event(handler: Handler, body: object) -> None:
    _chunk(handler, b"data: " + json.dumps(body).encode() + b"\n\n")


def _chunk(handler: Handler, content: bytes) -> None:
    handler.wfile.write(f"{len(content):x}\r\n".encode() + content + b"\r\n")
    handler.wfile.flush()


def failing_within(handler: Handler, request: dict[str, Any]) -> None:
    """Says within a stream that it cannot go on, as llama.cpp and vLLM do."""
    _event(handler, {"error": {"message": "out of memory", "code": 500}})
    _chunk(handler, b"")


def half(handler: Handler, request: dict[str, Any]) -> None:
    """Announces an answer, sends half of it, and hangs up."""
    content = json.dumps(completion()).encode()
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content[: len(content) // 2])
    handler.wfile.flush()
    handler.close_connection = True


def broken_json(handler: Handler, request: dict[str, Any]) -> None:
    """A whole answer whose JSON is not."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "12")
    handler.end_headers()
    handler.wfile.write(b'{"choices": ')


def nested_json(handler: Handler, request: dict[str, Any]) -> None:
    """JSON that is nested too deeply for Python."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "200000")
    handler.end_headers()
    handler.wfile.write(b"[" * 200_000)


def hanging_up(handler: Handler, request: dict[str, Any]) -> None:
    """Ends the connection without a word."""
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def hung(handler: Handler, request: dict[str, Any]) -> None:
    """Says nothing, until the client has gone or the test is over."""
    handler.endpoint.hanging.set()
    handler.connection.settimeout(0.02)
    while not handler.endpoint.over.is_set():
        with suppress(TimeoutError):
            if not handler.connection.recv(1):
                handler.endpoint.left.set()
                break
    handler.close_connection = True


def dribbling(handler: Handler, request: dict[str, Any]) -> None:
    """Sends a byte now and then, so that no single read takes long."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    handler.close_connection = True
    with suppress(OSError):
        while not handler.endpoint.over.wait(0.02):
            handler.wfile.write(b" ")


@dataclass
class Endpoint:
    """A running server. `acts` are used up one by one; then all requests are answered by `then`.

    Attributes:
        requests, keys: JSON bodies and Authorization headers, in order.
        most_at_once: the most requests that were under way at the same time.
        hanging, left: a request hangs; a client has gone before its answer was over.
    """

    url: str = ""
    acts: list[Act] = field(default_factory=list[Act])
    then: Act = field(default_factory=saying)
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    keys: list[str] = field(default_factory=list[str])
    most_at_once: int = 0
    at_once: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    hanging: threading.Event = field(default_factory=threading.Event)
    left: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)


class Handler(BaseHTTPRequestHandler):
    """Speaks for the endpoint; a subclass knows which."""

    endpoint: Endpoint
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        endpoint = self.endpoint
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with endpoint.lock:
            endpoint.requests.append(body)
            endpoint.keys.append(self.headers.get("Authorization", ""))
            act = endpoint.acts.pop(0) if endpoint.acts else endpoint.then
            endpoint.at_once += 1
            endpoint.most_at_once = max(endpoint.most_at_once, endpoint.at_once)
        try:
            (act if self.path == "/v1/chat/completions" else failing(404))(self, body)
        except ConnectionError:  # the client hung up with pieces unread, or while one was written
            endpoint.left.set()
            self.close_connection = True
        finally:
            with endpoint.lock:
                endpoint.at_once -= 1

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 # its name in the library
        """Nothing on standard error."""


@contextmanager
def running_chat_endpoint() -> Generator[Endpoint]:
    """An endpoint on a free port of the loopback device."""
    running = Endpoint()

    class Own(Handler):
        endpoint = running

    with web_server(Own) as port:
        running.url = f"http://127.0.0.1:{port}/v1"
        try:
            yield running
        finally:
            running.over.set()
