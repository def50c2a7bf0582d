"""Progress on standard error: a bar on a terminal, plain lines elsewhere, nothing with --quiet."""

from __future__ import annotations

import sys
import time

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from overstory.display import printable
from overstory.protocols import Progress, Silence

SECONDS_BETWEEN_LINES = 5.0


def progress_for(*, quiet: bool) -> Progress:
    """The progress for the present kind of standard error."""
    if quiet:
        return Silence()
    return BarProgress() if sys.stderr.isatty() else LineProgress()


class BarProgress:
    """One bar per task; a finished task leaves one line."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._bars: Bars | None = None
        self._bar = TaskID(0)
        self._task = ""
        self._began = 0.0

    def start(self, task: str, total: int | None, unit: str) -> None:
        self._stop()
        self._task, self._began = task, time.monotonic()
        self._bars = Bars(
            TextColumn("{task.description:<9}"),
            BarColumn(),
            MofNCompleteColumn() if total is not None else TextColumn("{task.completed:,.0f}"),
            TextColumn(unit),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
        )
        self._bar = self._bars.add_task(task, total=total)
        self._bars.start()

    def advance(self, amount: int) -> None:
        if self._bars is not None:
            self._bars.advance(self._bar, amount)

    def finish(self, detail: str) -> None:
        self._stop()
        self._console.print(_line(self._task, detail, time.monotonic() - self._began), highlight=False, markup=False)

    def _stop(self) -> None:
        if self._bars is not None:
            self._bars.stop()
            self._bars = None


class LineProgress:
    """A line when a task ends, and one every few seconds while it runs."""

    def __init__(self) -> None:
        self._task, self._unit, self._total, self._done = "", "", None, 0
        self._began = self._spoke = 0.0

    _total: int | None

    def start(self, task: str, total: int | None, unit: str) -> None:
        self._task, self._unit, self._total, self._done = task, unit, total, 0
        self._began = self._spoke = time.monotonic()

    def advance(self, amount: int) -> None:
        self._done += amount
        now = time.monotonic()
        if now - self._spoke >= SECONDS_BETWEEN_LINES:
            self._spoke = now
            of = f" of {self._total:,}" if self._total is not None else ""
            click.echo(f"{self._task:<9} {self._done:,}{of} {self._unit}", err=True)

    def finish(self, detail: str) -> None:
        click.echo(_line(self._task, detail, time.monotonic() - self._began), err=True)


def _line(task: str, detail: str, seconds: float) -> str:
    return printable(f"{task:<9} {detail} ({seconds:.1f} s)")
