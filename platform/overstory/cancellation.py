"""Cancellation of work that blocks a thread.

A thread cannot be stopped from outside. The work therefore calls `check` before each request to a server or a language
model. With `ended_by`, it registers a function that ends the wait for a response. Work without a `Cancellation`, as in
programs without an event loop, has no overhead.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar


class WorkCancelled(BaseException):
    """The exception that ends cancelled work.

    Like `KeyboardInterrupt`, it derives from `BaseException`, so that handlers of `Exception` do not catch it.
    """


class Cancellation:
    """The state of one piece of work: cancelled or not.

    The thread that waits for the work and the threads that do the work share this object.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancelled = False
        self._ends: dict[object, Callable[[], object]] = {}
        self._notified: set[int] = set()  # threads that got WorkCancelled; they may still send requests to clean up

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    def cancel(self) -> None:
        """Cancel the work and end its waits. Any thread may call this method, which returns at once."""
        with self._lock:
            if self._cancelled:
                return
            self._cancelled = True
            ends = list(self._ends.values())
        for end in ends:
            end()

    def check(self) -> None:
        """Raise `WorkCancelled` if the work was cancelled, but only once in each thread."""
        with self._lock:
            self._raise_once()

    @contextmanager
    def ended_by(self, end: Callable[[], object]) -> Generator[None]:
        """Register `end`, so that `cancel` calls it if the work is cancelled while the block runs.

        If the block raises an exception because it was cancelled, `WorkCancelled` is raised instead.

        Args:
            end: function that ends the wait in the block. It must return at once.
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
        """Do the same as `check`. The caller must hold the lock."""
        this = threading.get_ident()
        if self._cancelled and this not in self._notified:
            self._notified.add(this)
            raise WorkCancelled


_current: ContextVar[Cancellation | None] = ContextVar("cancellation", default=None)


@contextmanager
def cancellable(cancellation: Cancellation | None) -> Generator[None]:
    """Let `cancellation` cancel the block. With None, the block cannot be cancelled, for example while it cleans up."""
    token = _current.set(cancellation)
    try:
        yield
    finally:
        _current.reset(token)


def check() -> None:
    """Raise `WorkCancelled` if the work of this thread was cancelled, but only once in each thread."""
    if cancellation := _current.get():
        cancellation.check()


def is_cancelled() -> bool:
    """Return True if the work of this thread was cancelled."""
    cancellation = _current.get()
    return cancellation is not None and cancellation.cancelled


@contextmanager
def ended_by(end: Callable[[], object]) -> Generator[None]:
    """Register `end` for the work of this thread while the block runs; see `Cancellation.ended_by`."""
    cancellation = _current.get()
    if cancellation is None:
        yield
        return
    with cancellation.ended_by(end):
        yield


def can_be_cancelled() -> bool:
    """Return True if the work of this thread can be cancelled."""
    return _current.get() is not None
