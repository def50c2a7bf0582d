"""Shows progress on standard error: as a bar on a terminal, and as plain lines otherwise. --quiet turns this off."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click

from overstory.display import about, printable
from overstory.progress import Clock, Step, TimeLeft
from overstory.protocols import Progress, Silence

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bars
    from rich.progress import ProgressColumn, Task, TaskID

_SECONDS_BETWEEN_LINES = 5.0
_BAR_WIDTH = 20
"""Width of the bar in characters. It is chosen so that the complete line fits on a terminal with 80 columns."""


def progress_for(*, quiet: bool) -> Progress:
    """Return a progress bar if standard error is a terminal, otherwise progress as plain lines.

    Args:
        quiet: if True, return an object that shows nothing.
    """
    if quiet:
        return Silence()
    return BarProgress() if sys.stderr.isatty() else LineProgress()


class BarProgress:
    """A progress bar with the estimated remaining time. When a task ends, its bar is replaced with one line of text."""

    def __init__(self, console: Console | None = None, clock: Clock = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        self._bars: Bars | None = None
        self._bar: TaskID
        self._left = TimeLeft(None, 0.0)
        self._task = ""
        self._starts = StartTimes()

    def start(self, task: str, total: int | None, unit: str) -> None:
        # It takes a tenth of a second to import rich. Therefore it is imported only when the first task starts.
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as Bars

        self._stop()
        if self._console is None:
            self._console = Console(stderr=True)
        now = self._clock()
        self._task = task
        self._starts.note(task, now)
        self._left = TimeLeft(total, now)
        self._bars = Bars(
            TextColumn("{task.description:<9}"),
            BarColumn(bar_width=_BAR_WIDTH),
            MofNCompleteColumn() if total is not None else TextColumn("{task.completed:,.0f}"),
            TextColumn(unit),
            _time_column(self._left, self._clock),
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
        seconds = self._starts.end(self._task, self._clock())
        if self._console is not None:
            self._console.print(_finished(self._task, detail, seconds), highlight=False, markup=False)

    def _stop(self) -> None:
        if self._bars is not None:
            self._bars.stop()
            self._bars = None


def _time_column(left: TimeLeft, clock: Clock) -> ProgressColumn:
    from rich.progress import TimeElapsedColumn
    from rich.text import Text

    class TimeColumn(TimeElapsedColumn):
        def render(self, task: Task) -> Text:
            seconds = left.seconds(clock())
            return super().render(task) if seconds is None else Text(f"about {about(seconds)} left")

    return TimeColumn()


class LineProgress:
    """Shows progress as lines of text.

    A line with the estimated remaining time is printed every few seconds, and a last line at the end of each task.
    """

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._task, self._unit, self._total, self._done = "", "", None, 0
        self._starts = StartTimes()
        self._last_line = 0.0
        self._left = TimeLeft(None, 0.0)

    _total: int | None

    def start(self, task: str, total: int | None, unit: str) -> None:
        self._task, self._unit, self._total, self._done = task, unit, total, 0
        self._last_line = self._clock()
        self._starts.note(task, self._last_line)
        self._left = TimeLeft(total, self._last_line)

    def advance(self, amount: int) -> None:
        self._done += amount
        now = self._clock()
        self._left.advance(amount, now)
        if now - self._last_line >= _SECONDS_BETWEEN_LINES:
            self._last_line = now
            step = Step(f"{self._task:<9}", self._done, self._total, self._unit, seconds_left=self._left.seconds(now))
            click.echo(str(step), err=True)

    def finish(self, detail: str) -> None:
        click.echo(_finished(self._task, detail, self._starts.end(self._task, self._clock())), err=True)


class StartTimes:
    """The start times of unfinished tasks. If a task is interrupted by another task, its start time does not change."""

    def __init__(self) -> None:
        self._times: dict[str, float] = {}

    def note(self, task: str, now: float) -> None:
        self._times.setdefault(task, now)

    def end(self, task: str, now: float) -> float:
        """Forget the start time of a task, and return how many seconds the task took."""
        return now - self._times.pop(task, now)


def _finished(task: str, detail: str, seconds: float) -> str:
    return printable(f"{task:<9} {detail} ({seconds:.1f} s)")
