"""The service in a thread of the test, on a port of its own, as uvicorn runs it."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

import httpx
import uvicorn
from fastapi import FastAPI

from overstory.protocols import Embedder, Extractor
from overstory.settings import Settings
from overstory_service.application import create_application, server_options
from overstory_service.settings import ServiceSettings
from overstory_service.tokens import TOKENS_FILE, Rights, TokenFile

START_SECONDS = 60.0
CLIENT_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Running:
    """A service that runs."""

    url: str
    port: int
    application: FastAPI
    tokens: TokenFile

    def client(self, token: str = "") -> httpx.Client:
        """A client that sends this token."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=CLIENT_SECONDS, trust_env=False)

    def token(self, name: str, rights: Rights = "read", *, corpora: tuple[str, ...] = (), where: str = "") -> str:
        """A new token."""
        return self.tokens.add(name, rights, corpora=corpora, where=where)


@contextmanager
def serving(
    settings: Settings,
    models: tuple[Embedder, Extractor],
    folder: Path,
    service: ServiceSettings | None = None,
) -> Generator[Running]:
    """A service that is ready, until the block ends."""
    chosen = service or ServiceSettings()
    application = create_application(settings, chosen, folder=folder)
    application.state.host.corpora.base.use(embedder=models[0], extractor=models[1])
    with socket.create_server((chosen.host, 0)) as listener:
        port = listener.getsockname()[1]
        server = uvicorn.Server(uvicorn.Config(application, **server_options(chosen)))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="service")
        thread.start()
        running = Running(f"http://127.0.0.1:{port}", port, application, TokenFile(folder / TOKENS_FILE))
        try:
            _wait(running)
            yield running
        finally:
            server.should_exit = True
            thread.join()


def _wait(running: Running) -> None:
    end = time.monotonic() + START_SECONDS
    with running.client() as client:
        while True:
            try:
                if client.get("/readyz").status_code == HTTPStatus.OK:
                    return
            except httpx.TransportError:
                pass
            assert time.monotonic() < end, "the service does not get ready"
            time.sleep(0.05)
