"""Further processes of our own interpreter, each with pipes for its input and output.

They are started afresh, and not by `multiprocessing`: its spawned children run the caller's main module again, which
breaks scripts without a guard, and its forked ones inherit the locks of our threads.
A child ends when its input does, so also when its parent is killed.
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
    """A process ended before it answered, as one does that is killed.

    Attributes:
        status: of its exit; that of a signal is negative.
    """

    def __init__(self, status: int) -> None:
        super().__init__(f"exit status {status}")
        self.status = status


class AnsweringProcess:
    """A process that answers each line with a line, or with several."""

    def __init__(self, main: str, *arguments: str, first_line: bytes = b"") -> None:
        """Starts it.

        Args:
            main: the function that it runs, like "package.module:function". It reads lines from standard input until
                that ends.
            arguments: of the function; every user of the machine may see them.
            first_line: a short line that it reads before the others, and does not answer.
        """
        module, _, function = main.partition(":")
        path = [str(Path(entry).absolute()) for entry in sys.path]
        code = f"import sys; sys.path[:] = {path!r}; from {module} import {function}; {function}(*{arguments!r})"
        self._process = subprocess.Popen(  # noqa: S603 # our own interpreter, no shell
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | ONE_THREAD,
            process_group=0,  # an interruption from the keyboard is for the parent
        )
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: S101, PT018 # for mypy
        self._questions, self._answers = self._process.stdin, self._process.stdout
        if first_line:
            with contextlib.suppress(OSError):  # one that has ended already says so when it is asked
                self._questions.write(first_line + b"\n")
                self._questions.flush()

    def answer(self, line: bytes) -> bytes:
        """What the process says to a line, both without their line ends.

        Raises:
            ProcessEnded: it says nothing any more.
        """
        self.ask(line)
        return self.next_line()

    def ask(self, line: bytes) -> None:
        """Sends a line. A process that has ended says so when its answer is read."""
        with contextlib.suppress(OSError, ValueError):
            self._questions.write(line + b"\n")
            self._questions.flush()

    def next_line(self) -> bytes:
        """The next line that the process says, without its end.

        Raises:
            ProcessEnded: it says nothing any more.
        """
        try:
            answer = self._answers.readline()
        except (OSError, ValueError):
            answer = b""
        if not answer.endswith(b"\n"):
            raise ProcessEnded(self._process.wait())
        return answer[:-1]

    def kill(self) -> None:
        """Kills the process, and returns at once, in any thread: whoever waits for its answer gets `ProcessEnded`."""
        self._process.kill()

    def stop(self) -> None:
        """Kills the process: what it may still be doing, nobody waits for."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._questions, self._answers):
            with contextlib.suppress(OSError):  # what is still in a buffer goes nowhere
                pipe.close()


@contextmanager
def answering() -> Generator[Callable[[bytes], None]]:
    """What the main function of such a process answers with, a line at a time. What libraries print goes to standard
    error instead, and a process whose parent is gone ends."""
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)

        def give(line: bytes) -> None:
            answers.write(line + b"\n")
            answers.flush()

        try:
            yield give
        except BrokenPipeError:
            os._exit(0)  # an orderly exit would try to write once more


def to_line(value: object) -> bytes:
    """Return a value as a line for a process, or from one."""
    return base64.b64encode(pickle.dumps(value))


def from_line(line: bytes) -> Any:  # pickle's
    """Return the value of a line that `to_line` made."""
    return pickle.loads(base64.b64decode(line))  # noqa: S301 # of this program's own processes


class ProcessPool(Generic[Q, A]):
    """A context in which `count` processes run; they are stopped at its end."""

    def __init__(
        self, start: Callable[[], AnsweringProcess], ask: Callable[[AnsweringProcess, Q], A], count: int, *, tries: int
    ) -> None:
        """
        Args:
            ask: puts a question to a process, in a thread of that process. One that raises `ProcessEnded` is replaced.
            tries: how many processes may end over a question.
        """
        self._start, self._ask_one, self._tries = start, ask, tries
        self._all = [start() for _ in range(count)]
        self._idle: queue.SimpleQueue[AnsweringProcess] = queue.SimpleQueue()
        for process in self._all:
            self._idle.put(process)
        # A thread waits for each process; with one thread for all, full pipes in both directions would block for good.
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="process")
        self._is_ended = False

    def answers(self, questions: Iterable[Q], *, ahead: int) -> Iterator[A]:
        """The answer to each question, in order, lazily.

        Args:
            ahead: questions for each process that are read ahead of the answers.

        Raises:
            ProcessEnded: so many processes ended over a question as may.
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
"""What a process of several has in its environment: the processes are the parallelism."""
