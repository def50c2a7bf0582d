"""Progress on standard error: a bar on a terminal, plain lines elsewhere, nothing with --quiet."""

from __future__ import annotations

import sys
import time

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Task, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars
from rich.text import Text

from overstory.display import about, printable
from overstory.progress import Clock, Step, TimeLeft
from overstory.protocols import Progress, Silence

SECONDS_BETWEEN_LINES = 5.0
BAR_WIDTH = 20
"""Leaves room for the rest of the line on a terminal of 80 columns."""


def progress_for(*, quiet: bool) -> Progress:
    """The progress for the present kind of standard error."""
    if quiet:
        return Silence()
    return BarProgress() if sys.stderr.isatty() else LineProgress()


class BarProgress:
    """One bar per task, with an estimate of the time left; a finished task leaves one line."""

    def __init__(self, console: Console | None = None, clock: Clock = time.monotonic) -> None:
        self._console = console or Console(stderr=True)
        self._clock = clock
        self._bars: Bars | None = None
        self._bar = TaskID(0)
        self._left = TimeLeft(None, 0.0)
        self._task = ""
        self._begun = _Begun()

    def start(self, task: str, total: int | None, unit: str) -> None:
        self._stop()
        now = self._clock()
        self._task = task
        self._begun.note(task, now)
        self._left = TimeLeft(total, now)
        self._bars = Bars(
            TextColumn("{task.description:<9}"),
            BarColumn(bar_width=BAR_WIDTH),
            MofNCompleteColumn() if total is not None else TextColumn("{task.completed:,.0f}"),
            TextColumn(unit),
            _TimeColumn(self._left, self._clock),
            console=self._console,
            transient=True,
        )
        self._bar = self._bars.add_task(task, total=total)
        self._bars.start()

    def advance(self, amount: int) -> None:
        if self._bars is not None:
            self._left.advance(amount, self._clock())
            self._bars.advance(self._bar, amount)

    def finish(self, detail: str) -> None:
        self._stop()
        seconds = self._begun.end(self._task, self._clock())
        self._console.print(_line(self._task, detail, seconds), highlight=False, markup=False)

    def _stop(self) -> None:
        if self._bars is not None:
            self._bars.stop()
            self._bars = None


class _TimeColumn(TimeElapsedColumn):
    """How long a task will still take; until that is known, how long it has taken."""

    def __init__(self, left: TimeLeft, clock: Clock) -> None:
        super().__init__()
        self._left = left
        self._clock = clock

    def render(self, task: Task) -> Text:
        seconds = self._left.seconds(self._clock())
        return super().render(task) if seconds is None else Text(f"about {about(seconds)} left")


class LineProgress:
    """A line when a task ends, and one every few seconds while it runs, with an estimate of the time left."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._task, self._unit, self._total, self._done = "", "", None, 0
        self._begun = _Begun()
        self._spoke = 0.0
        self._left = TimeLeft(None, 0.0)

    _total: int | None

    def start(self, task: str, total: int | None, unit: str) -> None:
        self._task, self._unit, self._total, self._done = task, unit, total, 0
        self._spoke = self._clock()
        self._begun.note(task, self._spoke)
        self._left = TimeLeft(total, self._spoke)

    def advance(self, amount: int) -> None:
        self._done += amount
        now = self._clock()
        self._left.advance(amount, now)
        if now - self._spoke >= SECONDS_BETWEEN_LINES:
            self._spoke = now
            step = Step(f"{self._task:<9}", self._done, self._total, self._unit, seconds_left=self._left.seconds(now))
            click.echo(str(step), err=True)

    def finish(self, detail: str) -> None:
        click.echo(_line(self._task, detail, self._begun.end(self._task, self._clock())), err=True)


class _Begun:
    """When tasks began that have not ended: one that was interrupted by another, and starts again, began before."""

    def __init__(self) -> None:
        self._times: dict[str, float] = {}

    def note(self, task: str, now: float) -> None:
        self._times.setdefault(task, now)

    def end(self, task: str, now: float) -> float:
        """How many seconds the task took."""
        return now - self._times.pop(task, now)


def _line(task: str, detail: str, seconds: float) -> str:
    return printable(f"{task:<9} {detail} ({seconds:.1f} s)")
