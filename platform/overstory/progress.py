"""Progress for programs: one function that is called at every step, and how long a task will still take."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from overstory.display import about
from overstory.protocols import Progress, Silence

Clock = Callable[[], float]
"""Seconds that never go back, as `time.monotonic` gives them."""

_SECONDS_MEASURED = 5.0
"""No estimate before: a task begins with a model that is loaded, and one batch tells little."""

_SECONDS_WORTH_SAYING = 5.0  # an estimate below this is left out

_SECONDS_REMEMBERED = 30.0  # what was done longer ago has lost most of its weight in the rate


class TimeLeft:
    """Estimates how long a task will still take from the rate of the last half minute or so."""

    def __init__(self, total: int | None, now: float) -> None:
        """
        Args:
            total: in units; there is no estimate for None.
            now: seconds, as of a clock that never goes back.
        """
        self._total = total
        self._began = self._last = now
        self._done = 0
        self._units = self._seconds = 0.0  # both decay with age; their quotient is the rate

    def advance(self, amount: int, now: float) -> None:
        """Notes that so many units were done since the last call."""
        passed = max(0.0, now - self._last)
        kept = math.exp(-passed / _SECONDS_REMEMBERED)
        gained = _SECONDS_REMEMBERED * (1 - kept)
        self._units = self._units * kept + (amount * gained / passed if passed else amount)
        self._seconds = self._seconds * kept + gained
        self._done += amount
        self._last = now

    def seconds(self, now: float) -> float | None:
        """The seconds left; None where that is not known yet, or not worth saying."""
        if self._total is None or now - self._began < _SECONDS_MEASURED or not self._units or not self._seconds:
            return None
        left = (self._total - self._done) * self._seconds / self._units - (now - self._last)
        return left if left >= _SECONDS_WORTH_SAYING else None


@dataclass(frozen=True, slots=True)
class Step:
    """The progress of a task; `str(step)` gives it in one line.

    Attributes:
        task: a stage ("load", "embed", "extract", "entities", "mentions", or a system's name), "delete", "restore" or
            "export"; "chunk" while a long text is cut, after which "load" starts again where it was; before them
            "Neo4j" (download) and "Server" (start).
        done, total: in units; `total` is None if unknown.
        detail: a summary of the result after the end of the task; None before.
        seconds_left: an estimate for the rest of this task; None where it is not known yet, or not worth saying.
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
    """The `Progress` itself, one that calls the function, or a silent one for None."""
    if listener is None:
        return Silence()
    return listener if isinstance(listener, Progress) else _Calls(listener, clock)


class _Calls(threading.local):
    """A `Progress` that calls a function with each step. Each thread has a task of its own."""

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
