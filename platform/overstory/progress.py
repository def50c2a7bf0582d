"""Reports of progress to a function, with an estimate of the remaining time."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from overstory.display import about
from overstory.protocols import Progress, Silence

Clock = Callable[[], float]
"""A function that returns the time of a monotonic clock in seconds, such as `time.monotonic`."""

_SECONDS_MEASURED = 5.0
"""Seconds before the first estimate. A task may first load a model, and one batch is too little for an estimate."""

_SECONDS_WORTH_SAYING = 5.0  # minimum number of seconds left that is shown

_SECONDS_REMEMBERED = 30.0  # the weight of past work in the rate falls to 1/e in this time


class TimeLeft:
    """Estimates the remaining time of a task from the rate of roughly the last 30 seconds."""

    def __init__(self, total: int | None, now: float) -> None:
        """Start measuring.

        Args:
            total: number of units in the whole task; None if unknown. Then there is no estimate.
            now: current time of a monotonic clock, in seconds.
        """
        self._total = total
        self._began = self._last = now
        self._done = 0
        self._units = self._seconds = 0.0  # the rate is their quotient; both decay exponentially

    def advance(self, amount: int, now: float) -> None:
        """Record that `amount` units were finished since the last call."""
        passed = max(0.0, now - self._last)
        kept = math.exp(-passed / _SECONDS_REMEMBERED)
        gained = _SECONDS_REMEMBERED * (1 - kept)
        self._units = self._units * kept + (amount * gained / passed if passed else amount)
        self._seconds = self._seconds * kept + gained
        self._done += amount
        self._last = now

    def seconds(self, now: float) -> float | None:
        """Return the estimated number of seconds left; None if it is unknown or too small to be shown."""
        if self._total is None or now - self._began < _SECONDS_MEASURED or not self._units or not self._seconds:
            return None
        left = (self._total - self._done) * self._seconds / self._units - (now - self._last)
        return left if left >= _SECONDS_WORTH_SAYING else None


@dataclass(frozen=True, slots=True)
class Step:
    """The progress of a task. `str(step)` returns it as one line.

    Attributes:
        task: name of the task, such as "load", "embed", "export", or "hirag reports" for a stage of a system. While
            Neo4j is downloaded, the name is "Neo4j"; while the server starts, it is "Server". While a long text is
            split, the name is "chunk", and then "load" again.
        total: number of units in the whole task; None if unknown.
        unit: name of the units, such as "documents".
        detail: summary of the result if the task has ended, otherwise None.
        seconds_left: estimated number of seconds left; None if it is unknown or too small to be shown.
    """

    task: str
    done: int
    total: int | None
    unit: str
    detail: str | None = None
    seconds_left: float | None = None

    def __str__(self) -> str:
        if self.detail is not None:
            return f"{self.task}: {self.detail}"
        of = "" if self.total is None else f" of {self.total:,}"
        left = "" if self.seconds_left is None else f", about {about(self.seconds_left)} left"
        return f"{self.task} {self.done:,}{of} {self.unit}{left}" if self.unit else self.task


OnStep = Callable[[Step], object]


def progress_to(listener: Progress | OnStep | None, *, clock: Clock = time.monotonic) -> Progress:
    """Return a `Progress` for a listener.

    If the listener is a `Progress`, it is returned. If it is a function, a wrapper around the function is returned. For
    None, a silent `Progress` is returned.
    """
    if listener is None:
        return Silence()
    return listener if isinstance(listener, Progress) else _Calls(listener, clock)


class _Calls(threading.local):
    """A `Progress` that calls a function with each step. Each thread can have its own task."""

    def __init__(self, listener: OnStep, clock: Clock) -> None:
        self._listener = listener
        self._clock = clock
        self._step = Step("", 0, None, "")
        self._left = TimeLeft(None, 0.0)

    def start(self, task: str, total: int | None, unit: str) -> None:
        self._left = TimeLeft(total, self._clock())
        self._notify(Step(task, 0, total, unit))

    def advance(self, amount: int) -> None:
        at, now = self._step, self._clock()
        self._left.advance(amount, now)
        self._notify(Step(at.task, at.done + amount, at.total, at.unit, seconds_left=self._left.seconds(now)))

    def finish(self, detail: str) -> None:
        at = self._step
        self._notify(Step(at.task, at.done, at.total, at.unit, detail))

    def _notify(self, step: Step) -> None:
        self._step = step
        self._listener(step)
