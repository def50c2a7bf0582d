"""The start of a server, from the checks before it to its first answered query."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from overstory.errors import ServerStartError
from overstory.server import class_archive, configuration, health, process, store_version, watchdog
from overstory.server.class_archive import ClassArchive
from overstory.server.failures import PortTakenError, explained
from overstory.server.instance import Connection, Instance, Ports, Running
from overstory.server.java import Java, find_java
from overstory.server.locklist import LockList, read_lock_list
from overstory.server.provision import Jars, missing, provision
from overstory.server.storage_errors import check_space
from overstory.settings import ServerSettings, Settings

if TYPE_CHECKING:
    from overstory.protocols import Progress

_PORT_TRIES = 5
_STARTING_LOOK_SECONDS = 0.1
_STARTING_GREETING_SECONDS = 1.0
_LONGEST_CONSOLE_BYTES = 1 << 20
# A new home takes 38 MB, and on a full disk Neo4j fails with unclear errors.
_FREE_HOME_BYTES = 64_000_000


def start(instance: Instance, settings: Settings, progress: Progress, lock_list: LockList | None = None) -> Connection:
    """Start a server on an instance without one, and wait until it answers. The caller holds the instance's lock."""
    lock_list = lock_list or read_lock_list()
    _check(instance, settings, lock_list)
    jars = provision(settings.places.jar_cache, progress=progress, lock_list=lock_list)
    java = find_java(settings.server.java, lock_list.neo4j_version)
    progress.start("Server", None, "")
    preferred = store_version.last_ports(instance)
    for _ in range(_PORT_TRIES - 1):
        try:
            running = _launch(instance, jars, java, settings.server, configuration.free_ports(preferred))
            break
        except PortTakenError:
            preferred = None
    else:
        running = _launch(instance, jars, java, settings.server, configuration.free_ports())
    progress.finish(started(running))
    return instance.connection(running)


def begin(instance: Instance, settings: Settings) -> None:
    """Start a server for a short session, and return at once; nothing where jars are to be fetched first."""
    lock_list = read_lock_list()
    _check(instance, settings, lock_list)
    if not missing(settings.places.jar_cache):
        jars = provision(settings.places.jar_cache, lock_list=lock_list)
        java = find_java(settings.server.java, lock_list.neo4j_version)
        ports = configuration.free_ports(store_version.last_ports(instance))
        _trim_console(instance)
        _spawn(instance, jars, java, settings.server, ports, soon=True)


def started(running: Running) -> str:
    """What a progress bar says at the end of a start."""
    return f"Neo4j {running.neo4j} on port {running.bolt}"


def _check(instance: Instance, settings: Settings, lock_list: LockList) -> None:
    store_version.check_version(instance, lock_list.neo4j_version)
    configuration.check(settings.server)
    check_space(instance.root, _FREE_HOME_BYTES, error=ServerStartError, variable="OVERSTORY_HOME")


def _launch(
    instance: Instance, jars: Jars, java: Java, settings: ServerSettings, ports: Ports, *, with_archive: bool = True
) -> Running:
    printed_before = _trim_console(instance)
    running = _spawn(instance, jars, java, settings, ports, with_archive=with_archive)
    if await_answer(instance, running, settings.start_seconds):
        return note_ready(instance, running)
    died = not process.is_server(running.pid, instance.home)
    process.end(instance.home, grace=1.0)
    instance.forget_running()
    what = "Neo4j ended while starting." if died else f"Neo4j did not answer within {settings.start_seconds:g} seconds."
    failure = explained(_printed(instance, printed_before), instance.home, what=what)
    if died and with_archive and instance.archives.exists() and not isinstance(failure, PortTakenError):
        running = _launch(instance, jars, java, settings, ports, with_archive=False)
        class_archive.discard(instance)  # it was why
        return running
    raise failure


def _spawn(
    instance: Instance,
    jars: Jars,
    java: Java,
    settings: ServerSettings,
    ports: Ports,
    *,
    soon: bool = False,
    with_archive: bool = True,
) -> Running:
    configuration.prepare(instance, jars, settings, ports)
    store_version.record(instance, jars.lock_list.neo4j_version, ports)
    options = ClassArchive.of(instance, java.binary, jars.lock_list.digest).options() if with_archive else ()
    pid = process.spawn(
        configuration.command(instance, java, settings, jars.main_class(), options, soon=soon),
        folder=instance.root,
        log=instance.console,
        environ=process.inherited() | configuration.environment(jars),
    )
    running = Running(
        pid,
        ports.bolt,
        ports.http,
        time.time(),
        jars.lock_list.neo4j_version,
        ready=False,
        java=str(java.binary),
        jars=str(jars.folder),
        idle_minutes=settings.idle_minutes,
    )
    instance.note_running(running)  # at once, so that no second server is started if this process is killed now
    watchdog.begin(instance, settings.idle_minutes)
    return running


def note_ready(instance: Instance, running: Running) -> Running:
    """Record that this server has answered a query."""
    ready = replace(running, ready=True)
    instance.note_running(ready)
    instance.note_use()
    return ready


def await_answer(instance: Instance, running: Running, seconds: float) -> bool:
    """Whether a query is answered in time; False as soon as the process has ended."""
    connection = instance.connection(running)
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0 and process.is_server(running.pid, instance.home):
        if (
            health.greets(running.bolt, min(_STARTING_GREETING_SECONDS, left))
            and health.answered_after(connection, left) is not None
        ):
            return True
        time.sleep(_STARTING_LOOK_SECONDS)
    return False


def _trim_console(instance: Instance) -> int:
    """Rotate the console output, keeping one older file; returns the size of the current one."""
    try:
        size = instance.console.stat().st_size
    except FileNotFoundError:
        return 0
    if size <= _LONGEST_CONSOLE_BYTES:
        return size
    instance.console.replace(instance.console.with_suffix(".log.old"))
    return 0


def _printed(instance: Instance, since: int) -> str:
    with instance.console.open("rb") as log:
        log.seek(since)
        return log.read().decode(errors="replace")
