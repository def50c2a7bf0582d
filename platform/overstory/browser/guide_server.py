"""Hands the guide to Neo4j Browser: a web server for this machine alone, of a few fixed files.

Browser fetches guides from `localhost`, a host that it trusts by default, by a request across origins. Only the pages
of one Browser are answered so: what another site's page in the same web browser asks for, it does not get to read.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self
from urllib.parse import quote, urlsplit

LISTENS = "127.0.0.1"
HOST = "localhost"
"""Allowed by Browser's defaults, unlike 127.0.0.1."""

_PREFERRED_PORT = 7479
"""Keeps yesterday's links valid; if the port is taken, any free one is used."""


@dataclass(frozen=True, slots=True)
class File:
    """A file to serve: `type` is its content type; with a `name`, it is a download of that name."""

    content: bytes
    type: str
    name: str = ""


class GuideServer:
    """Serves files under `http://localhost:<port>/` from the moment it is entered until it is left."""

    def __init__(self, *, origin: str, port: int = _PREFERRED_PORT) -> None:
        """Takes the port.

        Args:
            origin: the pages that may read the files, as "http://127.0.0.1:7474".
        """
        self._files: dict[str, File] = {}
        handler = _handler(self._files, _host(origin))
        try:
            self._server = _Server((LISTENS, port), handler)
        except OSError:
            self._server = _Server((LISTENS, 0), handler)

    def url(self, path: str) -> str:
        """Where a file of this path is, or will be."""
        return f"http://{HOST}:{self._server.server_port}/{path}"

    def put(self, path: str, file: File) -> None:
        """Serves a file from now on, in place of any that was there."""
        self._files[f"/{path}"] = file

    def wait(self) -> None:
        """Returns when the serving thread ends, which is when somebody interrupts this one."""
        while self._thread.is_alive():
            self._thread.join(timeout=1.0)

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._server.serve_forever, name="guide", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing: a client that disconnects early is no news for the user's terminal."""


def _handler(files: Mapping[str, File], browser_host: str) -> type[BaseHTTPRequestHandler]:
    own = {HOST, LISTENS}
    readers = own | {browser_host} - {""}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            file = files.get(self.path.partition("?")[0])
            if not self._asked_by_name():
                self.send_error(403)
            elif file is None:
                self.send_error(404)
            else:
                self._send(file)

        def do_OPTIONS(self) -> None:
            """Answers a CORS preflight request: Browser sends headers of its own."""
            self.send_response(204)
            self._allow_origin()
            self.send_header("Access-Control-Allow-Methods", "GET")
            self.send_header("Access-Control-Allow-Headers", "*")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 # the base class' name
            """Nothing: the terminal is the user's."""

        def _send(self, file: File) -> None:
            self.send_response(200)
            self._allow_origin()
            self.send_header("Content-Type", file.type)
            self.send_header("Content-Length", str(len(file.content)))
            self.send_header("Cache-Control", "no-store")
            if file.name:
                self.send_header("Content-Disposition", f"attachment; filename*=UTF-8''{quote(file.name)}")
            self.end_headers()
            self.wfile.write(file.content)

        def _allow_origin(self) -> None:
            origin = self.headers.get("Origin", "")
            if _host(origin) in readers:
                self.send_header("Access-Control-Allow-Origin", origin)
                self.send_header("Vary", "Origin")

        def _asked_by_name(self) -> bool:
            """False if a foreign name was made to point here, which would make its pages of the same origin."""
            return _host(f"//{self.headers.get('Host', '')}") in own

    return Handler


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # brackets that are no address; anybody may send anything
        return ""
