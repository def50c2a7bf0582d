"""Information about the embedded server: its status, log and password, and the checks of `overstory doctor`."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple

from overstory.errors import OverstoryError, ServerError
from overstory.jars import missing
from overstory.server import class_archive, configuration, process
from overstory.server.configuration import find_java
from overstory.server.instance import HOST, Instance, Running
from overstory.server.lifecycle import refuse_windows
from overstory.server.process import PATIENCE_SECONDS
from overstory.server.provision import read_lock_list
from overstory.settings import Settings
from overstory.storage import storage_errors

ServerState = Literal["running", "starting", "busy", "not answering", "password refused", "stopped"]
_SLOW_SECONDS = 2.0  # a slower answer is reported; an idle server answers within a few hundredths of a second
_STATUS_LOOK_SECONDS = 0.25
_STARTING_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """The status of an instance of the server. If the server is not running, the fields about its process are None.

    Attributes:
        state: "busy" means that the server accepts connections but answered no query within `PATIENCE_SECONDS`.
        answered: number of seconds until a query was answered; None if no query was answered.
        started: start time, in seconds since the epoch.
        memory: resident memory of the process in bytes.
        disk: size of Neo4j's home folder in bytes; the folder contains the graph, transaction logs and other logs.
        archive: size in bytes of the class archive, with which the server starts faster; 0 if there is none.
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
        """The state as text for users. If the server is slow, the text includes the response time."""
        if self.answered is None or self.answered < _SLOW_SECONDS:
            return self.state
        return f"{self.state}, slow: answered after {self.answered:.0f} s"


def status(settings: Settings) -> ServerStatus:
    """Return the status of the server, after sending it a query, which may take up to `PATIENCE_SECONDS`.

    The server is neither started nor stopped.
    """
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
    """Return the password of the user `neo4j`, for example to log in to Neo4j Browser."""
    instance = Instance.of(settings.places)
    with storage_errors(instance.root, variable="OVERSTORY_HOME"):
        found = instance.password()
    if found is None:
        raise ServerError(
            f"There is no password in {instance.root}.", remedy="The first `overstory server start` creates one."
        )
    return found


