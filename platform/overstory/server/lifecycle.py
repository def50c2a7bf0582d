"""Starting, sharing and stopping the embedded server.

Any number of processes may ask at once. Who holds the instance's lock decides; the others wait and share.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from overstory.errors import ServerError
from overstory.server import health, process, starting, watchdog
from overstory.server.atomic_files import storage_errors
from overstory.server.instance import Connection, Instance
from overstory.server.provision import provision
from overstory.settings import ServerSettings, Settings

if TYPE_CHECKING:
    from overstory.protocols import Progress

PATIENCE_SECONDS = 30.0
GREETING_SECONDS = 1.0
GRACE_SECONDS = 20.0
FETCH_SECONDS = 1800.0


def ensure_running(
    settings: Settings, *, progress: Progress | None = None, patience: float = PATIENCE_SECONDS
) -> Connection:
    """The embedded server of these settings, started if nobody has.

    Where it runs already this takes a few milliseconds: its process is looked for and Bolt's greeting awaited. Only
    when something is amiss a query is sent, and a server that does not answer it is ended and started anew.

    Args:
        patience: how long, in seconds, a running server may leave a query unanswered.

    Raises:
        ProvisioningError: its jars, or a Java, could not be had.
        ServerStartError: it did not start; the message says what it printed.
        ServerError: the system or the instance's files are at fault.
    """
    refuse_windows()
    instance = Instance.of(settings.places)
    if (connection := _greeted(instance, settings.server)) is not None:
        return connection
    from overstory.protocols import Silence  # numpy comes with it, which a watchdog need not carry

    instance.create()
    with (
        instance.locked(settings.server.start_seconds + FETCH_SECONDS),
        storage_errors(instance.root, variable="OVERSTORY_HOME"),
    ):
        connection = _revived(instance, settings.server, patience)
        return connection or starting.start(instance, settings, progress or Silence())


def stop(settings: Settings) -> bool:
    """Stops the server, whoever uses it; False if none was running. Nothing acknowledged is lost.

    Raises:
        ServerError: it is being started, and that takes too long; or the instance's files are at fault.
    """
    instance = Instance.of(settings.places)
    if not instance.root.exists():
        return False
    with instance.locked(settings.server.start_seconds), storage_errors(instance.root, variable="OVERSTORY_HOME"):
        return _stopped(instance)


def remove(settings: Settings) -> bool:
    """Stops the server and deletes its graph, password and logs; False if there was none. Jars stay.

    Raises:
        ServerError: as `stop`.
    """
    instance = Instance.of(settings.places)
    if not instance.root.exists():
        return False
    with instance.locked(settings.server.start_seconds), storage_errors(instance.root, variable="OVERSTORY_HOME"):
        _stopped(instance)
        shutil.rmtree(instance.root)
    return True


def fetch(settings: Settings, *, source: Path | None = None, progress: Progress | None = None) -> Path:
    """Fetches what a start needs, checks every jar, and returns their folder.

    Args:
        source: a folder to copy the jars from, for machines without a connection.

    Raises:
        ProvisioningError: a jar could not be had, or is not what the lock list says.
    """
    return provision(settings.places.cache, source=source, verify=True, progress=progress).folder


def refuse_windows() -> None:
    if sys.platform == "win32":
        raise ServerError(
            "The embedded Neo4j does not run on Windows.",
            remedy="Run Overstory in WSL, or set OVERSTORY_NEO4J_URI to a Neo4j of your own.",
        )


def _greeted(instance: Instance, settings: ServerSettings) -> Connection | None:
    """A server that runs and is well as far as can be told at once. The use is noted first: see the watchdog."""
    if not instance.note_use():
        return None
    running = instance.running()
    if running is None or not running.ready or not process.is_server(running.pid, instance.home):
        return None
    if settings.idle_minutes and not watchdog.is_watching(instance):
        return None
    return instance.connection(running) if health.greets(running.bolt, GREETING_SECONDS) else None


def _revived(instance: Instance, settings: ServerSettings, patience: float) -> Connection | None:
    """A server that answers a query after all, or that another process began to start; one that does not is ended."""
    running = instance.running()
    if running is None or not process.is_server(running.pid, instance.home):
        _stopped(instance)
        return None
    if not starting.await_answer(instance, running, patience if running.ready else settings.start_seconds):
        process.end(instance.home, grace=min(patience, GRACE_SECONDS) / 2)
        instance.forget_running()
        return None
    watchdog.begin(instance, settings.idle_minutes)
    return instance.connection(starting.note_ready(instance, running))


def _stopped(instance: Instance) -> bool:
    """Ends the instance's server, noted or not. True if there was one."""
    instance.forget_running()
    return process.end(instance.home, grace=GRACE_SECONDS) > 0
