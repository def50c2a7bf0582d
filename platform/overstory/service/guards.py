"""What stands before every route: whom the service answers at all, how large requests are, how long clients may take.

An ASGI application around the others. Names in the Host header keep web pages from reaching a service on this machine
by a name of theirs (DNS rebinding), and the Origin header keeps them from sending it requests.
"""

from __future__ import annotations

import asyncio
import re
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from overstory.service.problems import response_of
from overstory.service.refusals import Ambiguous, ForeignPage, Refused, SlowBody, TooBusy, TooLarge
from overstory.service.settings import ServiceSettings

BODY_MEGABYTES = 2
"""Of a request without documents."""
TEXTS_MEGABYTES = 10
"""Of one with texts as JSON, which is read as a whole."""
BODY_SECONDS = 60.0
"""For a client to send a body that is no upload; an upload has as much for each `UPLOAD_STEP_MEGABYTES`."""
UPLOAD_STEP_MEGABYTES = 10

_BESIDE = ("/healthz", "/readyz")
_SECRETS_IN_URL = {"token", "access_token", "api_key", "apikey", "key", "authorization"}
_HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[^\s\[\]:@/?#]+)(?::\d*)?")
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


class Guards:
    """Refuses what should reach no route."""

    def __init__(self, app: ASGIApp, settings: ServiceSettings) -> None:
        self._app = app
        self._settings = settings
        self._working = 0
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
        headers = Headers(scope=scope)
        limit = self._limit(scope)
        try:
            self._check(scope, headers, limit)
        except Refused as refused:
            await response_of(refused)(scope, receive, send)
            return
        counted = scope["path"] not in _BESIDE
        self._working += counted
        body = _Body(receive, limit, seconds=BODY_SECONDS * max(1.0, limit / (UPLOAD_STEP_MEGABYTES * 1_000_000)))
        sent = _SentAnswer(send, body)
        try:
            await self._app(scope, body.receive, sent.send)
        finally:
            self._working -= counted
        if body.refused is not None and not sent.begun:
            await response_of(body.refused)(scope, receive, send)

    def _limit(self, scope: Scope) -> int:
        """Bytes of the body."""
        megabytes = BODY_MEGABYTES
        if scope["method"] == "POST" and scope["path"].endswith("/files"):
            megabytes = self._settings.upload_megabytes
        elif scope["method"] == "POST" and scope["path"].endswith("/documents"):
            megabytes = TEXTS_MEGABYTES
        return megabytes * 1_000_000

    def _check(self, scope: Scope, headers: Headers, limit: int) -> None:
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
        if _SECRETS_IN_URL & {name.lower() for name, _ in parse_qsl(scope["query_string"].decode("latin-1"))}:
            raise Refused(
                "A token does not belong into an address, which logs and histories keep.",
                remedy="Send it as a header, Authorization: Bearer TOKEN, and revoke it if it was a good one.",
            )
        if "transfer-encoding" in headers and "content-length" in headers:
            raise Ambiguous("The request has both Content-Length and Transfer-Encoding.", remedy="Send one of them.")
        length = headers.get("content-length", "0")
        if not length.isdecimal():
            raise Refused("The Content-Length header is no number.", remedy="Send the number of bytes.")
        if int(length) > limit:
            raise too_large(limit)
        if self._working >= self._settings.most_requests and scope["path"] not in _BESIDE:
            raise TooBusy(f"{self._settings.most_requests} requests are worked on.", remedy="Try again in a second.")


class _Body:
    """The body of a request, as far as it is neither too long nor too slow.

    Attributes:
        refused: why it ended early. Whoever reads it may make an error of its own of that.
    """

    def __init__(self, receive: Receive, limit: int, seconds: float) -> None:
        self._receive = receive
        self._limit = limit
        self._read = 0
        self._complete = False
        self.refused: Refused | None = None
        self._end = asyncio.get_running_loop().time() + seconds

    async def receive(self) -> Message:
        if self._complete:
            return await self._receive()  # waits for the client to leave
        try:
            async with asyncio.timeout_at(self._end):
                message = await self._receive()
        except TimeoutError:
            self.refused = SlowBody("The body of the request did not come in time.", remedy="Send it faster.")
            raise self.refused from None
        if message["type"] == "http.request":
            self._read += len(message.get("body", b""))
            self._complete = not message.get("more_body", False)
            if self._read > self._limit:
                self.refused = too_large(self._limit)
                raise self.refused
        return message


class _SentAnswer:
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
    return TooLarge(
        f"The body of the request is larger than {limit // 1_000_000} MB.",
        remedy="Send less at a time; the service may be started with --upload-megabytes.",
    )


def _name_of(host: str) -> str:
    """The Host header without the port; "" for what is no name with one."""
    found = _HOST.fullmatch(host.lower())
    return found.group("name") if found else ""
