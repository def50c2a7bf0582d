from __future__ import annotations

import threading

from overstory.progress import Step, progress_to
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
