"""Random damage to files, front matter and filters; and again every input on which the product once failed."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.fuzz.targets import TARGETS

FOUND = Path(__file__).parents[1] / "fuzz" / "found"
SHARES = {"loaders": 0.5, "front matter": 0.3, "filters": 0.2}
"""Shares of the CPU time that `--fuzz-minutes` sets."""
MAX_WAITING_FACTOR = 20
"""Wall time that a second of CPU may take on a busy machine."""


@pytest.mark.slow
@pytest.mark.timeout(0)  # takes longer than any other test may; the process has a limit of its own
@pytest.mark.parametrize("target", TARGETS)
def test_no_random_damage_is_a_fault_of_ours(target: str, pytestconfig: pytest.Config) -> None:
    seconds = float(pytestconfig.getoption("--fuzz-minutes") or 0) * 60 * SHARES[target]
    day = datetime.now(UTC).toordinal()  # other inputs each day, the same for all that day
    kept = Path(pytestconfig.rootpath, ".fuzz", target)
    command = [sys.executable, "-m", "tests.fuzz.run", target]
    command += ["--seconds", str(seconds), "--seed", str(day), "--keep", str(kept)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60 + seconds * MAX_WAITING_FACTOR
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr[-2_000:]}\nThe inputs are in {kept}."


@pytest.mark.parametrize("target", TARGETS)
def test_what_once_failed_does_not_fail_again(target: str, tmp_path: Path) -> None:
    for file in sorted((FOUND / target).glob("*")):
        TARGETS[target].check(file.read_bytes(), tmp_path / file.name)
