"""Fuzzes one target within limits of memory and time.

python -m tests.fuzz.run TARGET --seconds CPU_SECONDS --seed N --keep FOLDER

Each input is written to the folder before it is tried, and removed if nothing was found: one that ends the process
stays there. Exits with 1 if something was found.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import traceback
from pathlib import Path

from tests.fuzz.mutations import mutated
from tests.fuzz.targets import TARGETS, Finding, cpu_seconds

MEMORY_BYTES = 6 * 2**30
"""Limit of the address space; the libraries map 2 GiB before the first input."""


def main() -> int:
    """Fuzz until the time is over; the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--keep", type=Path, required=True)
    asked = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    target, chance = TARGETS[asked.target], random.Random(asked.seed)  # noqa: S311 # no secret
    names, contents = sorted(target.seeds), list(target.seeds.values())
    asked.keep.mkdir(parents=True, exist_ok=True)
    tried, found, reasons = 0, 0, set[str]()
    with tempfile.TemporaryDirectory() as folder:
        while cpu_seconds() < asked.seconds:
            name = chance.choice(names)
            content = mutated(target.seeds[name], contents, chance)
            kept = asked.keep / f"{asked.seed}-{tried}-{name}"
            kept.write_bytes(content)
            tried += 1
            try:
                target.check(content, Path(folder, name))
            except Finding as finding:
                reason = "".join(traceback.format_exception(finding.__cause__ or finding)[-4:]).replace(folder, "")
                if reason in reasons:  # one input for each place is enough
                    kept.unlink()
                else:
                    reasons.add(reason)
                    found += 1
                    sys.stdout.write(f"{kept.name}: {finding}\n{reason}\n")
            else:
                kept.unlink()
    sys.stdout.write(f"{tried} inputs, {found} findings\n")
    return int(found > 0)


if __name__ == "__main__":
    raise SystemExit(main())
