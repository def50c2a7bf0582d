"""What the last build of an index left in memory, so that the next one in this process reads only what changed."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from overstory.graph import GraphClient
from overstory.systems.serag.graph_reads import LinkWeights, ReadChunks, Tree
from overstory.vectors.nearest import Neighbours

MOST_CHUNKS = 50_000
"""Of a corpus that is remembered: some 10 KB a chunk."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """A corpus as it was when its index was written, and what was written.

    Attributes:
        stamp: of the `Kept` that goes with it; another process may have written since.
    """

    stamp: str
    chunks: ReadChunks
    neighbours: Neighbours
    links: LinkWeights
    trees: dict[str, Tree]

    def is_still_stored(self, now: ReadChunks) -> bool:
        """Whether the edges and leaves of all chunks that are still there are as they were written.

        A chunk that was deleted and came back has the same id, and neither.
        """
        changed = {id_ for id_, known in zip(now.ids, now.known.tolist(), strict=True) if not known}
        return changed.isdisjoint(self.chunks.ids)


class Memory:
    """The last corpus of each connection, as long as the connection lives. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: WeakKeyDictionary[GraphClient, Remembered] = WeakKeyDictionary()

    def take(self, graph: GraphClient, stamp: str) -> Remembered | None:
        """What is remembered under this stamp, and no longer: what is about to be written may not come to its end."""
        with self._lock:
            found = self._of.pop(graph, None)
        return found if found is not None and found.stamp == stamp else None

    def keep(self, graph: GraphClient, remembered: Remembered) -> None:
        """Nothing of a corpus that is too large."""
        if len(remembered.chunks.ids) <= MOST_CHUNKS:
            with self._lock:
                self._of[graph] = remembered
