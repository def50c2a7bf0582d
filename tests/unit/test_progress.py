from __future__ import annotations

import threading

import pytest

from overstory.progress import Step, TimeLeft, progress_to
from overstory.protocols import Silence


def test_a_function_hears_of_every_step() -> None:
    heard: list[str] = []
    progress = progress_to(lambda step: heard.append(str(step)))
    progress.start("embed", 1_200, "chunks")
    progress.advance(1_000)
    progress.advance(200)
    progress.finish("1200 vectors")
    assert heard == [
        "embed 0 of 1,200 chunks",
        "embed 1,000 of 1,200 chunks",
        "embed 1,200 of 1,200 chunks",
        "embed: 1200 vectors",
    ]


def test_a_task_of_unknown_length_says_how_much_is_done() -> None:
    assert str(Step("load", 300, None, "documents")) == "load 300 documents"
    assert str(Step("Server", 0, None, "")) == "Server"


def test_two_threads_do_not_mix_their_steps() -> None:
    heard: list[Step] = []
    progress = progress_to(heard.append)
    progress.start("embed", 10, "chunks")
    other = threading.Thread(target=lambda: progress.start("export", None, "documents"))
    other.start()
    other.join()
    progress.advance(5)
    assert heard[-1] == Step("embed", 5, 10, "chunks")


def test_a_progress_stays_as_it_is_and_none_says_nothing() -> None:
    silence = Silence()
    assert progress_to(silence) is silence
    assert isinstance(progress_to(None), Silence)


def test_the_time_left_follows_from_the_rate_that_was_measured() -> None:
    left = TimeLeft(4_339, now=100.0)
    assert left.seconds(100.0) is None
    left.advance(64, now=104.0)
    assert left.seconds(104.0) is None  # one batch, with the model loaded in it, says little
    for number in range(2, 9):
        left.advance(64, now=100.0 + 4.0 * number)
    assert left.seconds(132.0) == pytest.approx((4_339 - 512) / 16)
    assert left.seconds(133.5) == pytest.approx((4_339 - 512) / 16 - 1.5)


def test_a_slow_beginning_is_soon_forgotten() -> None:
    left = TimeLeft(10_000, now=0.0)
    left.advance(10, now=10.0)
    assert left.seconds(10.0) == pytest.approx(9_990)
    for second in range(11, 131):
        left.advance(10, now=float(second))
    assert left.seconds(130.0) == pytest.approx(879, rel=0.02)


@pytest.mark.parametrize("total", [None, 110])
def test_no_time_left_is_said_where_it_is_unknown_or_hardly_any(total: int | None) -> None:
    left = TimeLeft(total, now=0.0)
    left.advance(100, now=20.0)
    assert left.seconds(20.0) is None


def test_steps_that_come_at_one_moment_have_a_rate_of_the_time_before() -> None:
    left = TimeLeft(1_000, now=0.0)
    assert left.seconds(10.0) is None  # nothing was done yet
    left.advance(0, now=10.0)
    assert left.seconds(10.0) is None
    left.advance(50, now=20.0)
    left.advance(50, now=20.0)
    assert 90 <= (left.seconds(20.0) or 0) <= 180


def test_an_estimate_that_ran_out_is_no_longer_said() -> None:
    left = TimeLeft(1_000, now=0.0)
    left.advance(500, now=10.0)
    assert left.seconds(14.0) == pytest.approx(6.0)
    assert left.seconds(30.0) is None


def test_a_function_hears_of_the_time_left() -> None:
    now = 0.0
    heard: list[str] = []
    progress = progress_to(lambda step: heard.append(str(step)), clock=lambda: now)
    progress.start("embed", 4_339, "chunks")
    now = 15.0
    progress.advance(256)
    progress.finish("4,339 vectors")
    assert heard == ["embed 0 of 4,339 chunks", "embed 256 of 4,339 chunks, about 4 min left", "embed: 4,339 vectors"]
