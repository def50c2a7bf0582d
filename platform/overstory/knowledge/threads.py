"""The threads in which a corpus works for asynchronous code: a bounded number, and none that outlives `close`."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from overstory.cancelling import Cancellation, WorkCancelled, cancellable

R = TypeVar("R")

_ASYNC_CALLS_AT_ONCE = 10
"""Asynchronous calls of one `Knowledge` that work at a time; others wait for their turn."""


class WorkThreads:
    """Runs what blocks for tasks that wait for it. Threads start when they are needed, and end with `close`."""

    def __init__(self, most: int = _ASYNC_CALLS_AT_ONCE) -> None:
        """
        Args:
            most: threads.
        """
        self._most = most
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._running: dict[Future[Any], Cancellation] = {}  # results of any type
        self._writing: set[Future[Any]] = set()

    async def run(self, work: Callable[[], R], *, writes: bool = False) -> R:
        """The result of `work`. Cancelling the task that waits cancels the work (`overstory.cancelling`), and does not
        wait for its end.

        Args:
            writes: the work begins when what wrote before it, and was cancelled, has ended.
        """
        future, cancellation = self.start(work, writes=writes)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            cancellation.cancel()
            raise
        except WorkCancelled:  # by `close`
            raise asyncio.CancelledError from None

    def start(self, work: Callable[[], R], *, writes: bool = False) -> tuple[Future[R], Cancellation]:
        """Starts `work` without waiting for it, with the context of the caller."""
        cancellation = Cancellation()

        def begun() -> R:
            with cancellable(cancellation):
                cancellation.check()
                if writes:
                    concurrent.futures.wait(before)
                return work()

        with self._lock:
            before = [each for each in self._writing if self._running[each].cancelled] if writes else []
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self._most, thread_name_prefix="overstory-async")
            future = self._pool.submit(contextvars.copy_context().run, begun)
            self._running[future] = cancellation
            if writes:
                self._writing.add(future)
        future.add_done_callback(self._forget)
        return future, cancellation

    def close(self) -> None:
        """Cancels the work, and returns when it has ended, with its threads. The next call starts others."""
        with self._lock:
            pool, self._pool = self._pool, None
            running = list(self._running.values())
        for each in running:
            each.cancel()
        if pool is not None:
            pool.shutdown(cancel_futures=True)

    def _forget(self, future: Future[R]) -> None:
        with self._lock:
            self._running.pop(future, None)
            self._writing.discard(future)
