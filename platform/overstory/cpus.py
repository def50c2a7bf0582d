"""How many processors there are to use."""

from __future__ import annotations

import os


def processors() -> int:
    """Processors that this process may use: a container's or a task set's share, not the whole machine's."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
