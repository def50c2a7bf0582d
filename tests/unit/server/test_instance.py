"""The files of an instance, and what they say about a server."""

from __future__ import annotations

import contextlib
import os
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from overstory.errors import ServerError, ServerStartError, SettingsError
from overstory.server import lifecycle, process
from overstory.server.configuration import home_argument
from overstory.server.instance import Connection, Instance, Ports, Running
from overstory.server.lifecycle import PortTakenError, ensure_running, start_error
from overstory.server.status import ServerState, ServerStatus, check_status, diagnose
from overstory.settings import Places, ServerSettings, Settings
from overstory.storage import storage_errors

RUNNING = Running(pid=1, bolt=40001, http=40002, started=0.0, neo4j="5.26.30", ready=True, java="java", jars="jars")


@pytest.fixture
def instance(tmp_path: Path) -> Instance:
    made = Instance(tmp_path / "data")
    made.create()
    return made


def test_the_password_is_the_users_alone(instance: Instance) -> None:
    password = instance.make_password()
    assert instance.password() == password
    assert len(password) >= 32
    assert stat.S_IMODE(instance.password_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(instance.root.stat().st_mode) == 0o700


@pytest.mark.parametrize("mode", [0o777, 0o755])
def test_a_folder_that_is_there_becomes_the_users_alone(tmp_path: Path, mode: int) -> None:
    instance = Instance(tmp_path / "data")
    instance.root.mkdir(parents=True)
    instance.root.chmod(mode)
    settings = Settings(places=Places(data=instance.data, cache=tmp_path))
    (check,) = (check for check in diagnose(settings).checks if check.name == "folder")
    assert not check.ok
    assert f"mode {mode:o}" in check.detail
    instance.create()
    assert stat.S_IMODE(instance.root.stat().st_mode) == 0o700
    assert all(check.ok for check in diagnose(settings).checks if check.name == "folder")


@pytest.mark.parametrize("name", ["folder", "cache"])
def test_a_folder_in_which_nothing_can_be_made_is_said_to_be_so(name: str, tmp_path: Path) -> None:
    good, bad = tmp_path / "good" / "home", Path("/proc/nowhere")
    places = Places(data=bad, cache=good) if name == "folder" else Places(data=good, cache=bad)
    found = {check.name: check for check in diagnose(Settings(places=places)).checks}
    assert not found[name].ok
    assert "/proc/nowhere" in found[name].detail
    assert ("OVERSTORY_HOME" if name == "folder" else "OVERSTORY_CACHE") in found[name].remedy
    assert not any(tmp_path.iterdir())


def test_a_folder_that_can_be_written_is_left_as_it_was(tmp_path: Path) -> None:
    places = Places(data=tmp_path / "home", cache=tmp_path / "cache")
    checks = [check for check in diagnose(Settings(places=places)).checks if check.name in ("folder", "jars")]
    assert [check.ok for check in checks] == [True, True]
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("state", ["busy", "not answering"])
def test_nobody_is_told_to_stop_a_server_that_may_only_be_busy(state: ServerState, tmp_path: Path) -> None:
    check = check_status(ServerStatus(state, tmp_path, tmp_path / "password", 0, pid=1, uri="bolt://127.0.0.1:1"))
    assert not check.ok
    assert state in check.detail
    assert check.remedy
    assert "stop" not in check.remedy


def test_what_a_started_process_writes_is_the_users_alone(tmp_path: Path) -> None:
    log = tmp_path / "log"
    pid = process.spawn(["/bin/sh", "-c", "umask; echo > written"], folder=tmp_path, log=log, environ={})
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(pid).wait(30)
    assert log.read_text().strip() == "0077"
    assert stat.S_IMODE((tmp_path / "written").stat().st_mode) == 0o600


def test_a_process_that_waits_for_another_says_so(
    instance: Instance, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    monkeypatch.setattr(lifecycle, "_SILENT_SECONDS", 0.01)
    settings = Settings(places=Places(data=instance.data, cache=tmp_path), server=ServerSettings(heap="nothing"))
    with ThreadPoolExecutor(1) as threads:
        with instance.locked(5):
            waiting = threads.submit(ensure_running, settings)
            while not caplog.messages:
                time.sleep(0.01)
        with pytest.raises(SettingsError):
            waiting.result(30)
    assert caplog.messages[0] == f"Waiting for another process to start or stop the server in {instance.data}."


def test_a_connection_does_not_print_its_password() -> None:
    assert "secret" not in repr(Connection("bolt://127.0.0.1:1", "neo4j", "secret", "http://127.0.0.1:2"))


def test_a_lost_password_is_said_with_the_file_to_mend(instance: Instance) -> None:
    with pytest.raises(ServerError, match="password") as caught:
        instance.connection(RUNNING)
    assert "Put the password back" in caught.value.remedy


def test_what_is_noted_about_a_server_is_read_back(instance: Instance) -> None:
    assert instance.running() is None
    instance.note_running(RUNNING)
    assert instance.running() == RUNNING
    instance.forget_running()
    instance.forget_running()
    assert instance.running() is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"pid": 1}'])
def test_a_damaged_note_counts_as_none(instance: Instance, text: str) -> None:
    instance.running_file.write_text(text, encoding="utf-8")
    assert instance.running() is None


def test_another_process_with_a_recycled_id_is_not_taken_for_the_server(instance: Instance) -> None:
    assert not process.is_server(os.getpid(), instance.home)


def test_a_server_of_which_nothing_was_noted_is_ended_by_its_home(instance: Instance, tmp_path: Path) -> None:
    program = [sys.executable, "-c", "import time; time.sleep(60)", home_argument(instance.home)]
    with subprocess.Popen(program, cwd=instance.root) as stand_in:
        assert process.is_server(stand_in.pid, instance.home)
        assert process.end(instance.root / "other", grace=5) == 0
        with subprocess.Popen(program, cwd=tmp_path) as elsewhere:  # as a container's server looks from outside
            assert process.end(instance.home, grace=5) == 1
            assert elsewhere.poll() is None
            elsewhere.kill()
        assert not process.is_server(stand_in.pid, instance.home)


def test_a_server_that_does_not_stop_is_killed(instance: Instance) -> None:
    deaf = "import signal, time; signal.signal(15, signal.SIG_IGN); print(flush=True); time.sleep(60)"
    program = [sys.executable, "-c", deaf, home_argument(instance.home)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, cwd=instance.root) as stand_in:
        assert stand_in.stdout
        stand_in.stdout.readline()
        assert process.end(instance.home, grace=0.2) == 1
        assert not process.is_server(stand_in.pid, instance.home)


def test_our_secrets_do_not_reach_the_servers_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OVERSTORY_EMBEDDING_API_KEY", "secret")
    assert "secret" not in process.inherited().values()


def test_who_holds_the_lock_is_waited_for_only_so_long(instance: Instance) -> None:
    with instance.locked(1), pytest.raises(ServerError, match="Another process"):
        with_other_lock(instance)


def with_other_lock(instance: Instance) -> None:
    program = "import sys; from pathlib import Path; from overstory.server.instance import Instance\n"
    program += "try:\n  with Instance(Path(sys.argv[1])).locked(0.1): pass\nexcept Exception as error: print(error)"
    done = subprocess.run(
        [sys.executable, "-c", program, str(instance.data)], capture_output=True, text=True, check=True
    )
    if done.stdout:
        raise ServerError(done.stdout)


def test_a_graph_of_a_later_neo4j_is_refused(instance: Instance) -> None:
    instance.note_store("5.26.31", Ports(1, 2))
    instance.check_version("5.26.31")
    instance.check_version("2025.1.0")
    with pytest.raises(ServerStartError, match=r"5\.26\.31.*cannot open stores of a later version"):
        instance.check_version("5.26.30")


def test_ports_are_remembered_for_the_next_start(instance: Instance) -> None:
    assert instance.last_ports() is None
    instance.note_store("5.26.30", Ports(40001, 40002))
    assert instance.last_ports() == Ports(40001, 40002)


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("Caused by: java.io.IOException: No space left on device", "disk is full"),
        ("org.neo4j.io.locker.FileLockException: Lock file has been locked", "Another process uses"),
        ("Error: Could not reserve enough space for 999 object heap", "not enough memory"),
        ("java.lang.OutOfMemoryError: Java heap space", "out of memory"),
        ("Invalid memory configuration - exceeds physical memory.", "do not fit"),
        ("java.lang.ClassNotFoundException: org.neo4j.Thing", "jar is missing"),
        ("something new", "something new"),
        ("", "printed nothing"),
    ],
)
def test_a_failed_start_says_why_and_what_to_do(printed: str, said: str) -> None:
    error = start_error(printed, Path("/home"), what="Neo4j ended while starting.")
    assert said in str(error)
    assert error.remedy


def test_a_port_that_was_taken_meanwhile_is_told_apart() -> None:
    printed = "Caused by: org.neo4j.server.exception.PortBindException: Address 127.0.0.1:1 is already in use"
    assert isinstance(start_error(printed, Path("/home"), what=""), PortTakenError)


@pytest.mark.parametrize(("number", "said"), [(28, "disk is full"), (13, "cannot be read or written"), (5, "error")])
def test_faults_of_the_disk_are_said_in_words(tmp_path: Path, number: int, said: str) -> None:
    with pytest.raises(ServerError, match=said) as caught, storage_errors(tmp_path, variable="OVERSTORY_HOME"):
        raise OSError(number, os.strerror(number))
    assert "OVERSTORY_HOME" in caught.value.remedy


def test_windows_is_refused_with_a_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(ServerError, match="Windows") as caught:
        ensure_running(Settings(Places(tmp_path, tmp_path)))
    assert "WSL" in caught.value.remedy


def test_a_link_to_an_instance_is_the_same_instance(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert Instance.of(Places(tmp_path / "link", tmp_path)) == Instance.of(Places(tmp_path / "real", tmp_path))