def read_log(settings: Settings, *, lines: int = 50, follow: bool = False) -> Iterator[str]:
    """Return the last lines of the server's output, oldest first.

    Args:
        follow: if True, the iterator then waits for new lines and never ends.
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
                time.sleep(_STATUS_LOOK_SECONDS)


def _state(instance: Instance, running: Running) -> tuple[ServerState, float | None]:
    begun = time.monotonic()
    if not process.greets(running.bolt, PATIENCE_SECONDS if running.ready else _STARTING_SECONDS):
        return "not answering" if running.ready else "starting", None
    greeted = time.monotonic() - begun
    try:
        answered = process.answered_after(instance.connection(running), PATIENCE_SECONDS)
    except process.PasswordRefusedError:
        return "password refused", None
    if answered is not None:
        return "running", greeted + answered
    if not running.ready:
        return "starting", None
    return ("busy" if time.monotonic() - begun >= PATIENCE_SECONDS else "not answering"), None


def _size(folder: Path) -> int:
    total = 0
    for file in folder.rglob("*"):
        try:
            total += 0 if file.is_symlink() else file.stat().st_blocks * 512
        except FileNotFoundError:
            continue
    return total


_FREE_GRAPH_BYTES = 500_000_000


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check. If `ok` is False, `remedy` states what the user can do."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""


class Diagnosis(NamedTuple):
    """The results of all checks of the embedded server, and True if it is running."""

    checks: list[Check]
    running: bool


def diagnose(settings: Settings) -> Diagnosis:
    """Check everything that the embedded server needs for a start, and then the server itself; return the results."""
    checks = [_checked(check, settings) for check in _CHECKS_BEFORE_A_START]
    states: list[ServerState] = []

    def check_server(settings: Settings) -> Check:
        found = status(settings)
        states.append(found.state)
        return check_status(found)

    checks.append(_checked(check_server, settings, name="server"))
    return Diagnosis(checks, running=states == ["running"])


def _checked(check: Callable[[Settings], Check], settings: Settings, *, name: str = "") -> Check:
    try:
        with storage_errors(settings.places.data, variable="OVERSTORY_HOME"):
            return check(settings)
    except OverstoryError as error:
        return Check(name or check.__name__.removeprefix("_"), ok=False, detail=str(error), remedy=error.remedy)


def _system(_: Settings) -> Check:
    refuse_windows()
    return Check("system", ok=True, detail=os.uname().sysname + " " + os.uname().machine)


def _java(settings: Settings) -> Check:
    java = find_java(settings.server.java)
    return Check("java", ok=True, detail=f"{java.version} from {java.origin} ({java.binary})")


def _jars(settings: Settings) -> Check:
    lock_list = read_lock_list()
    absent = missing(settings.places.jar_cache, lock_list)
    version = f"Neo4j {lock_list.neo4j_version}, GDS {lock_list.gds_version}"
    if absent and not (cache := _written("cache", settings.places.jar_cache, "OVERSTORY_CACHE")).ok:
        return cache
    if len(absent) == len(lock_list.jars):
        return Check("jars", ok=True, detail=f"{version}: the first start downloads {lock_list.size / 1e6:.0f} MB")
    if absent:
        return Check(
            "jars",
            ok=False,
            detail=f"{len(absent)} of {len(lock_list.jars)} jars are missing, or changed since the last check",
            remedy="The next start verifies them and downloads missing ones. To do it now: `overstory server fetch`.",
        )
    return Check("jars", ok=True, detail=f"{version}: {len(lock_list.jars)} in {settings.places.jar_cache / 'jars'}")


def _memory(settings: Settings) -> Check:
    configuration.check(settings.server)
    return Check("memory", ok=True, detail=f"heap {settings.server.heap}, page cache {settings.server.pagecache}")


def _folder(settings: Settings) -> Check:
    root = Instance.of(settings.places).root
    place = _existing(root)
    if place == root and (mode := stat.S_IMODE(root.stat().st_mode)) & 0o077:
        return Check(
            "folder",
            ok=False,
            detail=f"{root} has mode {mode:o}: others can read the graph and the password, or replace them",
            remedy=f"chmod 700 {root}, which the next start does, too",
        )
    return _written("folder", root, "OVERSTORY_HOME")


def _disk(settings: Settings) -> Check:
    free = shutil.disk_usage(_existing(settings.places.data)).free
    return Check(
        "disk",
        ok=free >= _FREE_GRAPH_BYTES,
        detail=f"{free / 1e9:.1f} GB free for {settings.places.data}",
        remedy="Free some space, or set OVERSTORY_HOME to a folder on another disk.",
    )


def _version(settings: Settings) -> Check:
    version = read_lock_list().neo4j_version
    Instance.of(settings.places).check_version(version)
    return Check("version", ok=True, detail=f"the graph fits Neo4j {version}")


def _password(settings: Settings) -> Check:
    instance = Instance.of(settings.places)
    try:
        mode = stat.S_IMODE(instance.password_file.stat().st_mode)
    except FileNotFoundError:
        made = instance.has_graph()
        return Check(
            "password",
            ok=not made,
            detail="its file is missing" if made else "is created by the first start",
            remedy=f"Put the password of the graph into {instance.password_file}, or delete the graph with "
            "`overstory server remove`.",
        )
    return Check(
        "password",
        ok=not mode & 0o077,
        detail=f"{instance.password_file} has mode {mode:o}",
        remedy=f"Others can read it: chmod 600 {instance.password_file}",
    )


def _ports(_: Settings) -> Check:
    ports = configuration.free_ports()
    return Check("ports", ok=True, detail=f"free ports are available on the loopback address (now {ports.bolt})")


_CHECKS_BEFORE_A_START = (_system, _java, _jars, _memory, _folder, _disk, _version, _password, _ports)


def check_status(found: ServerStatus) -> Check:
    """Return the result of the check "server" for a status.

    A slow server passes the check. A busy server fails, but the remedy is to wait, not to stop it.

    Raises:
        PasswordRefusedError: the server refused the password.
    """
    place = f"{found.uri}, process {found.pid}"
    match found.state:
        case "stopped":
            return Check("server", ok=True, detail="is not running; starts when needed")
        case "password refused":
            raise process.PasswordRefusedError
        case "busy":
            return Check(
                "server",
                ok=False,
                detail=f"busy: accepts connections, but answered no query within {PATIENCE_SECONDS:g} s, {place}",
                remedy="Wait until its current work has ended, then check again. Its output: `overstory server logs`.",
            )
        case "not answering":
            return Check(
                "server",
                ok=False,
                detail=f"not answering, {place}",
                remedy="`overstory server logs` shows its output. The next command that needs the server waits "
                f"{PATIENCE_SECONDS:g} s and restarts it if it still does not answer.",
            )
        case "starting" | "running":
            return Check("server", ok=True, detail=f"{found.shown_state}, {place}")


def _written(name: str, folder: Path, variable: str) -> Check:
    place = _existing(folder)
    try:
        with tempfile.TemporaryDirectory(prefix=".try-", dir=place) as made:
            Path(made, "file").write_bytes(b"try")
    except OSError as fault:
        return Check(
            name,
            ok=False,
            detail=f"{folder}: nothing can be written in {place}: {fault.strerror or fault}",
            remedy=f"Fix its owner or mode (chown, chmod), or set {variable} to a folder that you can write to.",
        )
    return Check(name, ok=True, detail=f"{folder} is writable")


def _existing(folder: Path) -> Path:
    return next(place for place in (folder, *folder.parents) if place.exists())
