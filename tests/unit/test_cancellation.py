from __future__ import annotations

import contextvars
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from overstory.cancellation import Cancellation, WorkCancelled, cancellable, check, ended_by, is_cancelled


def test_work_without_a_cancellation_goes_on() -> None:
    check()
    with ended_by(pytest.fail):
        check()
    assert not is_cancelled()


def test_cancelled_work_is_told_once_and_may_then_ask_for_what_ending_needs() -> None:
    cancellation = Cancellation()
    with cancellable(cancellation):
        check()
        cancellation.cancel()
        assert is_cancelled()
        with pytest.raises(WorkCancelled):
            check()
        check()
        with ended_by(pytest.fail):
            pass


def test_each_thread_of_it_is_told() -> None:
    cancellation = Cancellation()
    cancellation.cancel()
    with cancellable(cancellation), ThreadPoolExecutor(1) as pool:
        other = pool.submit(contextvars.copy_context().run, check)
        with pytest.raises(WorkCancelled):
            other.result()
        with pytest.raises(WorkCancelled):
            check()


def test_what_cleans_up_is_done_to_its_end() -> None:
    cancellation = Cancellation()
    cancellation.cancel()
    with cancellable(cancellation):
        with cancellable(None):
            check()
        with pytest.raises(WorkCancelled):
            check()


def test_cancelling_ends_what_is_waited_for_and_its_error_is_no_error() -> None:
    cancellation, ended = Cancellation(), threading.Event()

    def wait() -> None:
        with ended_by(ended.set):
            waiting.set()
            assert ended.wait(60)
            raise ConnectionError("ended by somebody")

    waiting = threading.Event()
    with cancellable(cancellation), ThreadPoolExecutor(1) as pool:
        work = pool.submit(contextvars.copy_context().run, wait)
        assert waiting.wait(60)
        cancellation.cancel()
        with pytest.raises(WorkCancelled):
            work.result()


def test_an_error_of_work_that_is_wanted_stays() -> None:
    with cancellable(Cancellation()), pytest.raises(ConnectionError), ended_by(pytest.fail):
        raise ConnectionError


def test_what_is_over_is_not_ended() -> None:
    cancellation, ended = Cancellation(), list[str]()
    with cancellable(cancellation):
        with ended_by(lambda: ended.append("first")), ended_by(lambda: ended.append("second")):
            pass
        with ended_by(lambda: ended.append("third")):
            cancellation.cancel()
            cancellation.cancel()
    assert ended == ["third"]
