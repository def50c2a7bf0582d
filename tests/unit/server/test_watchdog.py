"""When a server counts as unused, and that it then goes. A small Python process stands in for Neo4j."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from overstory.server import process, watchdog
from overstory.server.configuration import home_argument
from overstory.server.instance import Instance, Running

LISTENER = """
import socket
with socket.create_server(("127.0.0.1", 0)) as server:
    print(server.getsockname()[1], flush=True)
    held = [server.accept() for _ in range(100)]
"""


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[Instance]:
    """An instance with a stand-in that accepts connections and says nothing."""
    made = Instance(tmp_path)
    made.create()
    program = [sys.executable, "-c", LISTENER, home_argument(made.home)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True, cwd=made.root) as stand_in:
        assert stand_in.stdout
        port = int(stand_in.stdout.readline())
        made.note_running(
            Running(
                stand_in.pid, bolt=port, http=port, started=0.0, neo4j="5.26.30", ready=True, java="java", jars="jars"
            )
        )
        os.utime(made.use_file, (0, 0))
        yield made
        stand_in.kill()


def noted(instance: Instance) -> Running:
    running = instance.running()
    assert running is not None
    return running


def test_a_server_without_use_is_stopped_and_says_so(instance: Instance) -> None:
    pid = noted(instance).pid
    watchdog.watch(instance, idle_seconds=0.2)
    assert not process.is_server(pid, instance.home)
    assert instance.running() is None
    assert "without use" in instance.console.read_text(encoding="utf-8")


def test_a_connection_keeps_a_server_until_it_ends(instance: Instance) -> None:
    running = noted(instance)
    with socket.create_connection(("127.0.0.1", running.bolt)):
        watching = Thread(target=watchdog.watch, args=(instance, 0.5))
        watching.start()
        time.sleep(2.5)  # the watchdog looks once a second
        assert process.is_server(running.pid, instance.home)
    watching.join()
    assert not process.is_server(running.pid, instance.home)


def test_whoever_asks_for_a_server_puts_its_stop_off(instance: Instance) -> None:
    running = noted(instance)
    watching = Thread(target=watchdog.watch, args=(instance, 4))
    watching.start()
    for _ in range(25):
        assert instance.note_use()
        time.sleep(0.2)
    assert process.is_server(running.pid, instance.home)
    watching.join()
    assert not process.is_server(running.pid, instance.home)


def test_a_server_is_left_alone_while_somebody_starts_or_stops_it(instance: Instance) -> None:
    running = noted(instance)
    with instance.locked(1):
        watching = Thread(target=watchdog.watch, args=(instance, 0.2))
        watching.start()
        time.sleep(1.5)
        assert process.is_server(running.pid, instance.home)
        assert instance.running() == running
    watching.join()


def test_a_watchdog_leaves_when_its_server_has(instance: Instance) -> None:
    process.end(instance.home, grace=5)
    watchdog.watch(instance, idle_seconds=1000)
    assert "without use" not in (instance.console.read_text(encoding="utf-8") if instance.console.exists() else "")


def test_a_port_that_is_silent_or_closed_is_not_a_healthy_server(instance: Instance) -> None:
    assert not process.greets(noted(instance).bolt, seconds=0.2)
    process.end(instance.home, grace=5)
    assert not process.greets(noted(instance).bolt, seconds=0.2)
