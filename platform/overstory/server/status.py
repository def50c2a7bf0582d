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
from overstory.server import health, process
from overstory.server.atomic_files import storage_errors
from overstory.server.instance import HOST, Instance, Running
from overstory.settings import Settings

ServerState = Literal["running", "starting", "not answering", "password refused", "stopped"]
ANSWER_SECONDS = 5.0
_LOOK_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """The status of an instance. Fields of a running process are None if there is no process.

    Attributes:
        started: seconds since the epoch.
        memory: resident bytes of the process.
        disk: bytes of the home: graph, transaction logs, logs.
    """

    state: ServerState
    data: Path
    password_file: Path
    disk: int
    pid: int | None = None
    uri: str | None = None
    http_url: str | None = None
    neo4j: str | None = None
    started: float | None = None
    memory: int | None = None


def status(settings: Settings) -> ServerStatus:
    """Check the process and send it a query; starts and stops nothing.

    Raises:
        ServerError: the instance's files cannot be read, or its password is missing.
    """
    instance = Instance.of(settings.places)
    with storage_errors(instance.root, variable="OVERSTORY_HOME"):
        running, disk = instance.running(), _size(instance.home)
        if running is None or not process.is_server(running.pid, instance.home):
            return ServerStatus("stopped", settings.places.data, instance.password_file, disk)
        return ServerStatus(
            state=_state(instance, running),
            data=settings.places.data,
            password_file=instance.password_file,
            disk=disk,
            pid=running.pid,
            uri=f"bolt://{HOST}:{running.bolt}",
            http_url=running.http_url,
            neo4j=running.neo4j,
            started=running.started,
            memory=process.memory(running.pid),
        )


def password(settings: Settings) -> str:
    """The password for Neo4j Browser; the user is `neo4j`.

    Raises:
        ServerError: no server was ever started here.
    """
    instance = Instance.of(settings.places)
    with storage_errors(instance.root, variable="OVERSTORY_HOME"):
        found = instance.password()
    if found is None:
        raise ServerError(
            f"There is no password in {instance.root}.", remedy="The first `overstory server start` creates one."
        )
    return found


def read_log(settings: Settings, *, lines: int = 50, follow: bool = False) -> Iterator[str]:
    """The last lines of the server's output, oldest first; with `follow`, also new ones, until interrupted.

    Raises:
        ServerError: no server was ever started here.
    """
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
                time.sleep(_LOOK_SECONDS)


def _state(instance: Instance, running: Running) -> ServerState:
    if not running.ready:
        return "starting"
    try:
        connection = instance.connection(running)
        well = health.greets(running.bolt, ANSWER_SECONDS) and health.answers(connection, ANSWER_SECONDS)
    except health.PasswordRefusedError:
        return "password refused"
    return "running" if well else "not answering"


def _size(folder: Path) -> int:
    """Bytes of a folder whose files may change meanwhile."""
    total = 0
    for file in folder.rglob("*"):
        try:
            total += 0 if file.is_symlink() else file.stat().st_blocks * 512
        except FileNotFoundError:
            continue
    return total
