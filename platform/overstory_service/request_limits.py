"""The work of a request: it ends when the client leaves, when it takes too long, or when the database is silent.

A frozen database still accepts connections, and the driver waits for it forever.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar
from urllib.parse import urlsplit

from starlette.requests import Request

from overstory.cancelling import check
from overstory.errors import DatabaseUnreachable, WriterBusy
from overstory.server.process import BOLT_GREETING
from overstory_service.problems import TookTooLong

UNWATCHED_SECONDS = 3.0
"""Until the database is checked for a request that waits."""
_GREETING_SECONDS = 8.0
"""For the database to answer: garbage collection takes less, and requests end within 15 seconds."""
_GREETING_AGAIN_SECONDS = 1.0
"""For a database that was silent before."""
_SECONDS_BETWEEN_GREETINGS = 0.25
_BOLT_PORT = 7687


class DatabaseWatch:
    """Checks the database for waiting requests, by one Bolt greeting at a time on a connection of its own.

    Attributes:
        silent: True if the last greeting had no answer.
    """

    def __init__(self, address: Callable[[], str]) -> None:
        """
        Args:
            address: returns the URI of the database; "" while it is unknown, when nothing is checked.
        """
        self._address = address
        self._greeting: asyncio.Task[bool] | None = None
        self.silent = False

    async def answers(self) -> bool:
        """True if the database answers in time."""
        if self._greeting is None or self._greeting.done():
            seconds = _GREETING_AGAIN_SECONDS if self.silent else _GREETING_SECONDS
            self._greeting = asyncio.create_task(self._greet(self._address(), seconds))
        return await asyncio.shield(self._greeting)

    async def require(self) -> None:
        """
        Raises:
            DatabaseUnreachable: the database was silent before, and still is.
        """
        if self.silent and not await self.answers():
            raise self.unreachable()

    def unreachable(self) -> DatabaseUnreachable:
        """Return the error of a request that waited for the database."""
        return DatabaseUnreachable(
            f"{self._address()}: the database takes no requests.",
            remedy="Check if its process is stopped, or its machine overloaded (overstory server status).",
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
            except (OSError, EOFError):  # it may be about to start again
                await asyncio.sleep(_SECONDS_BETWEEN_GREETINGS)
        self.silent = False
        return True


async def _greeted(address: str) -> None:
    """Returns when the server has answered.

    Raises:
        OSError, EOFError: it refuses, or breaks off.
    """
    parts = urlsplit(address)
    encrypted = None
    if "+s" in parts.scheme:
        encrypted = ssl.create_default_context()
        encrypted.check_hostname, encrypted.verify_mode = False, ssl.CERT_NONE  # nothing is sent that matters
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port or _BOLT_PORT, ssl=encrypted)
    try:
        writer.write(BOLT_GREETING)
        await reader.readexactly(4)
    finally:
        writer.close()


R = TypeVar("R")

SECONDS_BETWEEN_LOOKS = 0.5
"""Between checks that the client is still connected."""

_WRITER_PATIENCE_SECONDS = 10.0
"""Wait of a change for another writer: a user who edits one name after another meets the index job of their own edit,
or a request that they left."""
_SECONDS_BETWEEN_TRIES = 0.25


class ClientGone(Exception):  # no error: nobody hears of it
    """The client has left; nobody reads a response."""


async def while_wanted(request: Request | None, work: Awaitable[R], seconds: float, watch: DatabaseWatch) -> R:
    """Return the result of `work`; cancel it when the client leaves, the time is over or the database is silent.

    Args:
        request: the request of the client; None if a client that leaves cancels the task that awaits this.
        watch: checks the database each time `work` has taken `UNWATCHED_SECONDS` more.

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
                    f"There was no answer within {seconds:g} seconds.", remedy="Ask for less, or try again later."
                )
            if request is not None and await request.is_disconnected():
                raise ClientGone
    finally:
        task.cancel()
        if greeting is not None:
            greeting.cancel()


def when_free(call: Callable[[], R]) -> R:
    """Return the result of a call that may change a corpus; wait while somebody else writes to it. Blocks.

    Raises:
        WriterBusy: somebody still writes after `_WRITER_PATIENCE_SECONDS`.
        what `call` raises.
    """
    end = time.monotonic() + _WRITER_PATIENCE_SECONDS
    while True:
        try:
            return call()
        except WriterBusy:  # raised before anything was changed
            if time.monotonic() >= end:
                raise
        time.sleep(_SECONDS_BETWEEN_TRIES)
        check()
