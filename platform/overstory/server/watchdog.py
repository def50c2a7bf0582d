"""Stops an idle server. Runs as a small process of its own.

A server is in use while a client is connected (the kernel closes the connections of a killed client), and for a while
after a command has asked for it.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from overstory.errors import ServerError
from overstory.server import process
from overstory.server.instance import Instance, Running

WATCHDOG_LOOK_SECONDS = 1.0
CONNECTIONS_SECONDS = 5.0
_PROGRAM = "from overstory.server.watchdog import main; main()"


def begin(instance: Instance, idle_minutes: float) -> None:
    """Start a watchdog, unless one is running or the idle stop is turned off."""
    if not idle_minutes or not sys.executable or is_watching(instance):
        return
    package_root = str(Path(__file__).parents[2])
    environ = process.inherited()
    environ["PYTHONPATH"] = os.pathsep.join(filter(None, [package_root, environ.get("PYTHONPATH")]))
    process.spawn(
        [sys.executable, "-P", "-c", _PROGRAM, str(instance.data), str(idle_minutes * 60)],
        folder=instance.root,
        log=instance.console,
        environ=environ,
    )


def is_watching(instance: Instance) -> bool:
    """Whether a watchdog is running, that is, holds its lock."""
    try:
        with FileLock(instance.watch_lock, timeout=0, mode=0o600):
            return False
    except Timeout:
        return True


def watch(instance: Instance, idle_seconds: float) -> None:
    """Watch until the server has ended for any reason, or was stopped here."""
    used = looked = time.time()
    while (running := instance.running()) and process.is_server(running.pid, instance.home):
        now = time.time()
        if now - looked >= min(CONNECTIONS_SECONDS, idle_seconds / 4):
            looked = now
            if process.is_used(running.pid, (running.bolt, running.http)):
                used = now
        used = max(used, min(instance.last_use(), now))
        if now - used >= idle_seconds and _stop_unused(instance, running, used):
            return
        time.sleep(WATCHDOG_LOOK_SECONDS)


def _stop_unused(instance: Instance, running: Running, since: float) -> bool:
    """End the server unless a client needs it first.

    A client notes its use and then reads the record of the server; here the record is hidden first and the use read
    afterwards. So either the client finds no record and waits for the lock, or its use is seen here.
    """
    try:
        with instance.locked(0):
            instance.hide_running()
            if instance.last_use() > since or process.is_used(running.pid, (running.bolt, running.http)):
                instance.show_running()
                return False
            _report(instance, f"stopping after {(time.time() - since) / 60:.1f} minutes without use")
            process.end(instance.home, grace=process.STOPPING_GRACE_SECONDS)
            instance.forget_running()
            return True
    except ServerError:  # another process is starting or stopping it
        return False


def _report(instance: Instance, text: str) -> None:
    with suppress(OSError), instance.console.open("a", encoding="utf-8") as log:  # a full disk must not keep it alive
        log.write(f"{time.strftime('%Y-%m-%d %H:%M:%S%z')} overstory: {text}\n")


def main() -> None:
    """The program: the arguments are the instance's data folder and the idle time in seconds."""
    data, idle_seconds = sys.argv[1:]
    instance = Instance(Path(data))
    try:
        # `is_watching` holds the lock for a moment, and a previous watchdog may be about to end.
        with FileLock(instance.watch_lock, timeout=5, mode=0o600):
            watch(instance, float(idle_seconds))
    except Timeout:
        return
