"""Runs commands of the shell at the same time and prints their lines as they come, each behind the name of its command.

python scripts/side_by_side.py [--in-turn] "one: COMMAND" "other: COMMAND"

With --in-turn they run one after another. None is stopped when another fails. The last lines of one that failed are
printed again at the end, where they are not lost among those of the others. Exits with 1 if any failed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor

SAID_AGAIN = 40
"""Lines of a command that failed: pytest's summary of some tests that did."""


def main(arguments: list[str]) -> int:
    """The exit code for these commands."""
    # A job in the background may ignore Ctrl-C, and so would the programs that tests start and interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    in_turn = arguments[:1] == ["--in-turn"]
    names, commands = zip(*(argument.split(": ", 1) for argument in arguments[in_turn:]), strict=True)
    width = max(map(len, names))
    with ThreadPoolExecutor(1 if in_turn else len(names)) as threads:
        ended = list(threads.map(_run, (f"{name:{width}} | " for name in names), commands))
    for last in (last for failed, last in ended if failed):
        _say("\n" + "".join(last))
    return int(any(failed for failed, _ in ended))


def _run(head: str, command: str) -> tuple[int, deque[str]]:
    began = time.monotonic()
    last: deque[str] = deque(maxlen=SAID_AGAIN)

    def say(text: str) -> None:
        last.append(head + text)
        _say(head + text)

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
            say(line)
    ended = "done" if process.returncode == 0 else f"FAILED with {process.returncode}"
    say(f"{ended} after {time.monotonic() - began:.0f} s\n")
    return process.returncode, last


def _say(text: str) -> None:
    sys.stdout.write(text)  # in one piece: print would write the end of the line apart, and lines would mix
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
