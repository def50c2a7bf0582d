"""Worker processes that run the same Python interpreter and communicate with this process through pipes.

This module replaces `multiprocessing`, which has two problems. A spawned child runs the main module again, which breaks
scripts that do not check `__name__`. A forked child inherits locks that other threads hold.

A worker ends when its input is closed. It therefore also ends when its parent is killed.
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
        status: exit status of the process. It is negative if a signal ended the process.
    """

    def __init__(self, status: int) -> None:
        super().__init__(f"exit status {status}")
        self.status = status


class AnsweringProcess:
    """A process that answers each input line with one or more lines."""

    def __init__(self, main: str, *arguments: str, first_line: bytes = b"") -> None:
        """Start the process.

        Args:
            main: function to run, in the form "package.module:function". It must read lines from standard input until
                the input is closed.
            arguments: arguments of the function. All users of the machine can see them.
            first_line: short line to send first. The process does not answer it.
        """
        module, _, function = main.partition(":")
        path = [str(Path(entry).absolute()) for entry in sys.path]
        code = f"import sys; sys.path[:] = {path!r}; from {module} import {function}; {function}(*{arguments!r})"
        self._process = subprocess.Popen(  # noqa: S603 # runs this interpreter without a shell
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | ONE_THREAD,
            process_group=0,  # Ctrl-C must interrupt only the parent process
        )
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: S101, PT018 # mypy needs it
        self._questions, self._answers = self._process.stdin, self._process.stdout
        if first_line:
            with contextlib.suppress(OSError):  # if the process has ended, `answer` reports it
                self._questions.write(first_line + b"\n")
                self._questions.flush()

    def answer(self, line: bytes) -> bytes:
        """Send a line and return the answer. Neither includes the line break.

        Raises:
            ProcessEnded: the process ended.
        """
        self.ask(line)
        return self.next_line()

    def ask(self, line: bytes) -> None:
        """Send a line. If the process has ended, the next call of `next_line` raises an error."""
        with contextlib.suppress(OSError, ValueError):
            self._questions.write(line + b"\n")
            self._questions.flush()

    def next_line(self) -> bytes:
        """Return the next line of an answer, without the line break.

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
        """Kill the process without waiting for its end. In a thread that waits for an answer, `ProcessEnded` is raised.

        Any thread may call this method.
        """
        self._process.kill()

    def stop(self) -> None:
        """Kill the process, wait until it has ended, and close its pipes."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._questions, self._answers):
            with contextlib.suppress(OSError):  # closing a pipe writes the rest of its buffer, which nobody reads
                pipe.close()


@contextmanager
def answering() -> Generator[Callable[[bytes], None]]:
    """Yield a function that sends a line of an answer. The main function of an `AnsweringProcess` uses it.

    In the block, printed text goes to standard error. If the parent process has ended, this process exits.
    """
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)

        def give(line: bytes) -> None:
            answers.write(line + b"\n")
            answers.flush()

        try:
            yield give
        except BrokenPipeError:
            os._exit(0)  # a normal exit would try to write the rest of the buffer


def to_line(value: object) -> bytes:
    return base64.b64encode(pickle.dumps(value))


def from_line(line: bytes) -> Any:  # pickle may return any type
    return pickle.loads(base64.b64decode(line))  # noqa: S301 # the line comes from a process that this program started


class ProcessPool(Generic[Q, A]):
    """A pool of worker processes. They are stopped when the `with` block ends."""

    def __init__(
        self, start: Callable[[], AnsweringProcess], ask: Callable[[AnsweringProcess, Q], A], count: int, *, tries: int
    ) -> None:
        """Start the processes.

        Args:
            ask: function that sends a question to a process and returns the answer. If it raises `ProcessEnded`, the
                process is replaced by a new process.
            tries: maximum number of processes to which a question is sent, if they end without an answer.
        """
        self._start, self._ask_one, self._tries = start, ask, tries
        self._all = [start() for _ in range(count)]
        self._idle: queue.SimpleQueue[AnsweringProcess] = queue.SimpleQueue()
        for process in self._all:
            self._idle.put(process)
        # With one thread for each process, full pipes in both directions cannot cause a deadlock.
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="process")
        self._is_ended = False

    def answers(self, questions: Iterable[Q], *, ahead: int) -> Iterator[A]:
        """Yield the answer to each question, lazily and in the order of the questions.

        Args:
            ahead: maximum number of questions, for each process, that are sent before the next answer is yielded.

        Raises:
            ProcessEnded: `tries` processes ended without an answer to the same question.
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
"""Environment variables that limit a worker process to one compute thread, because several workers run in parallel."""
