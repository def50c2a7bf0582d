"""Starts and stops the embedded server, which several processes may use at the same time.

Only the process that holds the instance's lock may start or stop the server. Other processes wait for the lock and then
use the server that they find.
"""

from __future__ import annotations

import logging
import shutil
import sys
import threading
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from overstory.errors import OverstoryError, ServerError, ServerStartError
from overstory.jars import missing, provision
from overstory.server import class_archive, configuration, process, watchdog
from overstory.server.class_archive import ClassArchive
from overstory.server.configuration import Java, find_java
from overstory.server.instance import Connection, Instance, Ports, Running
from overstory.server.process import PATIENCE_SECONDS
from overstory.server.provision import Jars, ServerJars, read_lock_list
from overstory.settings import ServerSettings, Settings
from overstory.storage import check_space, storage_errors

if TYPE_CHECKING:
    from overstory.protocols import Progress


_LAST_LINES = 12


class PortTakenError(ServerStartError):
    """Another program took the port before the server could open it. The caller should try again with other ports."""


_KNOWN: tuple[tuple[str, str, str], ...] = (
    (
        "No space left on device",
        "The disk is full.",
        "Free some space, or set OVERSTORY_HOME to a folder on another disk.",
    ),
    (
        "FileLockException",
        "Another process uses the graph in {home}.",
        "It may run on another machine or in a container: stop it there, or set OVERSTORY_HOME to another folder.",
    ),
    (
        "Could not reserve enough space",
        "There is not enough memory for the server's heap.",
        "Set OVERSTORY_SERVER_HEAP to a smaller size (the default is 1g).",
    ),
    (
        "Cannot allocate memory",
        "There is not enough memory for the server.",
        "Close other programs, or set OVERSTORY_SERVER_HEAP and OVERSTORY_SERVER_PAGECACHE to smaller sizes.",
    ),
    (
        "exceeds physical memory",
        "The server's heap and page cache do not fit into this machine's memory.",
        "Set OVERSTORY_SERVER_HEAP and OVERSTORY_SERVER_PAGECACHE to smaller sizes (the defaults are 1g and 256m).",
    ),
    (
        "OutOfMemoryError",
        "The server ran out of memory while starting.",
        "Set OVERSTORY_SERVER_HEAP to a larger size (the default is 1g).",
    ),
    (
        "AccessDeniedException",
        "A file below {home} cannot be read or written.",
        "Change its owner to your user (chown -R), or set OVERSTORY_HOME to another folder.",
    ),
    (
        "NoClassDefFoundError",
        "A jar is missing or damaged.",
        "Check them with `overstory server fetch`.",
    ),
    (
        "ClassNotFoundException",
        "A jar is missing or damaged.",
        "Check them with `overstory server fetch`.",
    ),
)
"""Known causes of a failed start. Each tuple contains a text to look for in the output, the message, and the remedy."""


def start_error(printed: str, home: Path, *, what: str) -> ServerStartError:
    """Return the error for a failed start, after looking for a known cause in the server's output.

    Args:
        printed: what the server printed since it was started.
        what: a sentence that describes the failure; it begins the message if no known cause is found.
    """
    if "PortBindException" in printed or "Address already in use" in printed:
        return PortTakenError("Another program took the port before the server could open it.", remedy="Try again.")
    for mark, message, remedy in _KNOWN:
        if mark in printed:
            return ServerStartError(message.format(home=home), remedy=remedy)
    tail = "\n".join(f"    {line}" for line in printed.splitlines()[-_LAST_LINES:])
    return ServerStartError(
        f"{what} Its last output:\n{tail}" if tail else f"{what} It printed nothing.",
        remedy="See `overstory server logs -n 100` and `overstory doctor`.",
    )


_PORT_TRIES = 5
_STARTING_LOOK_SECONDS = 0.1
_STARTING_GREETING_SECONDS = 1.0
_LONGEST_CONSOLE_BYTES = 1 << 20
# Free space that a start requires: a new home folder needs 38 MB, and on a full disk Neo4j fails with unclear errors.
_FREE_HOME_BYTES = 64_000_000


