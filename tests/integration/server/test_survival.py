"""Committed data and the server survive crashes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread, Timer

import neo4j
import psutil
import pytest
from neo4j.exceptions import DriverError, Neo4jError

from overstory import server
from overstory.errors import ServerStartError
from overstory.server.instance import Instance
from overstory.server.status import check_status
from overstory.settings import Places, ServerSettings, Settings

CLIENT = """
import json, sys, time
from pathlib import Path
import neo4j
from overstory import server
from overstory.settings import Places, ServerSettings, Settings

data, cache, idle_minutes = sys.argv[1:]
places = Places(Path(data), Path(data) / "cache", shared_cache=Path(cache))
settings = Settings(places, ServerSettings(fast_start=True, idle_minutes=float(idle_minutes)))
found = server.ensure_running(settings)
driver = neo4j.GraphDatabase.driver(found.uri, auth=(found.user, found.password))
driver.verify_connectivity()
print(json.dumps([found.uri, server.status(settings).pid]), flush=True)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory, jar_cache: Path) -> Iterator[Settings]:
    """A server that only the tests below use: they kill and freeze it."""
    places = Places(tmp_path_factory.mktemp("own"), tmp_path_factory.mktemp("cache"), shared_cache=jar_cache)
    made = Settings(places, ServerSettings(fast_start=True, idle_minutes=5))
    yield made
    server.remove(made)


def pid_of(settings: Settings) -> int:
    pid = server.status(settings).pid
    assert pid is not None
    return pid


def test_what_was_acknowledged_survives_a_kill(own: Settings) -> None:
    connection = server.ensure_running(own)
    acknowledged: list[int] = []

    def write() -> None:
        with suppress(DriverError, Neo4jError), driver_of(connection) as driver, driver.session() as session:
            for number in range(100_000):
                session.run("CREATE (:Kept {number: $number})", number=number).consume()
                acknowledged.append(number)

    writer = Thread(target=write)
    writer.start()
    while len(acknowledged) < 200:
        time.sleep(0.01)
    os.kill(pid_of(own), signal.SIGKILL)
    writer.join()
    with driver_of(server.ensure_running(own)) as driver:
        rows = driver.execute_query("MATCH (n:Kept) RETURN collect(n.number) AS kept").records
    assert set(acknowledged) <= set(rows[0]["kept"])


def freeze(pid: int) -> None:
    """Returns when it stands still: the signal is sent at once, and obeyed a moment later."""
    os.kill(pid, signal.SIGSTOP)
    while psutil.Process(pid).status() != psutil.STATUS_STOPPED:
        time.sleep(0.01)


@pytest.mark.slow
def test_a_frozen_server_is_ended_and_started_anew(own: Settings) -> None:
    server.ensure_running(own)
    frozen = pid_of(own)
    freeze(frozen)
    connection = server.ensure_running(own, patience=2)
    assert pid_of(own) != frozen
    assert not psutil.pid_exists(frozen)
    with driver_of(connection) as driver:
        driver.verify_connectivity()


@pytest.mark.slow
def test_a_server_that_answers_late_is_slow_and_nothing_is_wrong_with_it(own: Settings) -> None:
    server.ensure_running(own)
    pid = pid_of(own)
    freeze(pid)
    waking = Timer(6, os.kill, (pid, signal.SIGCONT))
    waking.start()
    try:
        found = server.status(own)
    finally:
        waking.join()
    assert found.state == "running"
    assert found.answered is not None
    assert found.answered > 5
    assert "slow: answered after " in found.shown_state
    check = check_status(found)
    assert check.ok
    assert found.shown_state in check.detail


@pytest.mark.slow
def test_a_stop_is_graceful_and_leaves_no_process(own: Settings) -> None:
    server.ensure_running(own)
    pid = pid_of(own)
    assert server.stop(own)
    assert not server.stop(own)
    assert not psutil.pid_exists(pid)
    assert server.status(own).state == "stopped"
    assert "Stopped." in "".join(server.read_log(own, lines=3))


@pytest.mark.slow
def test_processes_share_a_server_which_stops_when_the_last_has_gone(own: Settings) -> None:
    arguments = [str(own.places.data), str(own.places.jar_cache), "0.05"]
    clients = [
        subprocess.Popen([sys.executable, "-c", CLIENT, *arguments], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    try:
        found = [json.loads(first_line(client)) for client in clients]
        assert found[0] == found[1]
        time.sleep(5)  # longer than the idle time: a connection alone keeps the server
        assert psutil.pid_exists(found[0][1])
    finally:
        for client in clients:
            client.kill()
            client.communicate()
    psutil.Process(found[0][1]).wait(60)
    assert "without use" in "".join(server.read_log(own, lines=5))


@pytest.mark.slow
def test_a_graph_of_a_later_neo4j_is_refused_before_anything_is_touched(own: Settings) -> None:
    later = replace(own, places=replace(own.places, data=own.places.data / "later"))
    instance = Instance.of(later.places)
    instance.create()
    instance.store_file.write_text('{"neo4j": "2099.1.0"}', encoding="utf-8")
    with pytest.raises(ServerStartError, match=r"2099\.1\.0"):
        server.ensure_running(later)
    assert not instance.home.exists()


def driver_of(connection: server.Connection) -> neo4j.Driver:
    return neo4j.GraphDatabase.driver(connection.uri, auth=(connection.user, connection.password))


def first_line(client: subprocess.Popen[str]) -> str:
    assert client.stdout
    return client.stdout.readline()
