"""Processes that answer lines: replaced when they end, and stopped with their pool."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from functools import partial

import psutil
import pytest

from overstory.processes import AnsweringProcess, ProcessEnded, ProcessPool

ECHO = partial(AnsweringProcess, f"{__name__}:echo", first_line=b"told")


def echo() -> None:
    """Answer each line with the first line; "die" ends the process."""
    told = sys.stdin.buffer.readline().strip()
    for line in sys.stdin.buffer:
        if line == b"die\n":
            os.kill(os.getpid(), signal.SIGKILL)
        sys.stdout.buffer.write(told + b" " + line)
        sys.stdout.buffer.flush()


def ask(process: AnsweringProcess, line: bytes) -> bytes:
    return process.answer(line)


def test_answers_come_in_order_and_few_questions_are_read_ahead() -> None:
    read = 0

    def many() -> Iterator[bytes]:
        nonlocal read
        for number in range(100):
            read += 1
            yield b"%d" % number

    with ProcessPool(ECHO, ask, 2, tries=1) as pool:
        answers = pool.answers(many(), ahead=2)
        assert next(answers) == b"told 0"
        assert read == 4
        assert list(answers) == [b"told %d" % number for number in range(1, 100)]
    assert running() == []


def test_a_process_that_is_killed_is_replaced_and_asked_again() -> None:
    killed: list[int] = []

    def killing_once(process: AnsweringProcess, line: bytes) -> bytes:
        if line == b"5" and not killed:
            killed.append(running()[0].pid)
            return process.answer(b"die")
        return process.answer(line)

    with ProcessPool(ECHO, killing_once, 1, tries=2) as pool:
        assert list(pool.answers((b"%d" % number for number in range(8)), ahead=2))[5] == b"told 5"
        assert [each.pid for each in running()] != killed
    assert running() == []


def test_what_ends_every_process_is_an_error_after_some_tries() -> None:
    with ProcessPool(ECHO, ask, 2, tries=2) as pool, pytest.raises(ProcessEnded) as caught:
        list(pool.answers([b"1", b"die", b"2"], ahead=2))
    assert caught.value.status == -signal.SIGKILL
    assert running() == []


def running() -> list[psutil.Process]:
    return [each for each in psutil.Process().children() if any(__name__ in word for word in each.cmdline())]
