"""Keeps the last build of an index in memory, so that the next one in this process reads only what changed."""

from __future__ import annotations

import threading
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from overstory.graph import GraphClient

T = TypeVar("T")

MOST_UNITS = 50_000
"""Larger corpora are not kept: a chunk takes some 10 KB."""


class BuildCache(Generic[T]):
    """The last build of each connection, as long as the connection lives. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: WeakKeyDictionary[GraphClient, tuple[str, T]] = WeakKeyDictionary()

    def take(self, graph: GraphClient, stamp: str) -> T | None:
        """Pops the build with this stamp: the coming write may fail, and the entry would then be wrong.

        Args:
            stamp: as the stored state has it; another process may have written since.
        """
        with self._lock:
            found = self._of.pop(graph, None)
        return found[1] if found is not None and found[0] == stamp else None

    def keep(self, graph: GraphClient, stamp: str, build: T, *, units: int) -> None:
        """Keeps a build for the next one, unless it has too many units."""
        if units <= MOST_UNITS:
            with self._lock:
                self._of[graph] = (stamp, build)
