"""An answer while it is made in a thread: its pieces, and then the whole."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable

from overstory.answer import Answer, OnText
from overstory.knowledge.threads import WorkThreads


class AnswerPieces:
    """The pieces of one answer. Nothing is asked before one of them, or the whole, is waited for."""

    def __init__(self, threads: WorkThreads, ask: Callable[[OnText], Answer]) -> None:
        """
        Args:
            ask: blocks, and tells the function it is given the pieces.
        """
        self._threads = threads
        self._ask = ask
        self._pieces: asyncio.Queue[str | None] = asyncio.Queue()  # None after the last
        self._task: asyncio.Task[Answer] | None = None

    async def first(self) -> str | None:
        """The first piece; None if there is none.

        Raises:
            what asking raises before that: it has a status of its own then.
        """
        piece = await self._next()
        if piece is None:
            await self.whole()
        return piece

    async def rest(self) -> AsyncGenerator[str]:
        """The pieces that were not waited for yet."""
        while (piece := await self._next()) is not None:
            yield piece

    async def whole(self) -> Answer:
        """The answer. AnswerPieces need not be waited for; cancelling who waits ends the question.

        Raises:
            what asking raises.
        """
        return await self._begun()

    def close(self) -> None:
        """Ends the question if it is not answered yet."""
        if self._task is not None:
            self._task.cancel()

    async def _next(self) -> str | None:
        self._begun()
        try:
            piece = await self._pieces.get()
        except asyncio.CancelledError:
            self.close()
            raise
        if piece is None:
            self._pieces.put_nowait(None)  # for who asks once more
        return piece

    def _begun(self) -> asyncio.Task[Answer]:
        if self._task is None:
            loop, pieces = asyncio.get_running_loop(), self._pieces

            def hear(piece: str) -> None:
                loop.call_soon_threadsafe(pieces.put_nowait, piece)

            self._task = asyncio.ensure_future(self._threads.run(lambda: self._ask(hear)))
            self._task.add_done_callback(lambda _: pieces.put_nowait(None))
        return self._task