def start(
    instance: Instance, settings: Settings, progress: Progress, lock_list: ServerJars | None = None
) -> Connection:
    """Start a server for an instance and wait until it answers. The caller must hold the instance's lock."""
    lock_list = lock_list or read_lock_list()
    _check(instance, settings, lock_list)
    jars = Jars(provision(settings.places.jar_cache, lock_list, progress=progress), lock_list)
    java = find_java(settings.server.java, lock_list.neo4j_version)
    progress.start("Server", None, "")
    preferred = instance.last_ports()
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
    """Start a server for a short session without waiting for it, unless jars would have to be downloaded first.

    The caller must hold the instance's lock.
    """
    lock_list = read_lock_list()
    _check(instance, settings, lock_list)
    if not missing(settings.places.jar_cache, lock_list):
        jars = Jars(provision(settings.places.jar_cache, lock_list), lock_list)
        java = find_java(settings.server.java, lock_list.neo4j_version)
        ports = configuration.free_ports(instance.last_ports())
        _trim_console(instance)
        _spawn(instance, jars, java, settings.server, ports, short_session=True)


def started(running: Running) -> str:
    """Return the text that the progress display shows when the server has started."""
    return f"Neo4j {running.neo4j} on port {running.bolt}"


def _check(instance: Instance, settings: Settings, lock_list: ServerJars) -> None:
    instance.check_version(lock_list.neo4j_version)
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
    failure = start_error(_printed(instance, printed_before), instance.home, what=what)
    if died and with_archive and instance.archives.exists() and not isinstance(failure, PortTakenError):
        running = _launch(instance, jars, java, settings, ports, with_archive=False)
        class_archive.discard(instance)  # the archive must be faulty, because the server starts without it
        return running
    raise failure


