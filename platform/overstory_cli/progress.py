"""Progress on standard error: a bar on a terminal, plain lines elsewhere, nothing with --quiet."""

from __future__ import annotations

import sys
import time

import click

from overstory.display import printable
from overstory.progress import Clock, Step, TimeLeft
from overstory.protocols import Progress, Silence

_SECONDS_BETWEEN_LINES = 5.0


def progress_for(*, quiet: bool) -> Progress:
    """The progress for the present kind of standard error."""
    if quiet:
        return Silence()
    return _TerminalProgress() if sys.stderr.isatty() else LineProgress()


class _TerminalProgress:
    """Bars. Importing what draws them takes a tenth of a second, which a command without a task does not wait for."""

    _bars: Progress = Silence()

    def start(self, task: str, total: int | None, unit: str) -> None:
        if isinstance(self._bars, Silence):
            from overstory_cli.bars import BarProgress

            self._bars = BarProgress()
        self._bars.start(task, total, unit)

    def advance(self, amount: int) -> None:
        self._bars.advance(amount)

    def finish(self, detail: str) -> None:
        self._bars.finish(detail)


class LineProgress:
    """A line when a task ends, and one every few seconds while it runs, with an estimate of the time left."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._task, self._unit, self._total, self._done = "", "", None, 0
        self._begun = Begun()
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
        if now - self._spoke >= _SECONDS_BETWEEN_LINES:
            self._spoke = now
            step = Step(f"{self._task:<9}", self._done, self._total, self._unit, seconds_left=self._left.seconds(now))
            click.echo(str(step), err=True)

    def finish(self, detail: str) -> None:
        click.echo(line(self._task, detail, self._begun.end(self._task, self._clock())), err=True)


class Begun:
    """When tasks began that have not ended: one that was interrupted by another, and starts again, began before."""

    def __init__(self) -> None:
        self._times: dict[str, float] = {}

    def note(self, task: str, now: float) -> None:
        self._times.setdefault(task, now)

    def end(self, task: str, now: float) -> float:
        """How many seconds the task took."""
        return now - self._times.pop(task, now)


def line(task: str, detail: str, seconds: float) -> str:
    return printable(f"{task:<9} {detail} ({seconds:.1f} s)")
