"""Limits of a request's work: it is cancelled when the client leaves, after a timeout, or if the database hangs.

A hanging database still accepts connections, and the driver waits for it without limit.
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
"""Seconds that a request waits before the database is checked."""
_GREETING_SECONDS = 8.0
"""Timeout of a check. It is longer than garbage collection takes, and lets requests end within 15 seconds."""
_GREETING_AGAIN_SECONDS = 1.0
"""Timeout of a check after one that failed."""
_SECONDS_BETWEEN_GREETINGS = 0.25
_BOLT_PORT = 7687


class DatabaseWatch:
    """Health check of the database, with one Bolt handshake at a time on a separate connection.

    Attributes:
        silent: True if the last check timed out.
    """

    def __init__(self, address: Callable[[], str]) -> None:
        """
        Args:
            address: returns the URI of the database; "" before the first connection, to skip the check.
        """
        self._address = address
        self._greeting: asyncio.Task[bool] | None = None
        self.silent = False

    async def answers(self) -> bool:
        """Return True if the database responds in time."""
        if self._greeting is None or self._greeting.done():
            seconds = _GREETING_AGAIN_SECONDS if self.silent else _GREETING_SECONDS
            self._greeting = asyncio.create_task(self._greet(self._address(), seconds))
        return await asyncio.shield(self._greeting)

    async def require(self) -> None:
        """Check the database again if the last check timed out.

        Raises:
            DatabaseUnreachable: the new check timed out, too.
        """
        if self.silent and not await self.answers():
            raise self.unreachable()

    def unreachable(self) -> DatabaseUnreachable:
        """Return the error of a request that waited for a hanging database."""
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
            except (OSError, EOFError):  # the database may be restarting
                await asyncio.sleep(_SECONDS_BETWEEN_GREETINGS)
        self.silent = False
        return True


async def _greeted(address: str) -> None:
    """Wait until the server has answered a Bolt handshake.

    Raises:
        OSError, EOFError: the server refuses or closes the connection.
    """
    parts = urlsplit(address)
    encrypted = None
    if "+s" in parts.scheme:
        encrypted = ssl.create_default_context()
        encrypted.check_hostname, encrypted.verify_mode = False, ssl.CERT_NONE  # no secrets are sent
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port or _BOLT_PORT, ssl=encrypted)
    try:
        writer.write(BOLT_GREETING)
        await reader.readexactly(4)
    finally:
        writer.close()


R = TypeVar("R")

SECONDS_BETWEEN_LOOKS = 0.5
"""Interval of checks that the client is still connected."""

_WRITER_PATIENCE_SECONDS = 10.0
"""Longest wait for another writer, such as the index job of the user's previous edit or a cancelled request."""
_SECONDS_BETWEEN_TRIES = 0.25


class ClientGone(Exception):  # not an OverstoryError: the client gets no response
    """The client has closed the connection."""


async def while_wanted(request: Request | None, work: Awaitable[R], seconds: float, watch: DatabaseWatch) -> R:
    """Return the result of `work`, or cancel it if the client leaves, the time is up or the database hangs.

    Args:
        request: request of the client; None if the caller cancels this coroutine when the client leaves.
        seconds: timeout.
        watch: health check, run whenever `work` has taken another `UNWATCHED_SECONDS`.

    Raises:
        TookTooLong, ClientGone, DatabaseUnreachable: `work` was cancelled.
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
    """Return the result of a call that may change a corpus, after waiting for other writers; blocks.

    Raises:
        WriterBusy: there is still another writer after `_WRITER_PATIENCE_SECONDS`.
        the errors of `call`.
    """
    end = time.monotonic() + _WRITER_PATIENCE_SECONDS
    while True:
        try:
            return call()
        except WriterBusy:  # raised before the first change, so the call can be repeated
            if time.monotonic() >= end:
                raise
        time.sleep(_SECONDS_BETWEEN_TRIES)
        check()
