"""Checks every request before it reaches a route.

- The check of the Host header protects against DNS rebinding.
- The check of the Origin header refuses requests from other web pages.
- The token is checked before the body is read.
- The size of the body and the time for sending it are limited.
- The number of concurrent requests is limited. A request counts only once its body is complete, so that clients that
  send slowly do not block others.
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
"""Maximum size of the body of a request that contains no documents."""
_TEXTS_MEGABYTES = 10
"""Maximum size of a body that contains texts as JSON. Such a body is read into memory."""
_BODY_SECONDS = 60.0
"""How many seconds a client may take to send a body.

For an upload, this time is multiplied by the maximum size of uploads divided by `_UPLOAD_STEP_MEGABYTES`.
"""
_UPLOAD_STEP_MEGABYTES = 10
_SIGN_IN_BYTES = 16_384
"""Maximum size of the body of a sign-in request, which is the only body that is read without a token."""
_SIGN_IN_SECONDS = 15.0
"""How many seconds a client may take to send the body of a sign-in request, as long as for the head of a request."""
_MOST_ARRIVING_BODIES = 32
"""Maximum number of requests of one token whose bodies are incomplete. Further requests get status 429."""

_UNCOUNTED = ("/healthz", "/readyz")
OPENAPI_PATH = "/openapi.json"
_OPEN = ("/", OPENAPI_PATH, *_UNCOUNTED)
_PAGE = "/page/"
_SESSION = "/v1/session"
_HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[^\s\[\]:@/?#]+)(?::\d*)?")
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


class Guards:
    """ASGI middleware that checks requests, and refuses some of them before they reach a route."""

    def __init__(self, app: ASGIApp, settings: ServiceSettings) -> None:
        self._app = app
        self._settings = settings
        self._working = 0
        self._arriving = Counter[str]()  # number of incomplete bodies for the name of each token
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
        """Count a request during the `with` block.

        While its body arrives, it is counted among the incomplete requests of its token. After that, it is counted as a
        concurrent request.

        Args:
            sender: the name of the token; "" if the request needs no token.

        Raises:
            TooBusy: the token has too many incomplete requests.
        """
        if sender and not body.complete and self._arriving[sender] >= _MOST_ARRIVING_BODIES:
            raise TooBusy(
                f"{_MOST_ARRIVING_BODIES} requests of this token are still sending their bodies.",
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
        """Check that the maximum number of concurrent requests has not been reached.

        Raises:
            TooBusy: the maximum has been reached.
        """
        if scope["path"] in _UNCOUNTED:
            return
        others = self._working - body.complete
        if others >= self._settings.most_requests:
            raise TooBusy(
                f"The service is busy with {self._settings.most_requests} requests.", remedy="Try again in a second."
            )

    def _limit(self, scope: Scope) -> int:
        """Return the maximum size of the request's body in bytes."""
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
                f"The host name {host!r} is not allowed.",
                remedy="Use another name of the service, or start it with --address URL or --allow-host NAME.",
            )
        origin = headers.get("origin", "").rstrip("/").lower()
        if origin and origin not in self._origins and origin.partition("://")[2] != host.lower():
            raise ForeignPage(
                f"Requests from the origin {origin!r} are not allowed.",
                remedy="Start the service with --allow-origin ORIGIN.",
            )
        if "transfer-encoding" in headers and "content-length" in headers:
            raise Ambiguous(
                "The request has both Content-Length and Transfer-Encoding.", remedy="Send only one of them."
            )
        length = headers.get("content-length", "0")
        if not length.isdecimal():
            raise Refused("The Content-Length header is not a number.", remedy="Send the number of bytes.")
        if int(length) > limit:
            raise too_large(limit)


class _Body:
    """The body of a request, whose size and time of arrival are limited.

    Attributes:
        has_left: True if the client closed the connection before the body was complete.
        refused: the error if a limit was exceeded, else None. It is stored here because the route may convert the error
            that it gets while it reads the body.
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
        """Call the function `arrived` as soon as the body is complete, or now if it already is."""
        if self.complete:
            arrived()
        else:
            self._arrived = arrived

    async def collect(self) -> None:
        """Read the complete body, so that the application receives it in one piece.

        Raises:
            SlowBody: the body takes too long to arrive.
            TooLarge: the body is too large.
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
            return await self._receive()  # returns only when the client closes the connection
        return await self._next()

    async def _next(self) -> Message:
        try:
            async with asyncio.timeout_at(self._end):
                message = await self._receive()
        except TimeoutError:
            self.refused = SlowBody("The body of the request did not arrive in time.", remedy="Send it faster.")
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
    """Sends the response of a route, unless the body of the request was refused before the response began."""

    def __init__(self, send: Send, body: _Body) -> None:
        self._send = send
        self._body = body
        self.begun = False

    async def send(self, message: Message) -> None:
        if self._body.refused is not None and not self.begun:
            return  # `Guards` sends an error response instead
        self.begun = True
        await self._send(message)


def too_large(limit: int) -> TooLarge:
    """Return the error for a body that is larger than `limit` bytes."""
    size = f"{limit // 1_000_000} MB" if limit >= 1_000_000 else f"{limit:,} bytes"
    return TooLarge(
        f"The body of the request is larger than {size}.",
        remedy="Send less at a time, or start the service with a larger --upload-megabytes.",
    )


def _is_open(scope: Scope) -> bool:
    """Return True if a request needs no token.

    This is the case for the web page, the OpenAPI document, health checks, and for signing in or out.
    """
    path: str = scope["path"]
    return path in _OPEN or path.startswith(_PAGE) or (path == _SESSION and scope["method"] in ("POST", "DELETE"))


def _is_sign_in(scope: Scope) -> bool:
    return bool(scope["path"] == _SESSION and scope["method"] == "POST")


def _is_upload(scope: Scope) -> bool:
    """Return True if the body contains files. The route writes them to disk while they arrive."""
    return bool(scope["method"] == "POST" and scope["path"].endswith("/files"))


def _seconds(scope: Scope, limit: int) -> float:
    """Return how many seconds a client may take to send a body.

    Args:
        limit: maximum size of the body in bytes.
    """
    return _SIGN_IN_SECONDS if _is_sign_in(scope) else _BODY_SECONDS * max(1.0, limit / (_UPLOAD_STEP_MEGABYTES * 1e6))


def _name_of(host: str) -> str:
    """Return the host name in a Host header without the port, or "" if the header is invalid."""
    found = _HOST.fullmatch(host.lower())
    return found.group("name") if found else ""
