"""The server's process: started detached from the terminal, recognised later, and ended."""

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
"""That a server may take to stop by itself before it is killed."""


def spawn(command: Sequence[str], *, folder: Path, log: Path, environ: Mapping[str, str]) -> int:
    """Start a process that outlives this one and does not receive its Ctrl-C; returns its id."""
    with log.open("ab") as output:
        child = subprocess.Popen(  # noqa: S603 # a command line of ours
            command,
            cwd=folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            umask=0o077,  # the graph and its logs are the user's alone, wherever a copy of them ends up
        )
    # The parent must wait for it, or it becomes a zombie; a short-lived parent leaves that to init.
    threading.Thread(target=child.wait, name="overstory-reaper", daemon=True).start()
    return child.pid


def spawn_python(program: str, *arguments: str, folder: Path, log: Path, environ: Mapping[str, str]) -> int:
    """Start a Python program of this package as `spawn` does."""
    package_root = str(Path(__file__).parents[2])
    path = os.pathsep.join(filter(None, [package_root, environ.get("PYTHONPATH")]))
    command = [sys.executable, "-P", "-c", program, *arguments]
    return spawn(command, folder=folder, log=log, environ={**environ, "PYTHONPATH": path})


def inherited() -> dict[str, str]:
    """This process's environment without our own variables, some of which are secrets."""
    return {name: value for name, value in os.environ.items() if not name.startswith("OVERSTORY_")}


def is_server(pid: int, home: Path) -> bool:
    """Return True if the process is alive and is the server of this home; its id may have been reused."""
    for _ in range(_COMMAND_LINE_LOOKS):
        command = _command_of(pid)
        if command is None or command:
            return command is not None and home_argument(home) in command
        time.sleep(_COMMAND_LINE_LOOK_SECONDS)  # just started: the kernel has not set its command line yet
    return False


def is_used(pid: int, ports: Sequence[int]) -> bool:
    """Return True if a client is connected to the process; a killed client counts as disconnected at once."""
    try:
        process = psutil.Process(pid)
        family = (process, *process.children(recursive=True))  # a `java` may be a script that starts the real one
        connections = [each for member in family for each in member.net_connections("tcp")]
    except psutil.Error:
        return False
    return any(each.status == psutil.CONN_ESTABLISHED and each.laddr.port in ports for each in connections)


def memory(pid: int) -> int | None:
    """Resident bytes."""
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return None


def end(home: Path, *, grace: float) -> int:
    """Terminate all processes of this home, recorded or not, and kill those still alive after `grace` seconds.

    Returns the number of processes.
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
    """The processes with the home on their command line that were also started in its folder.

    A process in a container may have the same command line but refer to another folder.
    """
    for pid in psutil.pids():
        if home_argument(home) in (_command_of(pid) or []):
            with suppress(psutil.Error, OSError):
                process = psutil.Process(pid)
                link = Path(f"/proc/{pid}/cwd")  # resolves a folder in a container to another one
                if (link if link.exists() else Path(process.cwd())).samefile(home.parent):
                    yield process


def _command_of(pid: int) -> list[str] | None:
    """The command line; None if the process has ended or is not accessible, empty for a moment after its start."""
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else process.cmdline()
    except psutil.Error:
        return None


PATIENCE_SECONDS = 30.0
"""How long a running server may take to answer: a busy one takes seconds, and a command restarts it only after this."""
BOLT_GREETING = bytes.fromhex("6060b017") + struct.pack(">4I", 0x00080805, 0x00000004, 0, 0)  # 5.0 … 5.8, 4.0
"""The client's half of Bolt's handshake: a server answers with four bytes within a millisecond, unless its process is
frozen."""
# Both touch the store; the second makes the first query of a user half a second faster.
_QUERIES = ("RETURN 1", "MATCH (n:Overstory {id: ''}) RETURN count(n)")


class PasswordRefusedError(ServerError):
    """The password was changed. Neo4j also refuses for five seconds after three wrong ones."""

    def __init__(self) -> None:
        super().__init__(
            "The embedded server does not accept the password that was generated for it.",
            remedy="If you changed it, write the new one into the password_file of `overstory server status --json`.",
        )


def greets(port: int, seconds: float) -> bool:
    """Return True if Bolt's handshake is answered, which takes a millisecond: the process is not frozen."""
    try:
        with socket.create_connection((HOST, port), timeout=seconds) as stream:
            stream.sendall(BOLT_GREETING)
            return len(stream.recv(4)) == 4
    except OSError:
        return False


def answered_after(connection: Connection, seconds: float) -> float | None:
    """After how many seconds a query is answered; None if it is not in time. Some faults, such as a full disk, only
    show in a query.
    """
    importlib.import_module("neo4j")  # takes half a second, which is not the server's
    begun = time.monotonic()
    outcome: list[bool | PasswordRefusedError] = []
    # If the server freezes during the query, the driver waits forever, so it runs in a thread of its own.
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
