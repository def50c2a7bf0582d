"""Processors and memory available to this process, with the limits of its container."""

from __future__ import annotations

import math
import os
from functools import cache
from pathlib import Path, PurePosixPath

import psutil

CGROUPS = Path("/sys/fs/cgroup")
"""Root of Linux control groups, version 2, or version 1 with one folder per controller."""


@cache
def processors() -> int:
    """Return the number of usable processors, at least 1, limited by CPU affinity and the container's quota."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, math.ceil(min(usable, quota(CGROUPS, _own_groups()))))


@cache
def memory_bytes() -> int:
    """Return the memory available to this process in bytes, limited by its container."""
    total = int(psutil.virtual_memory().total)
    return int(min(total, memory_limit(CGROUPS, _own_groups())))


def quota(root: Path, groups: dict[str, PurePosixPath]) -> float:
    """Return the smallest CPU quota of control groups and their parents, in processors; infinity without a quota."""
    least = math.inf
    for folder in _folders(root, groups, "cpu"):
        allowed, period, *_ = (*_words(folder / "cpu.max"), "max", "max")
        if allowed == "max":
            allowed, period = (_first(folder / f"cpu.cfs_{name}_us") for name in ("quota", "period"))
        if allowed.isdecimal() and period.isdecimal() and int(period):
            least = min(least, int(allowed) / int(period))
    return least


def memory_limit(root: Path, groups: dict[str, PurePosixPath]) -> float:
    """Return the smallest memory limit of control groups and their parents, in bytes; infinity without a limit."""
    folders = _folders(root, groups, "memory")
    limits = (_first(folder / name) for folder in folders for name in ("memory.max", "memory.limit_in_bytes"))
    return min((int(limit) for limit in limits if limit.isdecimal()), default=math.inf)


def _own_groups() -> dict[str, PurePosixPath]:
    """Return the control group of this process by controller; the key "" is version 2."""
    try:
        lines = Path("/proc/self/cgroup").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:  # not Linux
        return {}
    rows = [line.split(":", 2) for line in lines]
    return {name: PurePosixPath(row[2]) for row in rows if len(row) == 3 for name in row[1].split(",")}


def _folders(root: Path, groups: dict[str, PurePosixPath], controller: str) -> list[Path]:
    """Return the folders of control groups and their parents. A container may see its own group as the root."""
    found: list[Path] = []
    for name, mount in (("", root), (controller, root / controller)):
        if name in groups:
            inside = PurePosixPath(*(part for part in groups[name].parts if part not in ("/", "..")))
            found += [mount / group for group in (inside, *inside.parents)]
    return found


def _words(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8").split()
    except (OSError, ValueError):
        return []


def _first(file: Path) -> str:
    return next(iter(_words(file)), "")
