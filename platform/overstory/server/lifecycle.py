"""Starting, sharing and stopping the embedded server.

Any number of processes may need the server at once. The holder of the instance's lock starts or stops it; the others
wait and share the result.
"""

from __future__ import annotations

import logging
import shutil
import sys
import threading
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from overstory.errors import OverstoryError, ServerError
from overstory.server import class_archive, health, process, starting, watchdog
from overstory.server.health import PATIENCE_SECONDS
from overstory.server.instance import Connection, Instance
from overstory.server.locklist import LockList
from overstory.server.provision import provision
from overstory.server.storage_errors import storage_errors
from overstory.settings import ServerSettings, Settings

if TYPE_CHECKING:
    from overstory.protocols import Progress

_RUNNING_GREETING_SECONDS = 1.0
_FETCH_SECONDS = 1800.0
_SILENT_SECONDS = 5.0

_log = logging.getLogger(__name__)


def ensure_running(
    settings: Settings,
    *,
    progress: Progress | None = None,
    patience: float = PATIENCE_SECONDS,
    lock_list: LockList | None = None,
) -> Connection:
    """Connect to the embedded server of these settings, and start it if necessary.

    If it is running this takes a few milliseconds: its process is checked and Bolt's handshake awaited. Only in case of
    doubt is a query sent, and a server that does not answer it is restarted.

    Args:
        patience: seconds that a running server may take to answer a query.
        lock_list: the jars to start, for tests with another version of Neo4j; None for those of this package.
    """
    refuse_windows()
    instance = Instance.of(settings.places)
    if (connection := _greeted(instance, settings.server)) is not None:
        return connection
    from overstory.protocols import Silence  # imports numpy, which the watchdog should not load

    instance.create()
    limit = f"at most {settings.server.start_seconds:g} s, OVERSTORY_SERVER_START_SECONDS"
    with ExitStack() as held:
        with _said_if_slow(f"Waiting for another process that starts or stops the server in {instance.data}."):
            held.enter_context(instance.locked(settings.server.start_seconds + _FETCH_SECONDS))
        held.enter_context(storage_errors(instance.root, variable="OVERSTORY_HOME"))
        silent = progress is None or isinstance(progress, Silence)  # else it says itself what goes on
        shown = progress or Silence()
        running = instance.running()
        waits = f"Waiting for the server in {instance.data}, which does not answer yet ({limit})."
        with _said_if_slow(waits) if silent or (running is not None and running.ready) else nullcontext():
            connection = _revived(instance, settings.server, patience, shown)
        if connection is not None:
            return connection
        starts = f"Starting the server in {instance.data}, after missing jars are fetched ({limit})."
        with _said_if_slow(starts) if silent else nullcontext():
            return starting.start(instance, settings, shown, lock_list)


def begin_if_embedded() -> None:
    """Start the embedded server if it is not running, and return before it answers: `ensure_running` waits for it.

    For a process that has something else to do meanwhile and then asks a few questions: Java compiles less.
    `ensure_running` says what goes wrong. Nothing is started if the environment names another server, or Neo4j is to be
    fetched first.
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
                starting.begin(instance, settings)


@contextmanager
def _said_if_slow(what: str) -> Generator[None]:
    """Say what is waited for, once it has taken some seconds: also where progress is not shown, or it looks hung."""
    timer = threading.Timer(_SILENT_SECONDS, _log.warning, (what,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def stop(settings: Settings) -> bool:
    """Stop the server, even if it is in use; returns False if it was not running. Committed data is kept."""
    instance = Instance.of(settings.places)
    if not instance.root.exists():
        return False
    with instance.locked(settings.server.start_seconds), storage_errors(instance.root, variable="OVERSTORY_HOME"):
        instance.note_use()  # nothing is prepared for another start meanwhile
        return _stopped(instance)


def remove(settings: Settings) -> bool:
    """Stop the server and delete all that is its own; returns False if there was no server. Jars are kept."""
    instance = Instance.of(settings.places)
    if not instance.root.exists():
        return False
    with instance.locked(settings.server.start_seconds), storage_errors(instance.root, variable="OVERSTORY_HOME"):
        _stopped(instance)
        class_archive.discard(instance)
        shutil.rmtree(instance.root)
    return True


def fetch(settings: Settings, *, source: Path | None = None, progress: Progress | None = None) -> Path:
    """Fetch missing jars, verify all of them, and return their folder.

    Args:
        source: a folder to copy the jars from, for machines without a network.
    """
    return provision(settings.places.jar_cache, source=source, verify=True, progress=progress).folder


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
    """A running server that passes the fast check. The use is noted first: see the watchdog."""
    if not instance.note_use():
        return None
    running = instance.running()
    if running is None or not running.ready or not process.is_server(running.pid, instance.home):
        return None
    if settings.idle_minutes and not watchdog.is_watching(instance):
        return None
    return instance.connection(running) if health.greets(running.bolt, _RUNNING_GREETING_SECONDS) else None


def _revived(instance: Instance, settings: ServerSettings, patience: float, progress: Progress) -> Connection | None:
    """A server that does answer a query, or is being started by another process; an unresponsive one is ended."""
    running = instance.running()
    if running is None or not process.is_server(running.pid, instance.home):
        _stopped(instance)
        return None
    if not running.ready:
        progress.start("Server", None, "")
    if not starting.await_answer(instance, running, patience if running.ready else settings.start_seconds):
        process.end(instance.home, grace=min(patience, process.STOPPING_GRACE_SECONDS) / 2)
        instance.forget_running()
        return None
    watchdog.begin(instance, settings.idle_minutes)
    if not running.ready:
        progress.finish(starting.started(running))
    return instance.connection(starting.note_ready(instance, running))


def _stopped(instance: Instance) -> bool:
    """End the instance's server, recorded or not. True if there was one."""
    instance.forget_running()
    class_archive.end_training(instance)
    return process.end(instance.home, grace=process.STOPPING_GRACE_SECONDS) > 0
