from __future__ import annotations

import io

import pytest
from rich.console import Console

from overstory_cli.progress import BarProgress, LineProgress


class Clock:
    """Stands still until a test sets it."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_lines_say_how_long_a_task_will_still_take(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    progress = LineProgress(clock)
    progress.start("embed", 4_339, "chunks")
    clock.now = 2.0
    progress.advance(64)
    clock.now = 15.0
    progress.advance(192)
    clock.now = 17.0
    progress.advance(64)
    clock.now = 240.0
    progress.finish("4,339 vectors")
    assert capsys.readouterr().err.splitlines() == [
        "embed     256 of 4,339 chunks, about 4 min left",
        "embed     4,339 vectors (240.0 s)",
    ]


def test_lines_of_a_task_of_unknown_length_say_how_much_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    progress = LineProgress(clock)
    progress.start("load", None, "documents")
    clock.now = 15.0
    progress.advance(300)
    assert capsys.readouterr().err == "load      300 documents\n"


def test_a_task_that_another_interrupts_has_the_time_of_both(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    progress = LineProgress(clock)
    progress.start("load", None, "documents")
    clock.now = 4.0
    progress.start("chunk", 61, "million characters of big.txt")
    clock.now = 24.0
    progress.advance(12)
    clock.now = 100.0
    progress.finish("big.txt: 60,000 chunks")
    progress.start("load", None, "documents")
    clock.now = 110.0
    progress.finish("1 added")
    progress.start("load", None, "documents")
    progress.finish("none")
    assert capsys.readouterr().err.splitlines() == [
        "chunk     12 of 61 million characters of big.txt, about 1 min left",
        "chunk     big.txt: 60,000 chunks (96.0 s)",
        "load      1 added (110.0 s)",
        "load      none (0.0 s)",
    ]


def test_a_bar_says_how_long_a_task_will_still_take() -> None:
    clock = Clock()
    shown = io.StringIO()
    progress = BarProgress(Console(file=shown, force_terminal=True, width=80), clock)
    progress.start("embed", 4_339, "chunks")
    clock.now = 15.0
    progress.advance(256)
    progress.finish("256 vectors")
    assert "256/4339" in shown.getvalue()
    assert "about 4 min left" in shown.getvalue()
    assert "embed     256 vectors (15.0 s)" in shown.getvalue()
