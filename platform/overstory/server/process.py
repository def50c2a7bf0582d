"""Starts the server as a process that outlives the terminal, recognises it later, checks it, and ends it."""

from __future__ import annotations

import importlib
import os
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from overstory.errors import ServerError
from overstory.server.configuration import home_argument
from overstory.server.instance import HOST, Connection

_COMMAND_LINE_LOOKS, _COMMAND_LINE_LOOK_SECONDS = 20, 0.01
_KILL_SECONDS = 30.0
STOPPING_GRACE_SECONDS = 20.0
"""Number of seconds that a server may take to stop; after that, it is killed."""


def spawn(command: Sequence[str], *, folder: Path, log: Path, environ: Mapping[str, str]) -> int:
    """Start a process that continues after this process ends and that Ctrl-C does not stop.

    Args:
        log: the file to which the output of the new process is appended.

    Returns:
        The id of the new process.
    """
    with log.open("ab") as output:
        child = subprocess.Popen(  # noqa: S603 # the command line is our own
            command,
            cwd=folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            umask=0o077,  # files that the server creates, such as the graph and its logs, are readable only by the user
        )
    # The parent must wait for the child, or the child becomes a zombie.
    threading.Thread(target=child.wait, name="overstory-reaper", daemon=True).start()
    return child.pid


def spawn_python(program: str, *arguments: str, folder: Path, log: Path, environ: Mapping[str, str]) -> int:
    """Start a Python program that can import this package, in the same way as `spawn`.

    Args:
        program: the source code of the program.
    """
    package_root = str(Path(__file__).parents[2])
    path = os.pathsep.join(filter(None, [package_root, environ.get("PYTHONPATH")]))
    command = [sys.executable, "-P", "-c", program, *arguments]
    return spawn(command, folder=folder, log=log, environ={**environ, "PYTHONPATH": path})


def inherited() -> dict[str, str]:
    """Return this process's environment variables without `OVERSTORY_…`, because some of those contain secrets."""
    return {name: value for name, value in os.environ.items() if not name.startswith("OVERSTORY_")}


def is_server(pid: int, home: Path) -> bool:
    """Return True if the process is running and is the server with this home folder.

    The second condition is checked because the id of an ended server may belong to a new process.
    """
    for _ in range(_COMMAND_LINE_LOOKS):
        command = _command_of(pid)
        if command is None or command:
            return command is not None and home_argument(home) in command
        time.sleep(_COMMAND_LINE_LOOK_SECONDS)  # for a moment after a process starts, its command line is still empty
    return False


def is_used(pid: int, ports: Sequence[int]) -> bool:
    """Return True if a client is connected to one of these ports of the process.

    If a client is killed, the kernel closes its connection at once.
    """
    try:
        process = psutil.Process(pid)
        family = (process, *process.children(recursive=True))  # `java` may be a script that starts the real binary
        connections = [each for member in family for each in member.net_connections("tcp")]
    except psutil.Error:
        return False
    return any(each.status == psutil.CONN_ESTABLISHED and each.laddr.port in ports for each in connections)


def memory(pid: int) -> int | None:
    """Return the resident memory of a process in bytes; None if it cannot be read."""
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return None


def end(home: Path, *, grace: float) -> int:
    """End all server processes with this home folder, and return how many there were.

    Args:
        grace: how many seconds the processes may take to stop before they are killed.
    """
    found = list(_processes_of(home))
    for process in found:
        with suppress(psutil.Error):
            process.terminate()
    _, still_alive = psutil.wait_procs(found, timeout=grace)
    for process in still_alive:
        with suppress(psutil.Error):
            process.kill()
    _, left = psutil.wait_procs(still_alive, timeout=_KILL_SECONDS)
    if left:
        raise ServerError(f"Process {left[0].pid} of the server does not end.", remedy=f"Try `kill -9 {left[0].pid}`.")
    return len(found)


def _processes_of(home: Path) -> Iterator[psutil.Process]:
    """Yield the server processes with this home folder.

    Such a process has the folder on its command line, and its working folder is the parent of this folder. The second
    condition is checked because a process in a container may have the same command line but mean another folder.
    """
    for pid in psutil.pids():
        if home_argument(home) in (_command_of(pid) or []):
            with suppress(psutil.Error, OSError):
                process = psutil.Process(pid)
                link = Path(f"/proc/{pid}/cwd")  # the link also works for a process in a container, whose paths differ
                if (link if link.exists() else Path(process.cwd())).samefile(home.parent):
                    yield process


def _command_of(pid: int) -> list[str] | None:
    """Return the command line of a process, or None if the process has ended or is not accessible.

    For a moment after the process starts, the list is empty.
    """
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else process.cmdline()
    except psutil.Error:
        return None


PATIENCE_SECONDS = 30.0
"""Number of seconds that a running server may take to answer a query; after that, a command restarts the server.

A busy server may need several seconds.
"""
BOLT_GREETING = bytes.fromhex("6060b017") + struct.pack(">4I", 0x00080805, 0x00000004, 0, 0)  # 5.0 … 5.8, 4.0
"""The message with which a client begins the Bolt handshake.

The server answers with four bytes within a millisecond, unless its process is frozen.
"""
# Both queries read the graph. The second query makes the user's first query half a second faster.
_QUERIES = ("RETURN 1", "MATCH (n:Overstory {id: ''}) RETURN count(n)")


class PasswordRefusedError(ServerError):
    """Neo4j refused the password.

    Either the password was changed, or a client sent a wrong password three times in the last five seconds.
    """

    def __init__(self) -> None:
        super().__init__(
            "The embedded server does not accept the password that was generated for it.",
            remedy="If you changed it, write the new one into the password_file of `overstory server status --json`.",
        )


def greets(port: int, seconds: float) -> bool:
    """Return True if the server answers the Bolt handshake within `seconds`.

    The server answers within a millisecond, unless its process is frozen.
    """
    try:
        with socket.create_connection((HOST, port), timeout=seconds) as stream:
            stream.sendall(BOLT_GREETING)
            return len(stream.recv(4)) == 4
    except OSError:
        return False


def answered_after(connection: Connection, seconds: float) -> float | None:
    """Send a query and return how many seconds the answer took, or None if it took longer than `seconds` or failed.

    Some faults, such as a full disk, become visible only when a query is sent.

    Raises:
        PasswordRefusedError: the password is wrong.
    """
    importlib.import_module("neo4j")  # the import takes half a second, which must not count as response time
    begun = time.monotonic()
    outcome: list[bool | PasswordRefusedError] = []
    # If the server freezes during the query, the driver waits forever. The query therefore runs in a separate thread.
    query_thread = threading.Thread(target=lambda: outcome.append(_ask(connection, seconds)), daemon=True)
    query_thread.start()
    query_thread.join(seconds)
    if outcome and isinstance(outcome[0], PasswordRefusedError):
        raise outcome[0]
    return time.monotonic() - begun if outcome == [True] else None


def _ask(connection: Connection, seconds: float) -> bool | PasswordRefusedError:
    import neo4j
    from neo4j.exceptions import DriverError, Neo4jError

    try:
        driver = neo4j.GraphDatabase.driver(
            connection.uri,
            auth=(connection.user, connection.password),
            connection_timeout=seconds,
            notifications_min_severity="OFF",
            telemetry_disabled=True,
        )
        with driver, driver.session(database="neo4j") as session:
            for query in _QUERIES:
                session.run(query).consume()
    except (DriverError, Neo4jError, OSError) as error:
        refused = isinstance(error, Neo4jError) and (error.code or "").startswith("Neo.ClientError.Security")
        return PasswordRefusedError() if refused else False
    return True
