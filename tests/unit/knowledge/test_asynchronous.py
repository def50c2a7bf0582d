from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections.abc import Callable

import pytest

from overstory.cancellation import WorkCancelled, check, ended_by
from overstory.knowledge.asynchronous import _ASYNC_CALLS_AT_ONCE, WorkThreads


def cancelled_work(begun: threading.Event, ended: list[BaseException], cleaning: threading.Event) -> Callable[[], None]:
    """Waits until it is cancelled, and then for `cleaning`."""

    def work() -> None:
        over = threading.Event()
        try:
            with ended_by(over.set):
                begun.set()
                assert over.wait(60)
                check()
        except WorkCancelled as error:
            assert cleaning.wait(60)
            ended.append(error)
            raise

    return work


async def in_time(event: threading.Event) -> None:
    assert await asyncio.to_thread(event.wait, 60)


async def test_results_and_errors_come_to_the_task() -> None:
    threads = WorkThreads()
    assert await threads.run(lambda: 3) == 3
    with pytest.raises(ZeroDivisionError):
        await threads.run(lambda: 1 // 0)
    threads.close()


async def test_the_context_of_the_task_is_that_of_the_work() -> None:
    threads, asking = WorkThreads(), contextvars.ContextVar("asking", default="")
    asking.set("here")
    assert await threads.run(asking.get) == "here"
    threads.close()


async def test_no_more_work_at_a_time_than_threads() -> None:
    threads, lock, now, most = WorkThreads(), threading.Lock(), 0, 0

    def work() -> None:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.01)
        with lock:
            now -= 1

    await asyncio.gather(*(threads.run(work) for _ in range(3 * _ASYNC_CALLS_AT_ONCE)))
    assert 1 < most <= _ASYNC_CALLS_AT_ONCE
    threads.close()


async def test_a_cancelled_task_does_not_wait_and_its_work_ends() -> None:
    threads, begun, cleaning, ended = WorkThreads(), threading.Event(), threading.Event(), list[BaseException]()
    task = asyncio.create_task(threads.run(cancelled_work(begun, ended, cleaning)))
    await in_time(begun)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not ended
    cleaning.set()
    await asyncio.to_thread(threads.close)
    assert len(ended) == 1


async def test_a_cancelled_task_whose_turn_has_not_come_does_nothing() -> None:
    threads, going_on, did = WorkThreads(), threading.Event(), list[int]()
    busy = [asyncio.create_task(threads.run(going_on.wait)) for _ in range(_ASYNC_CALLS_AT_ONCE)]
    late = asyncio.create_task(threads.run(lambda: did.append(1)))
    await asyncio.sleep(0)
    late.cancel()
    await asyncio.wait([late])
    going_on.set()
    await asyncio.gather(*busy)
    await asyncio.to_thread(threads.close)
    assert late.cancelled()
    assert not did


async def test_a_writer_begins_when_a_cancelled_one_has_ended() -> None:
    threads, begun, cleaning, ended = WorkThreads(), threading.Event(), threading.Event(), list[BaseException]()
    first = asyncio.create_task(threads.run(cancelled_work(begun, ended, cleaning), writes=True))
    await in_time(begun)
    first.cancel()
    await asyncio.wait([first])
    second = asyncio.create_task(threads.run(lambda: len(ended), writes=True))
    assert await threads.run(lambda: len(ended)) == 0  # a reader does not wait
    cleaning.set()
    assert await second == 1
    threads.close()


async def test_closing_cancels_what_runs_and_leaves_no_thread() -> None:
    before = set(threading.enumerate())
    threads, begun, cleaning, ended = WorkThreads(), threading.Event(), threading.Event(), list[BaseException]()
    cleaning.set()
    task = asyncio.create_task(threads.run(cancelled_work(begun, ended, cleaning)))
    while not begun.is_set():
        await asyncio.sleep(0.01)
    threads.close()
    assert len(ended) == 1
    assert set(threading.enumerate()) == before
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await threads.run(lambda: "again") == "again"
    threads.close()
