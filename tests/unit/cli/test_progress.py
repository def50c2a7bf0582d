from __future__ import annotations

import io

import pytest
from rich.console import Console

from overstory.cli.progress import BarProgress, LineProgress


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
