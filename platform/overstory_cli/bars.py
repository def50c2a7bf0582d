"""Progress as a bar on a terminal."""

from __future__ import annotations

import time

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Task, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars
from rich.text import Text

from overstory.display import about
from overstory.progress import Clock, TimeLeft
from overstory_cli.progress import Begun, line

_BAR_WIDTH = 20
"""Leaves room for the rest of the line on a terminal of 80 columns."""


class BarProgress:
    """One bar per task, with an estimate of the time left; a finished task leaves one line."""

    def __init__(self, console: Console | None = None, clock: Clock = time.monotonic) -> None:
        self._console = console or Console(stderr=True)
        self._clock = clock
        self._bars: Bars | None = None
        self._bar = TaskID(0)
        self._left = TimeLeft(None, 0.0)
        self._task = ""
        self._begun = Begun()

    def start(self, task: str, total: int | None, unit: str) -> None:
        self._stop()
        now = self._clock()
        self._task = task
        self._begun.note(task, now)
        self._left = TimeLeft(total, now)
        self._bars = Bars(
            TextColumn("{task.description:<9}"),
            BarColumn(bar_width=_BAR_WIDTH),
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
        self._console.print(line(self._task, detail, seconds), highlight=False, markup=False)

    def _stop(self) -> None:
        if self._bars is not None:
            self._bars.stop()
            self._bars = None


class _TimeColumn(TimeElapsedColumn):
    """Time left of a task; until that is known, the time it has taken."""

    def __init__(self, left: TimeLeft, clock: Clock) -> None:
        super().__init__()
        self._left = left
        self._clock = clock

    def render(self, task: Task) -> Text:
        seconds = self._left.seconds(self._clock())
        return super().render(task) if seconds is None else Text(f"about {about(seconds)} left")
