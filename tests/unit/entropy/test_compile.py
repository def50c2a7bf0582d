"""Kernels are kept on disk where that is possible, and work where it is not."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.entropy.speed import compiled_only

import overstory_entropy
from overstory_entropy.compile import kernel

CALLED = """
from typing import NamedTuple
from overstory_entropy.compile import kernel

class {pair}(NamedTuple):
    number: int
    factor: int

@kernel
def times(pair): return pair.number * {factor}

Pair = {pair}
"""
CALLING = """
from overstory_entropy.compile import kernel
from overstory_entropy import called

@kernel
def twice(pair): return called.times(pair) * 2

print(twice(called.Pair(21, 2)), sum(twice.stats.cache_hits.values()))
"""


def test_a_kernel_whose_machine_code_cannot_be_kept_is_compiled_all_the_same() -> None:
    names: dict[str, object] = {}
    exec("def double(number): return 2 * number", names)  # noqa: S102 # a function without a file has no cache
    double = names["double"]
    assert callable(double)
    assert kernel(double)(21) == 42


@pytest.mark.slow
@compiled_only
@pytest.mark.parametrize("place", ["in the package", "in a folder that the user names"])
def test_machine_code_is_kept_until_any_file_of_the_package_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    package = tmp_path / "overstory_entropy"
    shutil.copytree(Path(overstory_entropy.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    if place != "in the package":
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))

    def result_and_hits(pair: str, factor: str) -> str:
        (package / "called.py").write_text(CALLED.format(pair=pair, factor=factor))
        (package / "calling.py").write_text(CALLING)
        command = [sys.executable, "-c", "import overstory_entropy.calling"]
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path).stdout.strip()

    assert result_and_hits("Pair", "1") == "42 0"
    assert result_and_hits("Pair", "1") == "42 1"
    assert result_and_hits("Pair", "pair.factor") == "84 0"
    assert result_and_hits("RenamedPair", "pair.factor") == "84 0"
