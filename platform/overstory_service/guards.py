"""What stands before every route: whom the service answers at all, how large requests are, how long clients may take.

The token is in the head of a request, so it is checked before any of the body is read. A request counts among those
being worked on once its body is complete: one that is never completed takes no place from others.

An ASGI application around the others. Names in the Host header keep web pages from reaching a service on this machine
by a name of theirs (DNS rebinding), and the Origin header keeps them from sending it requests.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from overstory_service.problems import (
    OPENAI_PATHS,
    Ambiguous,
    ForeignPage,
    Refused,
    SlowBody,
    TooBusy,
    TooLarge,
    response_of,
)
from overstory_service.service_host import admitted
from overstory_service.settings import ServiceSettings

_BODY_MEGABYTES = 2
"""Of a request without documents."""
_TEXTS_MEGABYTES = 10
"""Of one with texts as JSON, which is read as a whole."""
_BODY_SECONDS = 60.0
"""For a client to send a body that is no upload; an upload has as much for each `_UPLOAD_STEP_MEGABYTES`."""
_UPLOAD_STEP_MEGABYTES = 10
_SIGN_IN_BYTES = 16_384
"""Of the body with which a browser signs in, the only one that is read without a token."""
_SIGN_IN_SECONDS = 15.0
"""For a client to send that body: as long as for the head of a request."""
_MOST_ARRIVING_BODIES = 32
"""Requests of one token whose bodies are not complete; more are answered with 429."""

_UNCOUNTED = ("/healthz", "/readyz")
OPENAPI_PATH = "/openapi.json"
_OPEN = ("/", OPENAPI_PATH, *_UNCOUNTED)
_PAGE = "/page/"
_SESSION = "/v1/session"
_HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[^\s\[\]:@/?#]+)(?::\d*)?")
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


class Guards:
    """Refuses what should reach no route."""

    def __init__(self, app: ASGIApp, settings: ServiceSettings) -> None:
        self._app = app
        self._settings = settings
        self._working = 0
        self._arriving = Counter[str]()  # bodies, by the names of tokens
        here = (*_LOOPBACK_NAMES, settings.host) if settings.listens_here_alone else ()
        hosts, origins = [*here, *settings.allowed_hosts], [*settings.allowed_origins]
        if settings.address:
            hosts.append(_name_of(settings.address.partition("://")[2]))
            origins.append(settings.address)
        self._hosts = frozenset(name.lower() for name in hosts)
        self._origins = frozenset(each.rstrip("/").lower() for each in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._limit(scope)
        body = _Body(scope, receive, limit, _seconds(scope, limit))
        sent = _GuardedResponse(send, body)
        try:
            self._check(Headers(scope=scope), limit)
            sender = "" if _is_open(scope) else (await admitted(Request(scope))).name
            with self._counted(scope, body, sender):
                if not _is_upload(scope) and (sender or _is_sign_in(scope)):
                    await body.collect()
                if not body.has_left:
                    self._require_place(scope, body)
                    await self._app(scope, body.receive, sent.send)
        except Refused as refused:
            body.refused = refused
        if body.refused is not None and not sent.begun:
            as_openai = scope["path"].startswith(OPENAI_PATHS)
            await response_of(body.refused, as_openai=as_openai)(scope, receive, send)

    @contextmanager
    def _counted(self, scope: Scope, body: _Body, sender: str) -> Generator[None]:
        """Counts a request: by its sender while its body arrives, then among those being worked on."""
        if sender and not body.complete and self._arriving[sender] >= _MOST_ARRIVING_BODIES:
            raise TooBusy(
                f"{_MOST_ARRIVING_BODIES} requests of this token have not sent their whole bodies yet.",
                remedy="Finish sending them, then try again.",
            )
        counted = scope["path"] not in _UNCOUNTED

        def arrived() -> None:
            self._arriving[sender] -= 1
            self._working += counted

        self._arriving[sender] += 1
        body.when_complete(arrived)
        try:
            yield
        finally:
            if body.complete:
                self._working -= counted
            else:
                self._arriving[sender] -= 1
            if not self._arriving[sender]:
                del self._arriving[sender]

    def _require_place(self, scope: Scope, body: _Body) -> None:
        """
        Raises:
            TooBusy: this request would be one too many.
        """
        if scope["path"] in _UNCOUNTED:
            return
        others = self._working - body.complete
        if others >= self._settings.most_requests:
            raise TooBusy(f"{self._settings.most_requests} requests are worked on.", remedy="Try again in a second.")

    def _limit(self, scope: Scope) -> int:
        """Bytes of the body."""
        if _is_sign_in(scope):
            return _SIGN_IN_BYTES
        megabytes = _BODY_MEGABYTES
        if _is_upload(scope):
            megabytes = self._settings.upload_megabytes
        elif scope["method"] == "POST" and scope["path"].endswith("/documents"):
            megabytes = _TEXTS_MEGABYTES
        return megabytes * 1_000_000

    def _check(self, headers: Headers, limit: int) -> None:
        host = headers.get("host", "")
        if self._hosts and _name_of(host) not in self._hosts:
            raise ForeignPage(
                f"This service is not {host!r}.",
                remedy="Use its own name, or start it with --address or --allow-host NAME.",
            )
        origin = headers.get("origin", "").rstrip("/").lower()
        if origin and origin not in self._origins and origin.partition("://")[2] != host.lower():
            raise ForeignPage(
                f"Pages of {origin!r} may not ask this service.", remedy="Start it with --allow-origin ORIGIN."
            )
        if "transfer-encoding" in headers and "content-length" in headers:
            raise Ambiguous("The request has both Content-Length and Transfer-Encoding.", remedy="Send one of them.")
        length = headers.get("content-length", "0")
        if not length.isdecimal():
            raise Refused("The Content-Length header is no number.", remedy="Send the number of bytes.")
        if int(length) > limit:
            raise too_large(limit)


class _Body:
    """The body of a request, as far as it is neither too long nor too slow.

    Attributes:
        complete: all of it has come.
        has_left: the client left before that, while it was collected.
        refused: why it ended early. Whoever reads it may make an error of its own of that.
    """

    def __init__(self, scope: Scope, receive: Receive, limit: int, seconds: float) -> None:
        self._receive = receive
        self._limit = limit
        self._read = 0
        self._collected: bytes | None = None
        self._arrived: Callable[[], object] | None = None
        self._end = asyncio.get_running_loop().time() + seconds
        headers = Headers(scope=scope)
        self.complete = headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers
        self.has_left = False
        self.refused: Refused | None = None

    def when_complete(self, arrived: Callable[[], object]) -> None:
        """Calls `arrived` once all has come: now, or later."""
        if self.complete:
            arrived()
        else:
            self._arrived = arrived

    async def collect(self) -> None:
        """Reads all of it, so that the application gets it in one piece.

        Raises:
            SlowBody, TooLarge: it does not come in time, or is too long.
        """
        if self.complete:
            return
        whole = bytearray()
        while True:
            message = await self._next()
            if message["type"] == "http.disconnect":
                self.has_left = True
                return
            whole += message.get("body", b"")
            if not message.get("more_body", False):
                break
        self._collected = bytes(whole)

    async def receive(self) -> Message:
        if self._collected is not None:
            message: Message = {"type": "http.request", "body": self._collected, "more_body": False}
            self._collected = None
            return message
        if self.complete:
            return await self._receive()  # waits for the client to leave
        return await self._next()

    async def _next(self) -> Message:
        try:
            async with asyncio.timeout_at(self._end):
                message = await self._receive()
        except TimeoutError:
            self.refused = SlowBody("The body of the request did not come in time.", remedy="Send it faster.")
            raise self.refused from None
        if message["type"] == "http.request":
            self._read += len(message.get("body", b""))
            if self._read > self._limit:
                self.refused = too_large(self._limit)
                raise self.refused
            if not message.get("more_body", False):
                self.complete = True
                if self._arrived is not None:
                    self._arrived()
        return message


class _GuardedResponse:
    """What is sent; nothing once the body was refused before."""

    def __init__(self, send: Send, body: _Body) -> None:
        self._send = send
        self._body = body
        self.begun = False

    async def send(self, message: Message) -> None:
        if self._body.refused is not None and not self.begun:
            return  # the guard says why
        self.begun = True
        await self._send(message)


def too_large(limit: int) -> TooLarge:
    """Of a body with more bytes than this."""
    size = f"{limit // 1_000_000} MB" if limit >= 1_000_000 else f"{limit:,} bytes"
    return TooLarge(
        f"The body of the request is larger than {size}.",
        remedy="Send less at a time; the service may be started with --upload-megabytes.",
    )


def _is_open(scope: Scope) -> bool:
    """True if a request needs no token: it asks for the page, for the API's description or whether the service lives,
    or it signs in or out."""
    path: str = scope["path"]
    return path in _OPEN or path.startswith(_PAGE) or (path == _SESSION and scope["method"] in ("POST", "DELETE"))


def _is_sign_in(scope: Scope) -> bool:
    return bool(scope["path"] == _SESSION and scope["method"] == "POST")


def _is_upload(scope: Scope) -> bool:
    """Whether the body has files, which its route writes to the disk as they come."""
    return bool(scope["method"] == "POST" and scope["path"].endswith("/files"))


def _seconds(scope: Scope, limit: int) -> float:
    """For a client to send the body."""
    return _SIGN_IN_SECONDS if _is_sign_in(scope) else _BODY_SECONDS * max(1.0, limit / (_UPLOAD_STEP_MEGABYTES * 1e6))


def _name_of(host: str) -> str:
    """The Host header without the port; "" for what is no name with one."""
    found = _HOST.fullmatch(host.lower())
    return found.group("name") if found else ""
