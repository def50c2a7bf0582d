"""A check that the database answers. A frozen one still accepts connections, and the driver waits for it forever."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from urllib.parse import urlsplit

from overstory.errors import DatabaseUnreachable
from overstory.server.process import BOLT_GREETING

UNWATCHED_SECONDS = 3.0
"""How long a request works before it is asked whether the database answers."""
_GREETING_SECONDS = 8.0
"""For the database to answer: a pause to collect garbage takes less, and requests end within 15 seconds."""
_GREETING_AGAIN_SECONDS = 1.0
"""For a database that did not answer before."""
_SECONDS_BETWEEN_GREETINGS = 0.25
_BOLT_PORT = 7687


class DatabaseWatch:
    """Greets the database for requests that wait for it, one greeting at a time, on a connection of its own.

    Attributes:
        silent: it did not answer when it was last greeted.
    """

    def __init__(self, address: Callable[[], str]) -> None:
        """
        Args:
            address: the URI of the database; "" while it is not known, when nothing is watched.
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
            DatabaseUnreachable: it did not answer before, and does not yet.
        """
        if self.silent and not await self.answers():
            raise self.unreachable()

    def unreachable(self) -> DatabaseUnreachable:
        """The error of a request that waited for it."""
        return DatabaseUnreachable(
            f"{self._address()}: the database takes no requests.",
            remedy="Look whether its process is stopped, or its machine overloaded (overstory server status).",
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
