"""Progress reports to a function, with an estimate of the remaining time."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from overstory.display import about
from overstory.protocols import Progress, Silence

Clock = Callable[[], float]
"""A monotonic clock in seconds, such as `time.monotonic`."""

_SECONDS_MEASURED = 5.0
"""No estimate before this time, because a task starts by loading a model, and one batch is too little data."""

_SECONDS_WORTH_SAYING = 5.0  # shorter estimates are not shown

_SECONDS_REMEMBERED = 30.0  # time constant of the exponentially weighted rate


class TimeLeft:
    """Estimates the remaining time of a task from the rate of roughly the last 30 seconds."""

    def __init__(self, total: int | None, now: float) -> None:
        """Start measuring.

        Args:
            total: total number of units; None gives no estimate.
            now: current time of a monotonic clock, in seconds.
        """
        self._total = total
        self._began = self._last = now
        self._done = 0
        self._units = self._seconds = 0.0  # exponentially decayed sums; their quotient is the rate

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
        """Return the estimated seconds left; None if unknown or too short to show."""
        if self._total is None or now - self._began < _SECONDS_MEASURED or not self._units or not self._seconds:
            return None
        left = (self._total - self._done) * self._seconds / self._units - (now - self._last)
        return left if left >= _SECONDS_WORTH_SAYING else None


@dataclass(frozen=True, slots=True)
class Step:
    """The progress of a task; `str(step)` formats it in one line.

    Attributes:
        task: a stage ("load", "embed", "extract", "entities", "mentions", or the name of a system), "delete", "restore"
            or "export"; "chunk" while a long text is split, followed by "load" again; at the start "Neo4j" (download)
            and "Server" (start).
        done, total: units finished and in all; `total` is None if unknown.
        detail: summary of the result when the task has ended, otherwise None.
        seconds_left: estimated seconds left; None if unknown or too short to show.
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
    """Return a `Progress` for a listener: the object itself, a wrapper of a function, or a silent one for None."""
    if listener is None:
        return Silence()
    return listener if isinstance(listener, Progress) else _Calls(listener, clock)


class _Calls(threading.local):
    """A `Progress` that calls a function with each step, and tracks one task per thread."""

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
