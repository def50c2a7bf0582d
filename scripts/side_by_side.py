"""Runs commands of the shell at the same time and prints their lines as they come, each behind the name of its command.

python scripts/side_by_side.py "one: COMMAND" "other: COMMAND"

None is stopped when another fails. Exits with 1 if any failed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor


def main(arguments: list[str]) -> int:
    """The exit code for these commands."""
    names, commands = zip(*(argument.split(": ", 1) for argument in arguments), strict=True)
    width = max(map(len, names))
    with ThreadPoolExecutor(len(names)) as threads:
        return int(any(list(threads.map(_run, (f"{name:{width}} | " for name in names), commands))))


def _run(head: str, command: str) -> int:
    # From here and not behind an `&` of a shell, under which programs ignore Ctrl-C, and so do those that tests start.
    began = time.monotonic()
    with subprocess.Popen(
        ["sh", "-c", command],
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        for line in process.stdout or ():
            _say(head + line)
    ended = "done" if process.returncode == 0 else f"FAILED with {process.returncode}"
    _say(f"{head}{ended} after {time.monotonic() - began:.0f} s\n")
    return process.returncode


def _say(text: str) -> None:
    sys.stdout.write(text)  # in one piece: print would write the end of the line apart, and lines would mix
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