def _spawn(
    instance: Instance,
    jars: Jars,
    java: Java,
    settings: ServerSettings,
    ports: Ports,
    *,
    short_session: bool = False,
    with_archive: bool = True,
) -> Running:
    configuration.prepare(instance, jars, settings, ports)
    instance.note_store(jars.lock_list.neo4j_version, ports)
    options = ClassArchive.of(instance, java.binary, jars.lock_list.digest).options() if with_archive else ()
    pid = process.spawn(
        configuration.command(instance, java, settings, jars.main_class(), options, short_session=short_session),
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
    instance.note_running(running)  # recorded at once: if this process is killed now, no other starts a second server
    watchdog.begin(instance, settings.idle_minutes)
    return running


def note_ready(instance: Instance, running: Running) -> Running:
    """Record that the server has answered a query, and return the updated record."""
    ready = replace(running, ready=True)
    instance.note_running(ready)
    instance.note_use()
    return ready


def await_answer(instance: Instance, running: Running, seconds: float) -> bool:
    """Wait until the server answers a query, and return True.

    Return False if the server's process has ended or if `seconds` have passed.
    """
    connection = instance.connection(running)
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0 and process.is_server(running.pid, instance.home):
        if (
            process.greets(running.bolt, min(_STARTING_GREETING_SECONDS, left))
            and process.answered_after(connection, left) is not None
        ):
            return True
        time.sleep(_STARTING_LOOK_SECONDS)
    return False


def _trim_console(instance: Instance) -> int:
    """If the file with the server's output is too long, rename it to `.log.old`, replacing an earlier such file.

    Return the size of the current output file in bytes, or 0 if there is none.
    """
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


_RUNNING_GREETING_SECONDS = 1.0
_FETCH_SECONDS = 1800.0
_SILENT_SECONDS = 5.0

_log = logging.getLogger(__name__)


def ensure_running(
    settings: Settings,
    *,
    progress: Progress | None = None,
    patience: float = PATIENCE_SECONDS,
    lock_list: ServerJars | None = None,
) -> Connection:
    """Return a connection to the embedded server, and start the server first if it is not running.

    If the server is running, this takes a few milliseconds: the function checks the server's process and waits for a
    Bolt handshake. If the handshake fails, the function sends a query, and restarts the server if it does not answer.

    Args:
        patience: number of seconds that a running server may take to answer a query before it is restarted.
        lock_list: the jars to run, for tests with another version of Neo4j; None for the jars of this package.
    """
    refuse_windows()
    instance = Instance.of(settings.places)
    if (connection := _greeted(instance, settings.server)) is not None:
        return connection
    from overstory.protocols import Silence  # imported here because it imports numpy, which the watchdog does not need

    instance.create()
    limit = f"at most {settings.server.start_seconds:g} s, OVERSTORY_SERVER_START_SECONDS"
    with ExitStack() as held:
        with _logged_if_slow(f"Waiting for another process to start or stop the server in {instance.data}."):
            held.enter_context(instance.locked(settings.server.start_seconds + _FETCH_SECONDS))
        held.enter_context(storage_errors(instance.root, variable="OVERSTORY_HOME"))
        silent = progress is None or isinstance(progress, Silence)  # if progress is not shown, slow steps are logged
        shown = progress or Silence()
        running = instance.running()
        waits = f"Waiting for the server in {instance.data} to answer ({limit})."
        with _logged_if_slow(waits) if silent or (running is not None and running.ready) else nullcontext():
            connection = _revived(instance, settings.server, patience, shown)
        if connection is not None:
            return connection
        starts = f"Downloading missing jars and starting the server in {instance.data} ({limit})."
        with _logged_if_slow(starts) if silent else nullcontext():
            return start(instance, settings, shown, lock_list)


def begin_if_embedded() -> None:
    """Start the embedded server if it is not running, and return without waiting for it.

    This is for short sessions, in which a program does other work first and then asks a few questions. The server is
    started with Java options for a fast start. Errors are ignored here; `ensure_running` waits for the server and
    reports them. Nothing is started if the environment specifies another server, or if jars would have to be
    downloaded.
    """
    with suppress(OverstoryError, OSError):
        settings = Settings.from_environment()
        instance = Instance.of(settings.places)
        if sys.platform == "win32" or settings.database.uri is not None or _is_there(instance):
            return
        instance.create()
        with instance.locked(0):
            if not _is_there(instance):
                _stopped(instance)
                begin(instance, settings)


@contextmanager
def _logged_if_slow(what: str) -> Generator[None]:
    """Log the warning `what` if the `with` block takes more than five seconds, to tell users why they must wait."""
    timer = threading.Timer(_SILENT_SECONDS, _log.warning, (what,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def stop(settings: Settings) -> bool:
    """Stop the server, even if it is in use; return False if it was not running. Committed data is kept."""
    instance = Instance.of(settings.places)
    if not instance.root.exists():
        return False
    with instance.locked(settings.server.start_seconds), storage_errors(instance.root, variable="OVERSTORY_HOME"):
        instance.note_use()  # because of this use, the watchdog gives up if it is writing a class archive
        return _stopped(instance)


def remove(settings: Settings) -> bool:
    """Stop the server and delete its data, but keep the jars; return False if there was no data."""
    instance = Instance.of(settings.places)
    if not instance.root.exists():
        return False
    with instance.locked(settings.server.start_seconds), storage_errors(instance.root, variable="OVERSTORY_HOME"):
        _stopped(instance)
        class_archive.discard(instance)
        shutil.rmtree(instance.root)
    return True


def fetch(settings: Settings, *, source: Path | None = None, progress: Progress | None = None) -> Path:
    """Download missing jars, verify all jars, and return the folder that contains them.

    Args:
        source: a folder from which jars are copied instead of downloaded, for machines without network access.
    """
    return provision(settings.places.jar_cache, read_lock_list(), source=source, verify=True, progress=progress)


def refuse_windows() -> None:
    if sys.platform == "win32":
        raise ServerError(
            "The embedded Neo4j does not run on Windows.",
            remedy="Run Overstory in WSL, or set OVERSTORY_NEO4J_URI to a Neo4j of your own.",
        )


def _is_there(instance: Instance) -> bool:
    running = instance.running()
    return running is not None and process.is_server(running.pid, instance.home)


def _greeted(instance: Instance, settings: ServerSettings) -> Connection | None:
    """The function must record the use before it reads the server's record: `watchdog._stop_unused` relies on this."""
    if not instance.note_use():
        return None
    running = instance.running()
    if running is None or not running.ready or not process.is_server(running.pid, instance.home):
        return None
    if settings.idle_minutes and not watchdog.is_watching(instance):
        return None
    return instance.connection(running) if process.greets(running.bolt, _RUNNING_GREETING_SECONDS) else None


def _revived(instance: Instance, settings: ServerSettings, patience: float, progress: Progress) -> Connection | None:
    """Return the connection to the running server if it answers a query; if it does not, stop it and return None."""
    running = instance.running()
    if running is None or not process.is_server(running.pid, instance.home):
        _stopped(instance)
        return None
    if not running.ready:
        progress.start("Server", None, "")
    if not await_answer(instance, running, patience if running.ready else settings.start_seconds):
        process.end(instance.home, grace=min(patience, process.STOPPING_GRACE_SECONDS) / 2)
        instance.forget_running()
        return None
    watchdog.begin(instance, settings.idle_minutes)
    if not running.ready:
        progress.finish(started(running))
    return instance.connection(note_ready(instance, running))


def _stopped(instance: Instance) -> bool:
    instance.forget_running()
    class_archive.end_training(instance)
    return process.end(instance.home, grace=process.STOPPING_GRACE_SECONDS) > 0
