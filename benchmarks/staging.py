"""How long staging takes in one process, with workers and on Ray, side by side, and how much memory at most.

    python -m benchmarks.staging SOURCE --documents 600 --on ray
    python -m benchmarks.staging SOURCE --workers 2 --on ray --load

With `--load`, what is staged is loaded and indexed, each way in a corpus of its own, beside `overstory ingest SOURCE
--index`: whole first loads, whose digests are to be equal. The corpora are deleted at the end (`--keep-last`: but the
last, for what else its size is to be asked), and must not be there before. Memory and processor time are those of the
command and all processes below it, without the server; memory that they share counts once.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

SECONDS_BETWEEN_LOOKS = 0.25
OVERSTORY = [sys.executable, "-m", "overstory"]


@dataclass(frozen=True, slots=True)
class Ran:
    """What commands took.

    Attributes:
        seconds: by the clock.
        busy: seconds of processors.
        most: bytes of memory.
    """

    seconds: float = 0.0
    busy: float = 0.0
    most: int = 0

    def __add__(self, other: Ran) -> Ran:
        return Ran(self.seconds + other.seconds, self.busy + other.busy, max(self.most, other.most))

    def __str__(self) -> str:
        return f"{self.seconds:.1f} s, {self.busy:.1f} s of processors, {self.most / 1e6:,.0f} MB at most"


def main() -> None:
    """Prints a line for each way."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, help="JSON lines, or with all of its documents whatever ingest takes")
    parser.add_argument("--documents", type=int, help="that are staged, the first ones of JSON lines (all)")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--on", help="also there: ray, or ray://HOST:PORT")
    parser.add_argument("--load", action="store_true", help="also load and index, beside loading without staging")
    parser.add_argument("--keep-last", action="store_true", help="the corpus that is loaded last is not deleted")
    parser.add_argument("--no-one-process", action="store_true", help="without staging in one process")
    given = parser.parse_args()
    workers = ["--workers", str(given.workers)]
    ways = {" ".join(workers): workers} if given.no_one_process else {"one process": [], " ".join(workers): workers}
    if given.on:
        ways[f"--on {given.on} {' '.join(workers)}"] = ["--on", given.on, *workers]
    with tempfile.TemporaryDirectory() as folder:
        source = first_ones(given.source, given.documents, Path(folder)) if given.documents else given.source
        if given.load:
            show("overstory ingest", loaded(source, "first-load"))
        else:
            run("stage", str(source), "--out", f"{folder}/warm")
        for number, (way, options) in enumerate(ways.items()):
            target = Path(folder) / str(number)
            staged = run("stage", str(source), "--out", str(target), *options)
            shards = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(target.iterdir()))).hexdigest()
            keep = given.keep_last and number == len(ways) - 1
            index = loaded(target, f"first-load-{number}", keep=keep) if given.load else {}
            show(way, {"staged": staged, "shards": shards, **index})


def first_ones(source: Path, documents: int, folder: Path) -> Path:
    """A file with the first lines of another."""
    some = folder / "docs.jsonl"
    with source.open(encoding="utf-8") as lines, some.open("w", encoding="utf-8") as out:
        out.writelines(line for line, _ in zip(lines, range(documents), strict=False))
    return some


def loaded(source: Path, corpus: str, *, keep: bool = False) -> dict[str, Ran | str]:
    """What loading and indexing took, and the digest; prints what deleting takes, unless the corpus is kept."""
    own = ["--corpus", corpus]
    took: dict[str, Ran | str] = {"loaded": run("ingest", str(source), *own), "indexed": run("index", *own)}
    status = subprocess.run(
        [*OVERSTORY, "status", *own, "--digest", "--json"], check=True, capture_output=True, text=True
    )
    took["digest"] = str(json.loads(status.stdout)["digest"])
    if not keep:
        deleted = run("delete", "--all", "--yes", *own)
        print(f"{corpus}, deleted: {deleted}", flush=True)
    return took


def show(way: str, took: dict[str, Ran | str]) -> None:
    """Prints what each command took and all together, and the beginnings of digests."""
    parts = {name: part for name, part in took.items() if isinstance(part, Ran)}
    if len(parts) > 1:
        parts["together"] = sum(parts.values(), Ran())
    digests = {name: part[:12] for name, part in took.items() if isinstance(part, str)}
    for name, part in {**parts, **digests}.items():
        print(f"{way}, {name}: {part}", flush=True)


def run(*arguments: str) -> Ran:
    """Runs a command of Overstory to its end."""
    begin, most, busy = time.monotonic(), 0, dict[int, float]()
    process = psutil.Popen([*OVERSTORY, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None:
        most = max(most, memory(process, busy))
        time.sleep(SECONDS_BETWEEN_LOOKS)
    assert process.returncode == 0, f"overstory {' '.join(arguments)}: exit status {process.returncode}"
    return Ran(time.monotonic() - begin, sum(busy.values()), most)


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
