"""How long staging takes in one process, with workers and on Ray, side by side, and how much memory at most.

    python -m benchmarks.staging CORPUS.jsonl --documents 600 --on ray

Memory and processor time are those of the command and all processes below it; memory that they share counts once.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psutil

SECONDS_BETWEEN_LOOKS = 0.25


def main() -> None:
    """Prints a line for each way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path, help="JSON lines")
    parser.add_argument("--documents", type=int, default=600, help="that are staged, the first ones")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--on", help="also there: ray, or ray://HOST:PORT")
    given = parser.parse_args()
    workers = ["--workers", str(given.workers)]
    ways = {"one process": [], " ".join(workers): workers}
    if given.on:
        ways[f"--on {given.on} {' '.join(workers)}"] = ["--on", given.on, *workers]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "docs.jsonl"
        with given.corpus.open(encoding="utf-8") as lines, source.open("w", encoding="utf-8") as out:
            out.writelines(line for line, _ in zip(lines, range(given.documents), strict=False))
        staged("", source, Path(folder) / "warm", [])
        first = 0.0
        for number, (way, options) in enumerate(ways.items()):
            target = Path(folder) / str(number)
            seconds, busy, most = staged(way, source, target, options)
            first = first or seconds
            digest = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(target.iterdir()))).hexdigest()[:12]
            print(
                f"{way}: {seconds:.1f} s, x{seconds / first:.2f}, {busy:.1f} s of processors, "
                f"{most / 1e6:,.0f} MB at most, {digest}",
                flush=True,
            )


def staged(way: str, source: Path, target: Path, options: list[str]) -> tuple[float, float, int]:
    """Seconds, seconds of processors, and the most bytes."""
    command = [sys.executable, "-m", "overstory", "stage", str(source), "--out", str(target), *options]
    begin, most, busy = time.monotonic(), 0, dict[int, float]()
    process = psutil.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None:
        most = max(most, memory(process, busy))
        time.sleep(SECONDS_BETWEEN_LOOKS)
    assert process.returncode == 0, f"{way}: exit status {process.returncode}"
    return time.monotonic() - begin, sum(busy.values()), most


def memory(process: psutil.Popen, busy: dict[int, float]) -> int:
    """Bytes; the seconds that each process was busy go into `busy`."""
    found = 0
    with suppress(psutil.Error):
        for each in (process, *process.children(recursive=True)):
            with suppress(psutil.Error):
                times = each.cpu_times()
                busy[each.pid] = times.user + times.system
                found += each.memory_full_info().pss
    return found


if __name__ == "__main__":
    main()
