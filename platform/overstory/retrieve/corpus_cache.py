"""A bounded cache of vectors, emptied when the corpus changes."""

from __future__ import annotations

import datetime
import threading
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from overstory.graph import Corpus, Transaction
from overstory.protocols import Vectors
from overstory.vectors.packed import unpacked

_MOST_CACHED_BYTES = 64_000_000
"""Of one cache: some 40,000 vectors of 384 dimensions."""


_FORGOTTEN_DIVISOR = 8
"""Where there is no room, at least this part of the vectors is forgotten, so that it is not done for each one."""


ReadVectors = Callable[[Transaction, Corpus, Sequence[str]], dict[str, Vectors]]
"""Vectors by id; ids without one are left out."""


def chunk_vectors(tx: Transaction, corpus: Corpus, ids: Sequence[str]) -> dict[str, Vectors]:
    """The vectors of chunks."""
    (row,) = tx.run("retrieve/vectors", corpus.label, ids=list(ids), property=corpus.embedding_property)
    return {id_: np.asarray(vector, dtype=np.float32) for id_, vector in row["vectors"]}


def derived_vectors(tx: Transaction, corpus: Corpus, ids: Sequence[str]) -> dict[str, Vectors]:
    """The vectors of derived texts (`overstory.index.derived_vectors`), by the ids of the nodes that have the texts."""
    (row,) = tx.run("retrieve/derived_vectors", corpus.label, ids=list(ids))
    return {id_: unpacked(vector) for id_, vector in row["vectors"]}


class VectorCache:
    """The most recently used vectors, as the rows of one array; safe to share between threads."""

    def __init__(self, read: ReadVectors = chunk_vectors, most_bytes: int = _MOST_CACHED_BYTES) -> None:
        self._read = read
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._state: tuple[str, datetime.datetime, str, int] | None = None
        self._rows: dict[str, int] = {}
        self._vectors: Vectors = np.zeros((0, 0), dtype=np.float32)
        self._used: npt.NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._clock = 0

    def of(self, tx: Transaction, corpus: Corpus, ids: Sequence[str]) -> Vectors:
        """float32[len(ids), dimension]; zeros where there is no vector yet."""
        found, missing = self._known(corpus, ids)
        if missing:
            new = self._read(tx, corpus, [ids[place] for place in missing])
            for place in missing:
                if ids[place] in new:
                    found[place] = new[ids[place]]
            self._keep(corpus, new)
        return found

    def _known(self, corpus: Corpus, ids: Sequence[str]) -> tuple[Vectors, list[int]]:
        """The vectors, zeros where they are not known, and the places of those."""
        with self._lock:
            if self._state != _state(corpus):
                self._forget(corpus)
            get = self._rows.get
            rows = [get(id_, -1) for id_ in ids]
            self._clock += 1
            if -1 not in rows:  # most
                self._used[rows] = self._clock
                return self._vectors[rows].reshape(len(ids), corpus.dimension), []
            found = np.zeros((len(ids), corpus.dimension), dtype=np.float32)
            there = [place for place, row in enumerate(rows) if row >= 0]
            known = [rows[place] for place in there]
            if known:
                self._used[known] = self._clock
                found[there] = self._vectors[known]
            return found, [place for place, row in enumerate(rows) if row < 0]

    def _keep(self, corpus: Corpus, new: dict[str, Vectors]) -> None:
        with self._lock:
            if self._state != _state(corpus):
                return  # read before or after a change that another thread has seen
            most = self._most_bytes // max(1, corpus.dimension * 4)
            added = [id_ for id_ in new if id_ not in self._rows][:most]
            if not added:
                return
            if len(self._rows) + len(added) > most:
                self._forget_oldest(min(len(self._rows), max(len(added), len(self._rows) // _FORGOTTEN_DIVISOR)))
            start, stop = len(self._rows), len(self._rows) + len(added)
            if stop > len(self._vectors):
                self._grow(min(most, max(stop, 2 * len(self._vectors))), corpus.dimension)
            self._vectors[start:stop] = [new[id_] for id_ in added]
            self._used[start:stop] = self._clock
            self._rows.update(zip(added, range(start, stop), strict=True))

    def _forget(self, corpus: Corpus) -> None:
        self._state = _state(corpus)
        self._rows = {}
        if self._vectors.shape[1] != corpus.dimension:
            self._vectors = np.zeros((0, corpus.dimension), dtype=np.float32)
            self._used = np.zeros(0, dtype=np.int64)

    def _forget_oldest(self, count: int) -> None:
        """Moves the rows of the others together."""
        size = len(self._rows)
        kept = np.sort(np.argsort(self._used[:size], kind="stable")[count:])
        places = np.full(size, -1, dtype=np.int64)
        places[kept] = np.arange(len(kept))
        self._vectors[: len(kept)] = self._vectors[kept]
        self._used[: len(kept)] = self._used[kept]
        moved = places.tolist()
        self._rows = {id_: moved[row] for id_, row in self._rows.items() if moved[row] >= 0}

    def _grow(self, rows: int, dimension: int) -> None:
        vectors = np.zeros((rows, dimension), dtype=np.float32)
        vectors[: len(self._vectors)] = self._vectors
        used = np.zeros(rows, dtype=np.int64)
        used[: len(self._used)] = self._used
        self._vectors, self._used = vectors, used


def _state(corpus: Corpus) -> tuple[str, datetime.datetime, str, int]:
    """The key of cached vectors; a chunk keeps its id when its title, and so its vector, changes."""
    return corpus.label, corpus.created, corpus.embedding_property, corpus.version
