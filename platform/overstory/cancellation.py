"""Cancellation of blocking work in threads.

A thread cannot be stopped from outside. Work therefore calls `check` before each request to a server or language model,
and `ended_by` registers a function that ends a running wait. Work without a `Cancellation`, as in programs without an
event loop, has no overhead.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar


class WorkCancelled(BaseException):
    """Raised to end cancelled work.

    Derives from `BaseException`, like `KeyboardInterrupt`, so that error handlers do not catch it.
    """


class Cancellation:
    """The cancellation state of one piece of work, shared by the waiting thread and the working threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancelled = False
        self._ends: dict[object, Callable[[], object]] = {}
        self._notified: set[int] = set()  # threads that already got WorkCancelled, and may still do cleanup requests

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    def cancel(self) -> None:
        """Cancel the work and end its current waits. Returns at once, in any thread."""
        with self._lock:
            if self._cancelled:
                return
            self._cancelled = True
            ends = list(self._ends.values())
        for end in ends:
            end()

    def check(self) -> None:
        """Raise `WorkCancelled` if the work was cancelled, once per thread."""
        with self._lock:
            self._raise_once()

    @contextmanager
    def ended_by(self, end: Callable[[], object]) -> Generator[None]:
        """Let `cancel` call `end`, which must return at once, while the block runs.

        An exception in a cancelled block is replaced by `WorkCancelled`.
        """
        key = object()
        with self._lock:
            self._raise_once()
            if not self._cancelled:
                self._ends[key] = end
        try:
            yield
        except Exception:
            self.check()
            raise
        finally:
            with self._lock:
                self._ends.pop(key, None)

    def _raise_once(self) -> None:
        """Raise `WorkCancelled` once per thread. Requires the lock."""
        this = threading.get_ident()
        if self._cancelled and this not in self._notified:
            self._notified.add(this)
            raise WorkCancelled


_current: ContextVar[Cancellation | None] = ContextVar("cancellation", default=None)


@contextmanager
def cancellable(cancellation: Cancellation | None) -> Generator[None]:
    """Run the block under a cancellation; with None, for example for cleanup, the block cannot be cancelled."""
    token = _current.set(cancellation)
    try:
        yield
    finally:
        _current.reset(token)


def check() -> None:
    """Raise `WorkCancelled` if the work of this thread was cancelled."""
    if cancellation := _current.get():
        cancellation.check()


def is_cancelled() -> bool:
    """Return True if the work of this thread was cancelled."""
    cancellation = _current.get()
    return cancellation is not None and cancellation.cancelled


@contextmanager
def ended_by(end: Callable[[], object]) -> Generator[None]:
    """Call `Cancellation.ended_by` for the work of this thread."""
    cancellation = _current.get()
    if cancellation is None:
        yield
        return
    with cancellation.ended_by(end):
        yield


def can_be_cancelled() -> bool:
    """Return True if the work of this thread can be cancelled."""
    return _current.get() is not None
