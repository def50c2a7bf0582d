"""The number of usable processors."""

from __future__ import annotations

import os


def processors() -> int:
    """Processors that this process may use: the share of its container or CPU set, not the whole machine's."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
