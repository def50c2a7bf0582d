"""The communities of a tree nearest to a question, from vectors kept in memory."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from overstory.graph import Corpus, Transaction
from overstory.protocols import Vectors
from overstory.vectors.packed import unpacked
from overstory_entropy.compile import Ints


@dataclass(frozen=True, slots=True)
class Communities:
    """The communities of one generation of a tree, the coarsest first.

    Attributes:
        ids: m of them.
        levels: shape (m,).
        vectors: float32[m, d].
    """

    ids: list[str]
    levels: Ints
    vectors: Vectors

    def nearest(self, vector: Vectors, per_level: int) -> dict[str, float]:
        """The best of each level with their cosines, the finest level first."""
        cosines = self.vectors @ vector
        chosen: dict[str, float] = {}
        for level in np.unique(self.levels)[::-1]:
            of_level = np.flatnonzero(self.levels == level)
            best = of_level[np.argsort(-cosines[of_level], kind="stable")[:per_level]]
            chosen |= {self.ids[place]: float(cosines[place]) for place in best.tolist()}
        return chosen


class CommunityCache:
    """The communities last searched, read once per generation; safe to share between threads.

    They take 1.5 KB each in 384 dimensions, some 100 for 1,000 chunks.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: tuple[tuple[str, str, int], Communities] | None = None

    def of(self, tx: Transaction, corpus: Corpus, tree: str, generation: int, stamp: int) -> Communities:
        """
        Args:
            stamp: changes with what a generation holds.
        """
        state = (f"{corpus.label} {tree}", str(generation), stamp)
        with self._lock:
            if self._known is not None and self._known[0] == state:
                return self._known[1]
        rows = tx.run("systems/tree/vectors", corpus.label, tree=tree, generation=generation)
        found = Communities(
            ids=[row["id"] for row in rows],
            levels=np.array([row["level"] for row in rows], dtype=np.int64),
            vectors=unpacked(b"".join(row["vector"] for row in rows)).reshape(-1, corpus.dimension),
        )
        with self._lock:
            self._known = (state, found)
        return found


def members(tx: Transaction, corpus: Corpus, communities: Sequence[str]) -> dict[str, list[str]]:
    """The ids of the chunks, entities or documents below each community."""
    rows = tx.run("systems/tree/members", corpus.label, ids=list(communities))
    return {row["community"]: row["units"] for row in rows}
