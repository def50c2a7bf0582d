"""Several processes that parse texts.

They are started afresh with pipes for their input and output, and not by `multiprocessing`: its spawned children run
the caller's main module again, which breaks scripts without a guard, and its forked ones inherit the locks of our
threads.
A child ends when its input does, so also when its parent is killed.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from overstory.errors import ModelError
from overstory.text.parsing.readings import Reading

T = TypeVar("T")

BATCHES_AHEAD = 4
"""Batches that wait for each process or in it: they are to last while what was found before is written."""


class Workers(Generic[T]):
    """A context in which `count` processes run; they are stopped at its end."""

    def __init__(self, pipeline: str, count: int, reading: Reading[T]) -> None:
        self._decoded = reading.decoded
        self._all = [_Worker(pipeline, reading.address) for _ in range(count)]
        self._idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        for worker in self._all:
            self._idle.put(worker)
        # A thread waits for each process; with one thread for all, full pipes in both directions would block for good.
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="extraction")

    def parse(self, batches: Iterable[Sequence[str]]) -> Iterator[list[T]]:
        """The contents of each batch, in order, lazily; a few batches are read ahead."""
        running: deque[Future[list[T]]] = deque()
        for batch in batches:
            running.append(self._threads.submit(self._ask, batch))
            if len(running) >= BATCHES_AHEAD * len(self._all):
                yield running.popleft().result()
        while running:
            yield running.popleft().result()

    def _ask(self, texts: Sequence[str]) -> list[T]:
        worker = self._idle.get()
        try:
            return [self._decoded(fields) for fields in worker.ask(texts)]
        finally:
            self._idle.put(worker)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._all:
            worker.stop()
        self._threads.shutdown()


class _Worker:
    def __init__(self, pipeline: str, reading: str) -> None:
        path = [str(Path(entry).absolute()) for entry in sys.path]
        code = f"import sys; sys.path[:] = {path!r}; from overstory.text.parsing.worker import main; "
        code += f"main({pipeline!r}, {reading!r})"
        self._process = subprocess.Popen(  # noqa: S603 # our own interpreter, no shell
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | _ONE_THREAD,
            process_group=0,  # an interruption from the keyboard is for the parent
        )
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: S101, PT018 # for mypy
        self._questions, self._answers = self._process.stdin, self._process.stdout

    def ask(self, texts: Sequence[str]) -> list[list[Any]]:
        try:
            self._questions.write(json.dumps(list(texts)).encode() + b"\n")
            self._questions.flush()
            answer = json.loads(self._answers.readline() or b"null")
        except (OSError, ValueError):
            answer = None
        if answer is None:
            raise ModelError(
                f"An extraction process ended unexpectedly (exit status {self._process.wait()}).",
                remedy="It may have run out of memory: try again with OVERSTORY_PROCESSES=1.",
            )
        if isinstance(answer, dict):
            raise ModelError(answer["error"], remedy=answer["remedy"])
        found: list[list[Any]] = answer
        return found

    def stop(self) -> None:
        """Kills the process: what it may still be parsing, nobody waits for."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._questions, self._answers):
            with contextlib.suppress(OSError):  # what is still in a buffer goes nowhere
                pipe.close()


_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""The processes are the parallelism."""
