"""An event loop in a thread of its own, for requests with timeouts that end when their caller stops waiting."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
import weakref
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from overstory.cancelling import ended_by

R = TypeVar("R")

AtEnd = Callable[[], Awaitable[object]]


class LoopThread:
    """Runs coroutines for threads that wait for them. Its thread starts with the first coroutine, and ends with `close`
    or when this object is garbage-collected."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: set[concurrent.futures.Future[Any]] = set()  # results of any type
        self._at_end: list[AtEnd] = []
        self._stop: Callable[[], object] = _nothing

    def run(self, coroutine: Coroutine[Any, Any, R]) -> R:  # asyncio defines the send and yield types
        """Return the coroutine's result; cancels it if the waiting thread is interrupted, or its work cancelled."""
        future = self.start(coroutine)
        try:
            with ended_by(future.cancel):
                return future.result()
        except BaseException:
            future.cancel()
            raise

    def start(self, coroutine: Coroutine[Any, Any, R]) -> concurrent.futures.Future[R]:  # as `run`
        """Start a coroutine without waiting for it."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._running())
        with self._lock:
            self._waiting.add(future)
        future.add_done_callback(self._forget)
        return future

    def at_end(self, close: AtEnd) -> None:
        """Call and await `close` in the loop before it ends."""
        self._at_end.append(close)

    def cancel(self) -> None:
        """Cancel the running coroutines."""
        with self._lock:
            waiting = list(self._waiting)
        for future in waiting:
            future.cancel()

    def close(self) -> None:
        """Cancel the running coroutines and end the thread. The next `run` starts another."""
        self.cancel()
        with self._lock:
            self._loop, self._at_end = None, []
            stop, self._stop = self._stop, _nothing
        stop()

    def _forget(self, future: concurrent.futures.Future[Any]) -> None:  # as `_waiting`
        with self._lock:
            self._waiting.discard(future)

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                thread = threading.Thread(
                    target=_serve, args=(self._loop, self._at_end), name="language model", daemon=True
                )
                thread.start()
                self._stop = weakref.finalize(self, _end, self._loop, thread)
            return self._loop


def _serve(loop: asyncio.AbstractEventLoop, at_end: list[AtEnd]) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        for close in at_end:
            loop.run_until_complete(close())
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


def _end(loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    if loop.is_closed():
        return
    loop.call_soon_threadsafe(loop.stop)
    if threading.current_thread() is not thread:
        thread.join()


def _nothing() -> None: ...
