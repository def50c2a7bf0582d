"""Run shell commands at the same time and print their lines as they come, each prefixed with the name of its command.

python scripts/side_by_side.py [--in-turn] "one: COMMAND" "other: COMMAND"

With --in-turn the commands run one after another. If one fails, the others continue. The last lines of a failed command
are printed again at the end. The script exits with 1 if any command failed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor

SAID_AGAIN = 40  # last lines of a failed command that are repeated, enough for pytest's summary


def main(arguments: list[str]) -> int:
    # A background job may ignore Ctrl-C, which tests send to the programs that they start.
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
    sys.stdout.write(text)  # one write per line: print writes the line end separately, and lines would mix
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
