"""Stops a server that nobody uses. Runs as a small process of its own.

In use means that somebody is connected (the kernel ends the connections of a client that is killed) or has asked for
the server lately.
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

LOOK_SECONDS = 1.0
CONNECTIONS_SECONDS = 5.0
GRACE_SECONDS = 20.0
_PROGRAM = "from overstory.server.watchdog import main; main()"


def begin(instance: Instance, idle_minutes: float) -> None:
    """Starts a watchdog, unless one watches already or none is wanted."""
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
    """Whether a watchdog lives: it holds its lock as long as it does."""
    try:
        with FileLock(instance.watch_lock, timeout=0, mode=0o600):
            return False
    except Timeout:
        return True


def watch(instance: Instance, idle_seconds: float) -> None:
    """Returns when the server has gone, by whatever cause, or was stopped here."""
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
        time.sleep(LOOK_SECONDS)


def _stop_unused(instance: Instance, running: Running, since: float) -> bool:
    """Ends the server unless somebody turns up first.

    Whoever wants it notes the use and then reads the note about the server; here the note goes first and the use is
    read after. So either they find no note and wait for the lock, or their use is seen here.
    """
    try:
        with instance.locked(0):
            instance.hide_running()
            if instance.last_use() > since or process.is_used(running.pid, (running.bolt, running.http)):
                instance.show_running()
                return False
            _report(instance, f"stopping after {(time.time() - since) / 60:.1f} minutes without use")
            process.end(instance.home, grace=GRACE_SECONDS)
            instance.forget_running()
            return True
    except ServerError:  # somebody is starting or stopping it
        return False


def _report(instance: Instance, text: str) -> None:
    with suppress(OSError), instance.console.open("a", encoding="utf-8") as log:  # a full disk must not keep it alive
        log.write(f"{time.strftime('%Y-%m-%d %H:%M:%S%z')} overstory: {text}\n")


def main() -> None:
    """The program: the arguments are the instance's data folder and the idle time in seconds."""
    data, idle_seconds = sys.argv[1:]
    instance = Instance(Path(data))
    try:
        # Whoever asks whether it is held holds it for a moment; and a predecessor may be on its way out.
        with FileLock(instance.watch_lock, timeout=5, mode=0o600):
            watch(instance, float(idle_seconds))
    except Timeout:
        return
