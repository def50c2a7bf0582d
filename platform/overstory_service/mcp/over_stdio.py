"""`overstory mcp`: the tools for the program that started this process, over standard input and output."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from mcp.server import Server
from mcp.server.stdio import stdio_server
from starlette.requests import Request

from overstory.errors import SettingsError
from overstory.knowledge.asynchronous import WorkThreads
from overstory.settings import Settings
from overstory_service.access import LOCAL, Access, Gate
from overstory_service.hosted import MOST_WORKING_THREADS, Hosted
from overstory_service.jobs.uploads import Uploads
from overstory_service.mcp.serving import ToolServer
from overstory_service.observing import ServiceFigures
from overstory_service.open_corpora import OpenCorpora
from overstory_service.refusals import TokenNeeded
from overstory_service.settings import ServiceSettings
from overstory_service.tokens import RIGHTS, TOKENS_FILE, Rights, TokenFile, service_folder

_SIGNAL_EXIT_CODE = 128
"""Exit code of a process that a signal ended, less the number of the signal."""


@dataclass(frozen=True, slots=True)
class _Allowed:
    """What this process may do: all, or what a token is good for, and no more than it was started for.

    Attributes:
        token: None where there is none.
        corpora: None for all.
    """

    gate: Gate
    token: str | None
    corpora: frozenset[str] | None
    write: bool

    def __call__(self, _request: Request | None) -> Access:
        """Looked up again at each call, so that a token that was revoked is good for nothing.

        Raises:
            TokenNeeded: it was, or there was never one like it.
            SettingsError: the tokens cannot be read.
        """
        found = LOCAL if self.token is None else self.gate.admit(f"Bearer {self.token}")
        most: Rights = "write" if self.write else "read"
        corpora = self.corpora
        if corpora is not None and found.corpora is not None:
            corpora = corpora & found.corpora
        return replace(
            found,
            rights=min(found.rights, most, key=RIGHTS.index),
            corpora=found.corpora if corpora is None else corpora,
        )


def serve_stdio(settings: Settings, *, corpora: Sequence[str] = (), write: bool = False) -> None:
    """Serves until standard input ends. The database is started, and models are loaded, at the first call.

    Args:
        corpora: that can be asked; none for all.
        write: whether there are tools that change corpora.

    Raises:
        SettingsError: the token of the settings is not known, or the tokens cannot be read.
    """
    folder = service_folder(settings)
    host = Hosted(
        settings=ServiceSettings(agents_write=write),
        corpora=OpenCorpora(settings),
        gate=Gate(TokenFile(folder / TOKENS_FILE), open_without_tokens=False),
        uploads=Uploads(folder / "uploads"),
        figures=ServiceFigures(),
        threads=WorkThreads(MOST_WORKING_THREADS),
        works_at_need=write,
    )
    allowed = _Allowed(host.gate, settings.token, frozenset(corpora) or None, write)
    try:
        allowed(None)
    except TokenNeeded as error:
        raise SettingsError(
            f"OVERSTORY_TOKEN is set, but: {error}",
            remedy="Set it to a token that `overstory tokens add NAME` showed, or unset it.",
        ) from error
    asyncio.run(_serve(host, allowed, write=write))


async def _serve(host: Hosted, allowed: _Allowed, *, write: bool) -> None:
    loop = asyncio.get_running_loop()
    stopped: asyncio.Future[int] = loop.create_future()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, _set, stopped, number)
    answering = asyncio.create_task(_answer(ToolServer(host, allowed, write=write).server()))
    ends: set[asyncio.Future[Any]] = {answering, stopped}  # of different results
    await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    if host.runner is not None:
        await asyncio.to_thread(host.runner.stop)
    await asyncio.to_thread(host.threads.close)
    await asyncio.to_thread(host.corpora.close)
    if answering.done():
        answering.result()
    else:  # its thread waits for standard input, and nothing but the end of the process ends that
        sys.stderr.flush()
        os._exit(_SIGNAL_EXIT_CODE + stopped.result())


async def _answer(server: Server[Any]) -> None:
    """Answers until standard input ends, or nobody reads standard output."""
    try:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    except* (BrokenPipeError, ConnectionResetError):
        pass


def _set(stopped: asyncio.Future[int], number: int) -> None:
    if not stopped.done():
        stopped.set_result(number)
