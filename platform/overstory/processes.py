"""Worker processes of this interpreter that communicate through pipes.

`multiprocessing` is not used: spawned children run the caller's main module again, which breaks scripts without a
guard, and forked children inherit locks of other threads. A worker ends when its input closes, so also when its parent
is killed.
"""

from __future__ import annotations

import base64
import contextlib
import os
import pickle
import queue
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

Q = TypeVar("Q")
A = TypeVar("A")


class ProcessEnded(Exception):
    """A process ended before it answered, for example because it was killed.

    Attributes:
        status: exit status; negative for a signal.
    """

    def __init__(self, status: int) -> None:
        super().__init__(f"exit status {status}")
        self.status = status


class AnsweringProcess:
    """A process that answers each input line with one or more lines."""

    def __init__(self, main: str, *arguments: str, first_line: bytes = b"") -> None:
        """Start the process.

        Args:
            main: function to run, like "package.module:function"; it reads lines from standard input until the end.
            arguments: arguments of the function; visible to all users of the machine.
            first_line: a short first input line, which gets no answer.
        """
        module, _, function = main.partition(":")
        path = [str(Path(entry).absolute()) for entry in sys.path]
        code = f"import sys; sys.path[:] = {path!r}; from {module} import {function}; {function}(*{arguments!r})"
        self._process = subprocess.Popen(  # noqa: S603 # runs this interpreter without a shell
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | ONE_THREAD,
            process_group=0,  # Ctrl-C should reach only the parent
        )
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: S101, PT018 # for mypy
        self._questions, self._answers = self._process.stdin, self._process.stdout
        if first_line:
            with contextlib.suppress(OSError):  # `answer` reports a process that has ended
                self._questions.write(first_line + b"\n")
                self._questions.flush()

    def answer(self, line: bytes) -> bytes:
        """Send a line and return the answer, both without line ends.

        Raises:
            ProcessEnded: the process ended.
        """
        self.ask(line)
        return self.next_line()

    def ask(self, line: bytes) -> None:
        """Send a line. If the process has ended, `next_line` raises the error."""
        with contextlib.suppress(OSError, ValueError):
            self._questions.write(line + b"\n")
            self._questions.flush()

    def next_line(self) -> bytes:
        """Return the next answer line without its end.

        Raises:
            ProcessEnded: the process ended.
        """
        try:
            answer = self._answers.readline()
        except (OSError, ValueError):
            answer = b""
        if not answer.endswith(b"\n"):
            raise ProcessEnded(self._process.wait())
        return answer[:-1]

    def kill(self) -> None:
        """Kill the process without waiting, from any thread; threads that wait for an answer get `ProcessEnded`."""
        self._process.kill()

    def stop(self) -> None:
        """Kill the process, wait for its end, and close its pipes."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._questions, self._answers):
            with contextlib.suppress(OSError):  # closing flushes a buffer that the process no longer reads
                pipe.close()


@contextmanager
def answering() -> Generator[Callable[[bytes], None]]:
    """Yield a function that sends answer lines, for the main function of an `AnsweringProcess`.

    Redirects printed output to standard error, and exits if the parent is gone.
    """
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)

        def give(line: bytes) -> None:
            answers.write(line + b"\n")
            answers.flush()

        try:
            yield give
        except BrokenPipeError:
            os._exit(0)  # a normal exit would try to write again


def to_line(value: object) -> bytes:
    return base64.b64encode(pickle.dumps(value))


def from_line(line: bytes) -> Any:  # pickle returns any type
    return pickle.loads(base64.b64decode(line))  # noqa: S301 # the line comes from this program's own process


class ProcessPool(Generic[Q, A]):
    """A pool of processes, which stop when the `with` block ends."""

    def __init__(
        self, start: Callable[[], AnsweringProcess], ask: Callable[[AnsweringProcess, Q], A], count: int, *, tries: int
    ) -> None:
        """Start the processes.

        Args:
            ask: sends a question to a process, in a thread of that process. A process that raises `ProcessEnded` is
                replaced.
            tries: maximum number of processes that may end over one question.
        """
        self._start, self._ask_one, self._tries = start, ask, tries
        self._all = [start() for _ in range(count)]
        self._idle: queue.SimpleQueue[AnsweringProcess] = queue.SimpleQueue()
        for process in self._all:
            self._idle.put(process)
        # One thread per process avoids a deadlock when pipes are full in both directions.
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="process")
        self._is_ended = False

    def answers(self, questions: Iterable[Q], *, ahead: int) -> Iterator[A]:
        """Yield the answer to each question, lazily and in order.

        Args:
            ahead: number of questions per process that are read ahead of the answers.

        Raises:
            ProcessEnded: one question ended as many processes as `tries` allows.
        """
        running: deque[Future[A]] = deque()
        for question in questions:
            running.append(self._threads.submit(self._ask, question))
            if len(running) >= ahead * len(self._all):
                yield running.popleft().result()
        while running:
            yield running.popleft().result()

    def _ask(self, question: Q) -> A:
        process = self._idle.get()
        try:
            for left in reversed(range(self._tries)):
                try:
                    return self._ask_one(process, question)
                except ProcessEnded:
                    if not left or self._is_ended:
                        raise
                    process = self._replaced(process)
            raise AssertionError
        finally:
            self._idle.put(process)

    def _replaced(self, process: AnsweringProcess) -> AnsweringProcess:
        process.stop()
        new = self._start()
        self._all[self._all.index(process)] = new
        if self._is_ended:
            new.stop()
        return new

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_ended = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in self._all:
            process.stop()
        self._threads.shutdown()


ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""Environment of worker processes: one compute thread each, because the processes already run in parallel."""
