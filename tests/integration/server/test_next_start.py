"""An idle stop prepares the next start with a class archive, which no fault of it can prevent."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from overstory import server
from overstory.server import class_archive, watchdog
from overstory.server.instance import Instance
from overstory.settings import Places, ServerSettings, Settings

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory, jar_cache: Path) -> Iterator[Settings]:
    """Yield a server that was stopped while idle, with the files prepared then."""
    places = Places(tmp_path_factory.mktemp("own"), tmp_path_factory.mktemp("cache"), shared_cache=jar_cache)
    settings = Settings(places, ServerSettings(fast_start=True, idle_minutes=0.05))
    server.ensure_running(settings)
    deadline = time.monotonic() + 300
    while not server.status(settings).archive:
        assert time.monotonic() < deadline
        time.sleep(0.5)
    while (Instance.of(places).archives / "training").exists():
        time.sleep(0.1)
    yield replace(settings, server=replace(settings.server, idle_minutes=0))
    server.remove(settings)
    assert not Instance.of(places).archives.exists()


def archive_of(settings: Settings) -> Path:
    (found,) = Instance.of(settings.places).archives.glob("*/server.jsa")
    return found


def test_the_next_start_uses_the_archive(stopped: Settings) -> None:
    server.ensure_running(stopped)
    pid = server.status(stopped).pid
    assert str(archive_of(stopped)) in Path(f"/proc/{pid}/maps").read_text(encoding="utf-8")
    server.stop(stopped)


@pytest.mark.parametrize("place", [0.0, 0.00001, 0.5, 0.99])
@pytest.mark.parametrize("truncate", [False, True], ids=["changed", "cut off"])
def test_a_server_starts_with_a_damaged_archive(
    stopped: Settings, tmp_path: Path, place: float, *, truncate: bool
) -> None:
    archive = archive_of(stopped)
    shutil.copytree(archive.parent, tmp_path / "whole")
    archive.chmod(0o600)
    with archive.open("r+b") as file:
        file.seek(int(place * archive.stat().st_size))
        if truncate:
            file.truncate()
        else:
            file.write(b"\xff" * 4096)
    try:
        server.ensure_running(stopped)
        assert server.status(stopped).state == "running"
    finally:
        server.stop(stopped)
        shutil.rmtree(archive.parent, ignore_errors=True)
        shutil.copytree(tmp_path / "whole", archive.parent)


@pytest.mark.changes_schema
def test_an_archive_that_is_not_wanted_any_more_is_given_up(stopped: Settings) -> None:
    instance = Instance.of(stopped.places)
    server.ensure_running(stopped)
    running = instance.running()
    assert running is not None
    server.stop(stopped)
    shutil.rmtree(instance.archives)
    answers = iter([True] * 10)
    assert not class_archive.write(instance, running, is_wanted=lambda: next(answers, False))
    assert not (instance.archives / "training").exists()
    assert class_archive.size(instance) < 50_000_000
    watchdog.prepare_next_start(instance, running)
    assert archive_of(stopped).exists()


def test_a_server_that_was_begun_is_awaited_and_started_anew_if_it_ends(
    stopped: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = Instance.of(stopped.places)
    monkeypatch.setenv("OVERSTORY_HOME", str(stopped.places.data))
    monkeypatch.setenv("OVERSTORY_CACHE", str(stopped.places.jar_cache))
    monkeypatch.setenv("OVERSTORY_SERVER_IDLE_MINUTES", "0")
    server.begin_if_embedded()
    begun = instance.running()
    assert begun is not None
    assert not begun.ready
    server.begin_if_embedded()
    server.ensure_running(stopped)
    assert server.status(stopped).pid == begun.pid
    server.stop(stopped)
    server.begin_if_embedded()
    begun = instance.running()
    assert begun is not None
    os.kill(begun.pid, signal.SIGKILL)
    server.ensure_running(stopped)
    assert server.status(stopped).state == "running"
    server.stop(stopped)
