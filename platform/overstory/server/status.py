"""Status, log and password of an instance of the embedded server."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Literal

from overstory.errors import ServerError
from overstory.server import class_archive, health, process
from overstory.server.health import PATIENCE_SECONDS
from overstory.server.instance import HOST, Instance, Running
from overstory.server.storage_errors import storage_errors
from overstory.settings import Settings

ServerState = Literal["running", "starting", "busy", "not answering", "password refused", "stopped"]
_SLOW_SECONDS = 2.0
"""An idle server answers within some hundredths of a second."""
_STATUS_LOOK_SECONDS = 0.25
_STARTING_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """The status of an instance. Fields of a running process are None if there is no process.

    Attributes:
        state: "busy" if it takes connections, but answered no query within `PATIENCE_SECONDS`.
        answered: after how many seconds it answered a query, None if it did not.
        started: seconds since the epoch.
        memory: resident bytes of the process.
        disk: bytes of the home: graph, transaction logs, logs.
        archive: bytes of the class archive, with which a start takes less time; 0 before there is one.
    """

    state: ServerState
    data: Path
    password_file: Path
    disk: int
    archive: int = 0
    pid: int | None = None
    uri: str | None = None
    http_url: str | None = None
    neo4j: str | None = None
    started: float | None = None
    memory: int | None = None
    answered: float | None = None

    @property
    def shown_state(self) -> str:
        """The state, and how slow the server is if that can be noticed."""
        if self.answered is None or self.answered < _SLOW_SECONDS:
            return self.state
        return f"{self.state}, slow: answered after {self.answered:.0f} s"


def status(settings: Settings) -> ServerStatus:
    """Check the process and send it a query, for which it has as long as commands wait; starts and stops nothing."""
    instance = Instance.of(settings.places)
    with storage_errors(instance.root, variable="OVERSTORY_HOME"):
        running, disk, archive = instance.running(), _size(instance.home), class_archive.size(instance)
        if running is None or not process.is_server(running.pid, instance.home):
            return ServerStatus("stopped", settings.places.data, instance.password_file, disk, archive)
        state, answered = _state(instance, running)
        return ServerStatus(
            state=state,
            data=settings.places.data,
            password_file=instance.password_file,
            disk=disk,
            archive=archive,
            pid=running.pid,
            uri=f"bolt://{HOST}:{running.bolt}",
            http_url=running.http_url,
            neo4j=running.neo4j,
            started=running.started,
            memory=process.memory(running.pid),
            answered=answered,
        )


def password(settings: Settings) -> str:
    """The password for Neo4j Browser; the user is `neo4j`."""
    instance = Instance.of(settings.places)
    with storage_errors(instance.root, variable="OVERSTORY_HOME"):
        found = instance.password()
    if found is None:
        raise ServerError(
            f"There is no password in {instance.root}.", remedy="The first `overstory server start` creates one."
        )
    return found


def read_log(settings: Settings, *, lines: int = 50, follow: bool = False) -> Iterator[str]:
    """The last lines of the server's output, oldest first; with `follow`, also new ones, until interrupted."""
    instance = Instance.of(settings.places)
    if not instance.console.exists():
        raise ServerError(f"There is no log in {instance.root}.", remedy="Start a server: `overstory server start`.")
    with storage_errors(instance.root, variable="OVERSTORY_HOME"):
        last = deque(instance.console.read_text(encoding="utf-8", errors="replace").splitlines(), maxlen=lines)
        return chain(last, _new_lines(instance.console)) if follow else iter(last)


def _new_lines(log: Path) -> Iterator[str]:
    with log.open(encoding="utf-8", errors="replace") as stream:
        stream.seek(0, 2)
        while True:
            line = stream.readline()
            if line:
                yield line.rstrip("\n")
            else:
                time.sleep(_STATUS_LOOK_SECONDS)


def _state(instance: Instance, running: Running) -> tuple[ServerState, float | None]:
    """The state of a process, and after how many seconds it answered a query."""
    begun = time.monotonic()
    if not health.greets(running.bolt, PATIENCE_SECONDS if running.ready else _STARTING_SECONDS):
        return "not answering" if running.ready else "starting", None
    greeted = time.monotonic() - begun
    try:
        answered = health.answered_after(instance.connection(running), PATIENCE_SECONDS)
    except health.PasswordRefusedError:
        return "password refused", None
    if answered is not None:
        return "running", greeted + answered
    if not running.ready:
        return "starting", None
    return ("busy" if time.monotonic() - begun >= PATIENCE_SECONDS else "not answering"), None


def _size(folder: Path) -> int:
    """Bytes of a folder whose files may change meanwhile."""
    total = 0
    for file in folder.rglob("*"):
        try:
            total += 0 if file.is_symlink() else file.stat().st_blocks * 512
        except FileNotFoundError:
            continue
    return total
