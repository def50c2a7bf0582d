"""Cancelling work that runs in a thread: whoever waits for it says so, and it ends where it next can.

A thread cannot be ended from outside. Where work is about to ask a server or a language model, it looks whether it is
still wanted (`check`); and while it waits for one, it leaves word of how to end the waiting (`ended_by`). Work that
nobody can cancel, as that of a program without event loop, has no `Cancellation`, and none of this costs it anything.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar


class WorkCancelled(BaseException):
    """Ends work that nobody waits for any more. Like `KeyboardInterrupt` no `Exception`: nothing takes it for an error
    that it can handle."""


class Cancellation:
    """Whether a piece of work is still wanted. Shared by the thread that waits for it and those that do it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancelled = False
        self._ends: dict[object, Callable[[], object]] = {}
        self._notified: set[int] = set()  # threads that end already, and may still ask for what ending needs

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    def cancel(self) -> None:
        """Says that the work is not wanted any more, and ends what it waits for. Returns at once, in any thread."""
        with self._lock:
            if self._cancelled:
                return
            self._cancelled = True
            ends = list(self._ends.values())
        for end in ends:
            end()

    def check(self) -> None:
        """Raises `WorkCancelled` if the work is not wanted any more, once in each thread."""
        with self._lock:
            self._raise_once()

    @contextmanager
    def ended_by(self, end: Callable[[], object]) -> Generator[None]:
        """Has `cancel` call `end`, which returns at once, while the block runs. An error of a cancelled block is
        replaced by `WorkCancelled`."""
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
        """Called with the lock held."""
        this = threading.get_ident()
        if self._cancelled and this not in self._notified:
            self._notified.add(this)
            raise WorkCancelled


_current: ContextVar[Cancellation | None] = ContextVar("cancellation", default=None)


@contextmanager
def cancellable(cancellation: Cancellation | None) -> Generator[None]:
    """What the block does ends with this cancellation; with None it is done to its end, as what cleans up has to be."""
    token = _current.set(cancellation)
    try:
        yield
    finally:
        _current.reset(token)


def check() -> None:
    """Raises `WorkCancelled` if what this thread does is not wanted any more."""
    if cancellation := _current.get():
        cancellation.check()


def is_cancelled() -> bool:
    """Whether what this thread does is not wanted any more."""
    cancellation = _current.get()
    return cancellation is not None and cancellation.cancelled


@contextmanager
def ended_by(end: Callable[[], object]) -> Generator[None]:
    """As `Cancellation.ended_by`, of what this thread does."""
    cancellation = _current.get()
    if cancellation is None:
        yield
        return
    with cancellation.ended_by(end):
        yield


def can_be_cancelled() -> bool:
    """Whether what this thread does may end before it is done."""
    return _current.get() is not None
