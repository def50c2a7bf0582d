"""The watchdog: a small separate process that stops an idle server and prepares its next start.

A server counts as in use while a client is connected to it, and for `idle_minutes` after its last use. If a client is
killed, the kernel closes its connections.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from overstory.errors import OverstoryError, ServerError
from overstory.server import class_archive, process
from overstory.server.instance import Instance, Running

_WATCHDOG_LOOK_SECONDS = 1.0
_CONNECTIONS_SECONDS = 5.0
_START_SECONDS = 300.0
_PROGRAM = "from overstory.server.watchdog import main; main()"


def begin(instance: Instance, idle_minutes: float) -> None:
    """Start a watchdog, unless one is already running or `idle_minutes` is 0, which turns it off."""
    if not idle_minutes or not sys.executable or is_watching(instance):
        return
    process.spawn_python(
        _PROGRAM,
        str(instance.data),
        str(idle_minutes * 60),
        folder=instance.root,
        log=instance.console,
        environ=process.inherited(),
    )


def is_watching(instance: Instance) -> bool:
    """Return True if a watchdog of this instance is running. A running watchdog holds a lock file."""
    try:
        with FileLock(instance.watch_lock, timeout=0, mode=0o600):
            return False
    except Timeout:
        return True


def watch(instance: Instance, idle_seconds: float) -> Running | None:
    """Watch the server until it has ended.

    Returns:
        The server's record if the watchdog stopped the server because it was idle; None if the server ended for
        another reason.
    """
    used = looked = time.time()
    while (running := instance.running()) and process.is_server(running.pid, instance.home):
        now = time.time()
        if now - looked >= min(_CONNECTIONS_SECONDS, idle_seconds / 4):
            looked = now
            if process.is_used(running.pid, (running.bolt, running.http)):
                used = now
        used = max(used, min(instance.last_use(), now))
        if now - used >= idle_seconds and _stop_unused(instance, running, used):
            return running
        time.sleep(_WATCHDOG_LOOK_SECONDS)
    return None


def _stop_unused(instance: Instance, running: Running, since: float) -> bool:
    """Stop the server, unless a client has used it since `since` or is connected to it. Return True if it was stopped.

    A new client first updates the time of last use and then reads the server's record. The watchdog first hides the
    record and then reads the time of last use. Therefore either the client finds no record and waits for the lock, or
    the watchdog sees that the server was used.
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
    except ServerError:  # raised if another process is starting or stopping the server
        return False


def prepare_next_start(instance: Instance, stopped: Running) -> None:
    """Write a class archive for the server that was stopped, and give up if the server is used or stopped again."""
    used = instance.last_use()
    try:
        if class_archive.write(
            instance, stopped, is_wanted=lambda: instance.running() is None and instance.last_use() == used
        ):
            _report(instance, "wrote a class archive, which shortens the next start")
    except (OSError, OverstoryError) as error:  # not serious: without an archive, the next start only takes longer
        _report(instance, f"no class archive was written: {error}")
    with suppress(ServerError), instance.locked(_START_SECONDS):
        pass  # if another process is starting the server, wait until it has finished: that server must be watched, too


def _report(instance: Instance, text: str) -> None:
    with (
        suppress(OSError),
        instance.console.open("a", encoding="utf-8") as log,
    ):  # if the disk is full, the server must be stopped all the same
        log.write(f"{time.strftime('%Y-%m-%d %H:%M:%S%z')} overstory: {text}\n")


def main() -> None:
    """Run the watchdog. The arguments are the instance's data folder and the idle time in seconds."""
    data, idle_seconds = sys.argv[1:]
    instance = Instance(Path(data))
    try:
        # The lock may be taken for a moment, by a call of `is_watching` or by an earlier watchdog that is ending.
        with FileLock(instance.watch_lock, timeout=5, mode=0o600):
            stopped = watch(instance, float(idle_seconds))
            while stopped is not None:
                prepare_next_start(instance, stopped)
                running = instance.running()
                stopped = watch(instance, running.idle_minutes * 60) if running and running.idle_minutes else None
    except Timeout:
        return
