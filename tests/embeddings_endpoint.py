"""A web server on this machine that speaks OpenAI's API of embeddings and Cohere's of reranking, and can misbehave."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

import numpy as np
from tests.web_server import web_server

DIMENSION = 8

Answer = Callable[[list[str]], tuple[int, object]]
"""Status and body of the answer to some texts, or documents."""


def vector_of(text: str) -> list[float]:
    """Eight numbers that depend on the text alone; not of unit length."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
    return [float(x) for x in np.random.default_rng(seed).normal(size=DIMENSION)]


def good(texts: list[str]) -> tuple[int, object]:
    """An answer in reverse order, as the API allows."""
    data = [{"object": "embedding", "index": i, "embedding": vector_of(text)} for i, text in enumerate(texts)]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return 200, {"object": "list", "model": "m", "data": data[::-1], "usage": usage}


def relevant_to(question: str) -> Answer:
    """An answer with the share of the question's words that each document has, the most relevant first."""

    def answer(documents: list[str]) -> tuple[int, object]:
        asked = set(re.findall(r"\w+", question.lower()))
        shares = [len(asked & set(re.findall(r"\w+", text.lower()))) / max(1, len(asked)) for text in documents]
        results = [{"index": i, "relevance_score": share} for i, share in enumerate(shares)]
        return 200, {"id": "r", "results": sorted(results, key=lambda result: -result["relevance_score"])}

    return answer


def saying(status: int, body: object) -> Answer:
    """The same answer to whatever texts; a body that is a string goes as a web page, one that is bytes as it is."""

    def answer(texts: list[str]) -> tuple[int, object]:
        return status, body

    return answer


@dataclass
class Endpoint:
    """A running server. `answers` are used up one by one; then every answer is `good`, or `relevant_to` its question.

    Attributes:
        elsewhere: an address that answers with a status from 300 to 399 redirect to.
    """

    url: str = ""
    answers: list[Answer] = field(default_factory=list[Answer])
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])  # JSON bodies
    keys: list[str] = field(default_factory=list[str])
    elsewhere: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)


@contextmanager
def running_endpoint() -> Generator[Endpoint]:
    """An endpoint on a free port of the loopback device."""
    endpoint = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with endpoint.lock:
                endpoint.requests.append(body)
                endpoint.keys.append(self.headers.get("Authorization", ""))
                usual = relevant_to(body["query"]) if "query" in body else good
                answer = endpoint.answers.pop(0) if endpoint.answers else usual
            texts = body.get({"/v1/embeddings": "input", "/v1/rerank": "documents"}.get(self.path, ""))
            status, content = (404, {"error": "no"}) if texts is None else answer(texts)
            if isinstance(content, bytes):
                sent = content
            else:
                sent = content.encode() if isinstance(content, str) else json.dumps(content).encode()
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", endpoint.elsewhere)
            self.send_header("Content-Type", "text/html" if isinstance(content, str) else "application/json")
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 # its name in the library
            """Nothing on standard error."""

    with web_server(Handler) as port:
        endpoint.url = f"http://127.0.0.1:{port}/v1"
        yield endpoint
