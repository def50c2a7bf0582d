"""The processors and the memory that this process may use, within the limits of its container."""

from __future__ import annotations

import math
import os
from functools import cache
from pathlib import Path, PurePosixPath

import psutil

CGROUPS = Path("/sys/fs/cgroup")
"""Folder of the Linux control groups. In version 1, it contains one folder for each controller."""


@cache
def processors() -> int:
    """Return the number of processors that this process may use: at least 1.

    The CPU affinity of the process and the CPU quota of its container limit the number.
    """
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, math.ceil(min(usable, quota(CGROUPS, _own_groups()))))


@cache
def memory_bytes() -> int:
    """Return the memory that this process may use, in bytes: the memory of the machine, or the container's limit."""
    total = int(psutil.virtual_memory().total)
    return int(min(total, memory_limit(CGROUPS, _own_groups())))


def quota(root: Path, groups: dict[str, PurePosixPath]) -> float:
    """Return the smallest CPU quota of control groups and their parents, in processors; infinity if there is no quota.

    Args:
        root: folder of the control groups.
        groups: path of the control group for each controller.
    """
    least = math.inf
    for folder in _folders(root, groups, "cpu"):
        allowed, period, *_ = (*_words(folder / "cpu.max"), "max", "max")
        if allowed == "max":
            allowed, period = (_first(folder / f"cpu.cfs_{name}_us") for name in ("quota", "period"))
        if allowed.isdecimal() and period.isdecimal() and int(period):
            least = min(least, int(allowed) / int(period))
    return least


def memory_limit(root: Path, groups: dict[str, PurePosixPath]) -> float:
    """Return the smallest memory limit of control groups and their parents, in bytes; infinity if there is no limit.

    Args:
        root: folder of the control groups.
        groups: path of the control group for each controller.
    """
    folders = _folders(root, groups, "memory")
    limits = (_first(folder / name) for folder in folders for name in ("memory.max", "memory.limit_in_bytes"))
    return min((int(limit) for limit in limits if limit.isdecimal()), default=math.inf)


def _own_groups() -> dict[str, PurePosixPath]:
    """Return the path of this process's control group for each controller.

    The key "" stands for version 2 of control groups, which does not distinguish controllers.
    """
    try:
        lines = Path("/proc/self/cgroup").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:  # only Linux provides this file
        return {}
    rows = [line.split(":", 2) for line in lines]
    return {name: PurePosixPath(row[2]) for row in rows if len(row) == 3 for name in row[1].split(",")}


def _folders(root: Path, groups: dict[str, PurePosixPath], controller: str) -> list[Path]:
    """Return the folders of the control groups for a controller, and of their parents up to the root.

    The root is included, because a container may see its own control group as the root.
    """
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
