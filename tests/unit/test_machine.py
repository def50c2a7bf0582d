"""The share of the machine that a process may use, from the files of its control groups."""

from __future__ import annotations

import math
from pathlib import Path, PurePosixPath

import pytest

from overstory.machine import memory_bytes, memory_limit, processors, quota

GROUPS = {
    "version 2": {"": PurePosixPath("/system.slice/job")},
    "version 1": {"cpu": PurePosixPath("/docker/abc"), "memory": PurePosixPath("/docker/abc")},
}

OLD = "cpu/docker/abc"


@pytest.mark.parametrize(
    ("version", "files", "processors_expected", "bytes_expected"),
    [
        ("version 2", {}, math.inf, math.inf),
        ("version 2", {"system.slice/job/cpu.max": "max 100000", "memory.max": "max"}, math.inf, math.inf),
        ("version 2", {"system.slice/job/cpu.max": "150000 100000", "memory.max": "4096"}, 1.5, 4096),
        ("version 2", {"cpu.max": "50000 100000", "system.slice/job/cpu.max": "300000 100000"}, 0.5, math.inf),
        ("version 2", {"system.slice/memory.max": "100", "system.slice/job/memory.max": "200"}, math.inf, 100),
        ("version 2", {"cpu.max": "", "memory.max": "no number"}, math.inf, math.inf),
        ("version 1", {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, math.inf, math.inf),
        ("version 1", {f"{OLD}/cpu.cfs_quota_us": "200000", f"{OLD}/cpu.cfs_period_us": "100000"}, 2, math.inf),
        (
            "version 1",
            {"memory/memory.limit_in_bytes": "512", "memory/docker/memory.limit_in_bytes": "999"},
            math.inf,
            512,
        ),
    ],
)
def test_the_tightest_limit_of_the_groups_counts(
    tmp_path: Path, version: str, files: dict[str, str], processors_expected: float, bytes_expected: float
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text + "\n", encoding="utf-8")
    assert quota(tmp_path, GROUPS[version]) == processors_expected
    assert memory_limit(tmp_path, GROUPS[version]) == bytes_expected


def test_this_machine_has_some() -> None:
    assert processors() >= 1
    assert memory_bytes() > 2**27
