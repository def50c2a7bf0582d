"""Runs installed programs that convert a file from standard input, with limits on time and output."""

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
"""Maximum wall-clock seconds; bash's manual page takes one. The worker that starts the program limits its memory."""
_MOST_OUTPUT_MEGABYTES = 32
"""Maximum length of the output; that of the longest manual pages has half a megabyte."""


def installed_program(*names: str, remedy: str) -> str:
    """Return the path of the first of these programs that is installed, or raise `LoaderNotFound`."""
    for name in names:
        if (path := shutil.which(name)) is not None:
            return path
    raise LoaderNotFound(f"reading this format needs {' or '.join(names)}, which is not installed", remedy=remedy)


def output_of(command: Sequence[str], text: str, source: str, *, on_broken: OnBroken) -> str:
    """Return the output of a program for `text` on its standard input.

    The program runs in an empty folder, so that relative paths in the text refer to no file.

    Args:
        on_broken: called if the program reports an error; its output may then be incomplete.

    Raises:
        BrokenSource: the program takes too long, or its output is too long.
    """
    name, most = Path(command[0]).name, _MOST_OUTPUT_MEGABYTES * 2**20
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as given:
        given.write(text.encode())
        given.seek(0)
        child = subprocess.Popen(  # noqa: S603 # no shell, and the command line is our own
            command,
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8"},
            process_group=0,
        )
        assert child.stdout is not None  # noqa: S101 # for mypy
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
            _kill_group(child.pid)  # groff runs as several processes
            child.wait()
    if is_late:
        raise BrokenSource(
            f"takes {name} more than {_MOST_SECONDS} s to convert", source=source, remedy="Leave it out."
        )
    if status:
        on_broken(BrokenSource(f"{name} reported an error, and may not have converted all of it", source=source))
    return output.decode("utf-8", "replace")


def _kill_group(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):  # macOS raises PermissionError for a group that has ended
        os.killpg(group, signal.SIGKILL)
