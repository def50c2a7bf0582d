"""A request's work, in a thread: it ends with the client that leaves, and when it takes too long."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from starlette.requests import Request

from overstory.cancelling import check
from overstory.errors import WriterBusy
from overstory_service.database_watch import UNWATCHED_SECONDS, DatabaseWatch
from overstory_service.refusals import TookTooLong

R = TypeVar("R")

SECONDS_BETWEEN_LOOKS = 0.5
"""How often it is looked whether the client is still there."""

_WRITER_PATIENCE_SECONDS = 10.0
"""How long a change waits for another one to end: somebody who edits names one after the other meets the index job of
their own edit, or a request that they left."""
_SECONDS_BETWEEN_TRIES = 0.25
"""How often it is tried meanwhile."""


class ClientGone(Exception):  # no error: nobody hears of it
    """The client has left; nobody reads an answer."""


async def while_wanted(request: Request | None, work: Awaitable[R], seconds: float, watch: DatabaseWatch) -> R:
    """The result of `work`, which is cancelled when the client leaves, the time is over or the database is silent.

    Args:
        request: whose client waits; None where leaving cancels the task that awaits this.
        watch: is asked whether the database answers each time `work` has taken `UNWATCHED_SECONDS` more.

    Raises:
        TookTooLong, ClientGone, DatabaseUnreachable: it was.
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
    """The result of a call that may change a corpus, once nobody else writes to it. Blocks.

    Raises:
        WriterBusy: somebody still did after `_WRITER_PATIENCE_SECONDS`.
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
