"""Cancels the work for a request if the client closes the connection, after a timeout, or if the database hangs.

A database that hangs still accepts connections, and the Neo4j driver would wait for it without limit.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar
from urllib.parse import urlsplit

from starlette.requests import Request

from overstory.cancellation import check
from overstory.errors import DatabaseUnreachable, WriterBusy
from overstory.server.process import BOLT_GREETING
from overstory_service.problems import TookTooLong

UNWATCHED_SECONDS = 3.0
"""Number of seconds that a request may take before the health of the database is checked."""
_GREETING_SECONDS = 8.0
"""Timeout of a check in seconds.

It is longer than a garbage collection of the database takes, and short enough for requests to end within 15 seconds.
"""
_GREETING_AGAIN_SECONDS = 1.0
"""Timeout of a check in seconds, if the previous check failed."""
_SECONDS_BETWEEN_GREETINGS = 0.25
_BOLT_PORT = 7687


class DatabaseWatch:
    """Checks the health of the database with a Bolt handshake on a separate connection.

    Only one check runs at a time; all requests share its result.

    Attributes:
        silent: True if the database did not respond to the last check in time.
    """

    def __init__(self, address: Callable[[], str]) -> None:
        """
        Args:
            address: returns the URI of the database, or "" before the first connection. With "", nothing is checked.
        """
        self._address = address
        self._greeting: asyncio.Task[bool] | None = None
        self.silent = False

    async def answers(self) -> bool:
        """Check the database, and return True if it responds in time."""
        if self._greeting is None or self._greeting.done():
            seconds = _GREETING_AGAIN_SECONDS if self.silent else _GREETING_SECONDS
            self._greeting = asyncio.create_task(self._greet(self._address(), seconds))
        return await asyncio.shield(self._greeting)

    async def require(self) -> None:
        """If the database did not respond to the last check, check it again.

        Raises:
            DatabaseUnreachable: the database does not respond to this check, either.
        """
        if self.silent and not await self.answers():
            raise self.unreachable()

    def unreachable(self) -> DatabaseUnreachable:
        return DatabaseUnreachable(
            f"{self._address()}: the database does not respond.",
            remedy="Check whether its process is stopped or its machine overloaded (overstory server status).",
        )

    async def _greet(self, address: str, seconds: float) -> bool:
        end = asyncio.get_running_loop().time() + seconds
        while address:
            try:
                async with asyncio.timeout_at(end):
                    await _greeted(address)
                break
            except TimeoutError:
                self.silent = True
                return False
            except (OSError, EOFError):  # the database refuses connections, because it may be restarting
                await asyncio.sleep(_SECONDS_BETWEEN_GREETINGS)
        self.silent = False
        return True


async def _greeted(address: str) -> None:
    """Send a Bolt handshake to a server, and wait until it answers.

    Raises:
        OSError, EOFError: the server refuses the connection or closes it.
    """
    parts = urlsplit(address)
    encrypted = None
    if "+s" in parts.scheme:
        encrypted = ssl.create_default_context()
        # The server's certificate is not verified, because no secrets are sent.
        encrypted.check_hostname, encrypted.verify_mode = False, ssl.CERT_NONE
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port or _BOLT_PORT, ssl=encrypted)
    try:
        writer.write(BOLT_GREETING)
        await reader.readexactly(4)
    finally:
        writer.close()


R = TypeVar("R")

SECONDS_BETWEEN_LOOKS = 0.5
"""Number of seconds between two checks that the client is still connected."""

_WRITER_PATIENCE_SECONDS = 10.0
"""Maximum number of seconds to wait for another writer.

The other writer may be, for example, an index job after the user's previous edit, or a request that is being cancelled.
"""
_SECONDS_BETWEEN_TRIES = 0.25


class ClientGone(Exception):  # not a subclass of OverstoryError, because no error message can be sent
    """The client has closed the connection."""


async def while_wanted(request: Request | None, work: Awaitable[R], seconds: float, watch: DatabaseWatch) -> R:
    """Wait for the result of `work`, and cancel it if it is no longer wanted or takes too long.

    Args:
        request: the request of the client. With None, the caller must cancel this coroutine if the client has gone.
        watch: the health check of the database, which is run at intervals of `UNWATCHED_SECONDS`.

    Raises:
        TookTooLong: `work` took longer than `seconds`.
        ClientGone: the client has closed the connection.
        DatabaseUnreachable: the database does not respond.
        the errors of `work`.
    """
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    end, watched_from = loop.time() + seconds, loop.time() + UNWATCHED_SECONDS
    greeting: asyncio.Task[bool] | None = None
    try:
        while True:
            await asyncio.wait({task}, timeout=min(SECONDS_BETWEEN_LOOKS, max(0.0, end - loop.time())))
            if task.done():
                return task.result()
            if greeting is None and loop.time() >= watched_from:
                greeting = asyncio.create_task(watch.answers())
            elif greeting is not None and greeting.done():
                if not greeting.result():
                    raise watch.unreachable()
                greeting, watched_from = None, loop.time() + UNWATCHED_SECONDS
            if loop.time() >= end:
                raise TookTooLong(
                    f"The request timed out after {seconds:g} seconds.", remedy="Ask for less, or try again later."
                )
            if request is not None and await request.is_disconnected():
                raise ClientGone
    finally:
        task.cancel()
        if greeting is not None:
            greeting.cancel()


def when_free(call: Callable[[], R]) -> R:
    """Call a function that may change a corpus, and return its result. This call blocks.

    If another process is changing the corpus, the function is called again until it succeeds or the time is up.

    Raises:
        WriterBusy: another process was still changing the corpus after `_WRITER_PATIENCE_SECONDS`.
        the errors of `call`.
    """
    end = time.monotonic() + _WRITER_PATIENCE_SECONDS
    while True:
        try:
            return call()
        except WriterBusy:  # this error is raised before anything is changed, therefore the call can be repeated
            if time.monotonic() >= end:
                raise
        time.sleep(_SECONDS_BETWEEN_TRIES)
        check()
