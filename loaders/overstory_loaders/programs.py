"""Runs installed programs that convert text from standard input, and limits their time and output."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from overstory.errors import BrokenSource, LoaderNotFound
from overstory.protocols import OnBroken

_MOST_SECONDS = 20
"""Maximum wall-clock time of a program in seconds. The manual page of bash takes one second.

Memory is limited by the worker process that starts the program.
"""
_MOST_OUTPUT_MEGABYTES = 32
"""Maximum length of a program's output in MiB. For the longest manual pages, it is half a megabyte."""


def installed_program(*names: str, remedy: str) -> str:
    """Return the path of the first of these programs that is installed.

    Raises:
        LoaderNotFound: none of them is installed.
    """
    for name in names:
        if (path := shutil.which(name)) is not None:
            return path
    raise LoaderNotFound(f"reading this format needs {' or '.join(names)}, which is not installed", remedy=remedy)


def output_of(command: Sequence[str], text: str, source: str, *, on_broken: OnBroken) -> str:
    """Run a program with `text` as its standard input, and return its output.

    The program runs in an empty folder so that relative paths in the text refer to no files.

    Args:
        on_broken: called if the program reports an error. The output may then be incomplete.

    Raises:
        BrokenSource: the program takes too long, or its output is too long.
    """
    name, most = Path(command[0]).name, _MOST_OUTPUT_MEGABYTES * 2**20
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as given:
        given.write(text.encode())
        given.seek(0)
        child = subprocess.Popen(  # noqa: S603 # no shell is used, and the command line comes from this package
            command,
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8"},
            process_group=0,
        )
        assert child.stdout is not None  # noqa: S101 # mypy needs this
        timer = threading.Timer(_MOST_SECONDS, _kill_group, (child.pid,))
        timer.start()
        try:
            with child.stdout:
                output = child.stdout.read(most + 1)
            if len(output) > most:
                reason = f"converts to more than {_MOST_OUTPUT_MEGABYTES} MiB of text"
                raise BrokenSource(reason, source=source, remedy="Leave it out.")
            status = child.wait()
        finally:
            is_late = timer.finished.is_set()
            timer.cancel()
            _kill_group(child.pid)  # groff starts several processes
            child.wait()
    if is_late:
        raise BrokenSource(
            f"takes {name} more than {_MOST_SECONDS} s to convert", source=source, remedy="Leave it out."
        )
    if status:
        on_broken(BrokenSource(f"{name} reported an error, and may not have converted all of it", source=source))
    return output.decode("utf-8", "replace")


def _kill_group(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):  # macOS raises PermissionError if the group has ended
        os.killpg(group, signal.SIGKILL)
