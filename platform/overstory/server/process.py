"""The server's process: started detached from the terminal, recognised later, and ended."""

from __future__ import annotations

import os
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
    """Whether the process is alive and is the server of this home; its id may have been reused."""
    for _ in range(_COMMAND_LINE_LOOKS):
        command = _command_of(pid)
        if command is None or command:
            return command is not None and home_argument(home) in command
        time.sleep(_COMMAND_LINE_LOOK_SECONDS)  # just started: the kernel has not set its command line yet
    return False


def is_used(pid: int, ports: Sequence[int]) -> bool:
    """Whether a client is connected to the process; a killed client counts as disconnected at once."""
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
    _, deaf = psutil.wait_procs(found, timeout=grace)
    for process in deaf:
        with suppress(psutil.Error):
            process.kill()
    _, left = psutil.wait_procs(deaf, timeout=_KILL_SECONDS)
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
