"""Measurements shared by the speed benchmarks: wall-clock time, processor time, spread and memory."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import psutil

from overstory import server
from overstory.settings import Settings

MEGABYTE = 1e6


@dataclass(frozen=True, slots=True)
class Spread:
    """Median, lowest and highest of several measurements of the same thing."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        return cls(float(np.median(values)), min(values), max(values))

    def written(self, digits: int = 2) -> str:
        """Return the median with the lowest and highest value: "1.2 (1.1–1.4)"."""
        return f"{self.median:,.{digits}f} ({self.low:,.{digits}f}–{self.high:,.{digits}f})"


@dataclass(frozen=True, slots=True)
class Cost:
    """The time that an action took.

    Attributes:
        seconds: Wall-clock seconds.
        cpu: Processor seconds of this process, its finished children and the embedded server.
    """

    seconds: float
    cpu: float

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.seconds + other.seconds, self.cpu + other.cpu)


def cost_of(action: Callable[[], object], settings: Settings) -> Cost:
    cpu, began = _cpu(settings), time.perf_counter()
    action()
    seconds = time.perf_counter() - began
    return Cost(seconds, _cpu(settings) - cpu)


def _cpu(settings: Settings) -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    seconds = sum(each.ru_utime + each.ru_stime for each in used)
    pid = _server_pid(settings)
    if pid is not None:
        times = psutil.Process(pid).cpu_times()
        seconds += times.user + times.system
    return seconds


def _server_pid(settings: Settings) -> int | None:
    return None if settings.database.uri else server.status(settings).pid


def server_megabytes(settings: Settings) -> float:
    """Return the current memory of the embedded server in MB; 0 if another server is used."""
    memory = None if settings.database.uri else server.status(settings).memory
    return (memory or 0) / MEGABYTE


def client_megabytes() -> float:
    """Return the current memory of this process in MB."""
    held: int = psutil.Process().memory_info().rss
    return held / MEGABYTE


def client_peak_megabytes() -> float:
    """Return the peak memory of this process in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (MEGABYTE if sys.platform == "darwin" else MEGABYTE / 1024)
