"""A Maven repository on the loopback address, with every fault that a network can have."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from overstory.jars import Jar, LockList


class Repository:
    """Serves jars of its own making and remembers what it was asked for.

    Attributes:
        faults: what the next requests for a path get instead: a status, "truncated", "cut" (no content length, and
            the connection ends early) or other content.
        asked: the paths, in order.
    """

    def __init__(self) -> None:
        self.contents: dict[str, bytes] = {}
        self.faults: dict[str, list[int | str | bytes]] = {}
        self.asked: list[str] = []
        self.lock = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/maven"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def add(self, artifact: str, content: bytes) -> Jar:
        jar = Jar("org.example", artifact, "1.0", "", hashlib.sha256(content).hexdigest(), len(content))
        self.contents[jar.path] = content
        return jar

    def fails(self, jar: Jar, *faults: int | str | bytes) -> None:
        self.faults[jar.path] = list(faults)

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        repository = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.removeprefix("/maven/")
                with repository.lock:
                    repository.asked.append(path)
                    waiting = repository.faults.get(path, [])
                    fault = waiting.pop(0) if waiting else 200
                content = repository.contents[path]
                self.send_response(fault if isinstance(fault, int) else 200)
                if fault == "truncated":
                    self.send_header("Content-Length", str(len(content)))
                    content = content[: len(content) // 2]
                elif fault == "cut":
                    content = content[: len(content) // 2]
                elif isinstance(fault, bytes):
                    content = fault
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 # its name in the base class
                pass

        return Handler


@pytest.fixture
def repository(monkeypatch: pytest.MonkeyPatch) -> Iterator[Repository]:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    made = Repository()
    yield made
    made.close()


@pytest.fixture
def jars(repository: Repository) -> list[Jar]:
    return [repository.add(f"part{number}", bytes([number]) * (1000 + 70_000 * number)) for number in range(4)]


@pytest.fixture
def lock_list(jars: list[Jar]) -> LockList:
    return LockList("Neo4j", tuple(jars), digest="a" * 64)
