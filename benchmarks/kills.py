"""Kill the client and the server at random moments of ingesting and indexing, and repeat the command after each kill.

    python benchmarks/kills.py [--kills 10] [--seed 0] [FOLDER]

Afterwards the final graph must equal that of an undisturbed run. The script prints one line per kill, and the digests
at the end. It uses a separate instance in a temporary folder, and exits with 1 if the digests differ.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from overstory import server
from overstory.knowledge import Knowledge
from overstory.settings import Settings

COMMANDS = ("ingest", "index")


def main() -> int:
    arguments = _arguments()
    home = Path(tempfile.mkdtemp(prefix="overstory-kills-"))
    os.environ["OVERSTORY_HOME"] = str(home)
    os.environ.setdefault("OVERSTORY_CACHE", str(Settings.from_environment({}).places.cache))
    try:
        began = time.monotonic()
        _to_the_end("undisturbed", arguments.folder)
        usual = time.monotonic() - began
        digests = [_digest("undisturbed")]
        for victim in ("client", "server"):
            _disturbed(victim, arguments.folder, arguments.kills, random.Random(arguments.seed), usual)  # noqa: S311
            digests.append(_digest(victim))
        print("digests (undisturbed, client killed, server killed):", *digests, sep="\n  ")
        return int(len(set(digests)) > 1)
    finally:
        server.remove(Settings.from_environment())
        shutil.rmtree(home, ignore_errors=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default="examples/hotpotqa")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def _disturbed(victim: str, folder: str, kills: int, moments: random.Random, usual: float) -> None:
    """Kill both commands alternately, so that the moments spread over the whole of an undisturbed run."""
    done = 0
    for command in COMMANDS:
        while done < (2 if command == "ingest" else kills):
            server.ensure_running(Settings.from_environment())  # so that the kill hits the command's own work
            process = _start(command, victim, folder)
            wait = moments.uniform(0.2, 2.5 if command == "ingest" else max(4.0, usual / kills))
            try:
                process.wait(wait)
                break  # the command finished before the kill
            except subprocess.TimeoutExpired:
                done += 1
            _kill(victim, process)
            code = process.wait()
            print(f"{victim} killed {wait:.1f} s into {command} ({done} of {kills}); exit code {code}", flush=True)
    _to_the_end(victim, folder)


def _kill(victim: str, process: subprocess.Popen[bytes]) -> None:
    if victim == "client":
        process.send_signal(signal.SIGKILL)
        return
    pid = server.status(Settings.from_environment()).pid
    if pid:
        os.kill(pid, signal.SIGKILL)


def _start(command: str, corpus: str, folder: str) -> subprocess.Popen[bytes]:
    path = [folder] if command == "ingest" else []
    return subprocess.Popen(
        [sys.executable, "-m", "overstory", command, *path, "--corpus", corpus, "-q"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _to_the_end(corpus: str, folder: str) -> None:
    for command in COMMANDS:
        code = _start(command, corpus, folder).wait()
        if code:
            raise SystemExit(f"overstory {command} ended with {code}")


def _digest(corpus: str) -> str:
    with Knowledge(corpus) as knowledge:
        counts = knowledge.status().counts
        print(f"{corpus}: {counts}", flush=True)
        return knowledge.digest()


if __name__ == "__main__":
    sys.exit(main())
