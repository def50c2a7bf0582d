"""Progress for programs: one function that is called at every step."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from overstory.protocols import Progress, Silence


@dataclass(frozen=True, slots=True)
class Step:
    """The progress of a task; `str(step)` gives it in one line.

    Attributes:
        task: a stage ("load", "embed", "extract", "entities", "mentions", or a system's name), "delete", "restore" or
            "export"; before them "Neo4j" (download) and "Server" (start).
        done, total: in units; `total` is None if unknown.
        detail: a summary of the result after the end of the task; None before.
    """

    task: str
    done: int
    total: int | None
    unit: str
    detail: str | None = None

    def __str__(self) -> str:
        if self.detail is not None:
            return f"{self.task}: {self.detail}"
        of = "" if self.total is None else f" of {self.total:,}"
        return f"{self.task} {self.done:,}{of} {self.unit}" if self.unit else self.task


OnStep = Callable[[Step], object]


def progress_to(listener: Progress | OnStep | None) -> Progress:
    """The `Progress` itself, one that calls the function, or a silent one for None."""
    if listener is None:
        return Silence()
    return listener if isinstance(listener, Progress) else _Calls(listener)


class _Calls(threading.local):
    """A `Progress` that calls a function with each step. Each thread has a task of its own."""

    def __init__(self, listener: OnStep) -> None:
        self._listener = listener
        self._step = Step("", 0, None, "")

    def start(self, task: str, total: int | None, unit: str) -> None:
        self._tell(Step(task, 0, total, unit))

    def advance(self, amount: int) -> None:
        at = self._step
        self._tell(Step(at.task, at.done + amount, at.total, at.unit))

    def finish(self, detail: str) -> None:
        at = self._step
        self._tell(Step(at.task, at.done, at.total, at.unit, detail))

    def _tell(self, step: Step) -> None:
        self._step = step
        self._listener(step)
