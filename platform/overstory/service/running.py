"""A request's work, in a thread: it ends with the client that leaves, and when it takes too long."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from starlette.requests import Request

from overstory.service.refusals import TookTooLong

R = TypeVar("R")

SECONDS_BETWEEN_LOOKS = 0.5
"""How often it is looked whether the client is still there."""


class ClientGone(Exception):  # no error: nobody hears of it
    """The client has left; nobody reads an answer."""


async def while_wanted(request: Request | None, work: Awaitable[R], seconds: float) -> R:
    """The result of `work`, which is cancelled when the client leaves or the time is over.

    Args:
        request: whose client waits; None where leaving cancels the task that awaits this.

    Raises:
        TookTooLong, ClientGone: it was.
    """
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    try:
        while True:
            done, _ = await asyncio.wait({task}, timeout=min(SECONDS_BETWEEN_LOOKS, max(0.0, end - loop.time())))
            if done:
                return task.result()
            if loop.time() >= end:
                raise TookTooLong(
                    f"There was no answer within {seconds:g} seconds.", remedy="Ask for less, or try again later."
                )
            if request is not None and await request.is_disconnected():
                raise ClientGone
    finally:
        task.cancel()
